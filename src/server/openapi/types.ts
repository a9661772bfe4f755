/**
 * The components of a document: every type that its operations refer to, by name.
 *
 * @module
 */
import {
  inSlices,
  setOwnMember,
  SharedWork,
  shareTurn,
  type Dialect,
  type GroupVersionKind,
  type JsonObject,
  type Steps,
} from '../../foundation/index.js';
import {
  collectComponents,
  listMetaSchema,
  objectMetaSchema,
  openApiV2Definition,
  openApiV3Component,
  type OpenApiOptions,
  type StructuralSchema,
} from '../../machinery/index.js';
import { isCustom } from '../discovery/index.js';
import { customComponentName, writeCustomKind, writeCustomList, type OpenApiVersion } from './custom-types.js';
import {
  apiResourceListType,
  deleteOptionsType,
  listType,
  patchType,
  statusType,
  watchEventType,
} from './meta-types.js';
import type { OpenApiResource } from './model.js';
import { componentNamer, metaComponentName, packageOf } from './names.js';
import { subresourceNamer } from './operations.js';

/** Writes a type in a version of OpenAPI: at once, or in the steps that it returns. */
export type DocumentType = (version: OpenApiVersion) => { readonly written: JsonObject } | Steps<JsonObject>;

/** A type, the names of its nested types, and its kinds. */
interface NamedType {
  readonly schema: StructuralSchema;
  readonly options: OpenApiOptions;
  readonly kinds: readonly GroupVersionKind[];
}

const writerOf =
  ({ schema, options, kinds }: NamedType): DocumentType =>
  (version) => {
    const write = version === 2 ? openApiV2Definition : openApiV3Component;
    return { written: write(schema, options, { groupVersionKinds: kinds }) };
  };

/** Writes the types of a document, by component name. */
export async function writtenTypes(
  types: ReadonlyMap<string, DocumentType>,
  version: OpenApiVersion,
): Promise<Record<string, JsonObject>> {
  const written: Record<string, JsonObject> = {};
  const work = new SharedWork();
  for (const [name, type] of types) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    const made = type(version);
    setOwnMember(written, name, 'written' in made ? made.written : await inSlices(work, made));
  }
  return written;
}

type Namer = OpenApiOptions['componentName'];

/** The descriptions of the built-in types and their fields, by the name of the type with its package. */
export interface Descriptions {
  typeDescription(type: string): string | undefined;
  fieldDescription(type: string, field: string): string | undefined;
}

/** Returns the function that describes built-in types. @param own the package of types that do not name theirs */
const describer =
  ({ typeDescription, fieldDescription }: Descriptions, own: string): OpenApiOptions['describe'] =>
  ({ name = '', package: from = own }, field) =>
    field === undefined ? typeDescription(`${from}.${name}`) : fieldDescription(`${from}.${name}`, field);

/** The package of the types that all groups share. */
const META = 'meta.v1';

/**
 * Returns the types of the given kinds by component name, in alphabetical order.
 *
 * @param versions the versions in which options and watch events exist
 * @param descriptions the descriptions of the built-in types
 */
export async function documentTypes(
  resources: readonly OpenApiResource[],
  versions: readonly Pick<GroupVersionKind, 'group' | 'version'>[],
  dialect: Dialect,
  descriptions: Descriptions,
): Promise<Map<string, DocumentType>> {
  const types = new Map<string, NamedType>();
  const custom = new Map<string, DocumentType>();
  const { extensionPrefix } = dialect.openApi;
  const add = (
    schemas: readonly StructuralSchema[],
    componentName: Namer,
    kinds: (name: string) => readonly GroupVersionKind[],
    /** The package of built-in types; undefined for those of users. */
    builtin: string | undefined,
  ): void => {
    const isBuiltin = builtin !== undefined;
    const describe = isBuiltin ? describer(descriptions, builtin) : undefined;
    const options = { extensionPrefix, componentName, nullable: !isBuiltin, zeroDefaults: isBuiltin, describe };
    const roots = new Set(schemas.map((schema) => componentName(schema.name ?? '', schema)));
    for (const [name, schema] of collectComponents(schemas, options)) {
      if (roots.has(name)) types.set(name, { schema, options, kinds: kinds(schema.name ?? '') });
      else if (!types.has(name)) types.set(name, { schema, options, kinds: [] });
    }
  };
  const metaNamer: Namer = (name) => metaComponentName(name, dialect);
  for (const resource of resources) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    const { group, version, kind, listKind } = resource;
    if (isCustom(resource)) {
      custom.set(customComponentName(resource, kind, dialect), (of) => writeCustomKind(resource, dialect, of));
      custom.set(customComponentName(resource, listKind, dialect), (of) => ({
        written: writeCustomList(resource, dialect, of),
      }));
      add([objectMetaSchema, listMetaSchema], metaNamer, () => [], META);
    }
    const namer = componentNamer(resource.definition.group, version, dialect);
    const builtin =
      resource.definition.origin === 'builtin' ? packageOf(resource.definition.group, version) : undefined;
    const schemas = resource.verbs.includes('list')
      ? [resource.schema, listType(resource.listKind, kind, resource.schema)]
      : [resource.schema];
    if (!isCustom(resource)) add(schemas, namer, (name) => [{ group, version, kind: name }], builtin);
    for (const { responseKind, schema } of resource.subresources.values()) {
      if (responseKind !== undefined && schema !== undefined)
        add(
          [schema],
          subresourceNamer(responseKind, dialect),
          () => [responseKind],
          isCustom(resource) ? META : builtin,
        );
    }
  }
  // The paths of custom kinds do not use the other types.
  const onlyCustom = resources.every(isCustom);
  add(
    onlyCustom ? [patchType, statusType] : [patchType, apiResourceListType, statusType],
    metaNamer,
    (name) => (name === 'Patch' ? [] : [{ group: '', version: 'v1', kind: name }]),
    META,
  );
  add(
    onlyCustom ? [deleteOptionsType] : [deleteOptionsType, watchEventType],
    metaNamer,
    (name) => versions.map(({ group, version }) => ({ group, version, kind: name })),
    META,
  );
  const all = [...[...types].map(([name, type]) => [name, writerOf(type)] as const), ...custom];
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}
