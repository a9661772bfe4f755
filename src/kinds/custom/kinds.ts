/**
 * The kinds that a custom resource definition declares: one definition for each served version.
 *
 * @module
 */
import * as z from 'zod';
import {
  apiVersionOf,
  compareVersions,
  setOwnMember,
  type ArtefactSource,
  type Dialect,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { compileJsonPath, objectSchema, schemaExtensions, type StructuralSchema } from '../../machinery/index.js';
import {
  statusSubresource,
  type FieldReader,
  type ResourceDefinition,
  type SubresourceDefinition,
} from '../../registry/index.js';
import { CustomColumns } from './columns.js';
import { CustomSchema } from './custom-schema.js';
import { scaleSubresource } from './scale.js';
import type { CustomKindSource, CustomKindVersion } from './source.js';
import { CustomTools, uncounted, type CustomKindTools } from './tools.js';
import { CustomValidator } from './validator.js';
import { CustomVersions, type Converter, type VersionSchema } from './versions.js';

/** The parts that all versions of a custom kind share. */
interface Family {
  readonly source: CustomKindSource;
  readonly versions: CustomVersions;
  readonly tools: CustomKindTools;
  /** Name of the newest served version that is not deprecated. */
  readonly newest: string | undefined;
  readonly compiled: ArtefactSource;
}

/**
 * Returns the kinds of the served versions of a custom resource definition. Nothing is compiled before its first use.
 *
 * @param source a valid spec with its defaults
 * @param converter conversion between the versions
 * @param tools what the kinds of a server share
 */
export function customKinds(
  source: CustomKindSource,
  dialect: Dialect,
  converter: Converter,
  tools: CustomKindTools = {},
): ResourceDefinition[] {
  const { group, names } = source;
  const extensions = schemaExtensions(dialect.openApi.extensionPrefix);
  const compiled = tools.compiled ?? uncounted();
  const schemaOf = ({ schema }: CustomKindVersion): CustomSchema =>
    new CustomSchema(schema?.openAPIV3Schema, extensions, compiled);
  const schemas = new Map(source.versions.map((version) => [version.name, schemaOf(version)]));
  const stored = source.versions.find(({ storage }) => storage) ?? source.versions[0];
  const versions = new CustomVersions({
    group,
    kind: names.kind,
    schemas: new Map([...schemas].map(([name, schema]) => [name, new WholeObjects(names.kind, schema)])),
    storageVersion: apiVersionOf(group, stored?.name ?? ''),
    converter,
  });
  const family = { source, versions, compiled, tools, newest: newestOf(source.versions) };
  return source.versions.flatMap((version) => {
    const schema = schemas.get(version.name);
    return version.served && schema !== undefined ? [kindOf(version, schema, family)] : [];
  });
}

/** The schema of whole objects of a version. */
class WholeObjects implements VersionSchema {
  readonly #kind: string;
  readonly #schema: CustomSchema;

  constructor(kind: string, schema: CustomSchema) {
    this.#kind = kind;
    this.#schema = schema;
  }

  get current(): StructuralSchema {
    return objectSchema({ kind: this.#kind, schema: this.#schema.current });
  }

  preparing(work: Work | undefined): Steps<void> | undefined {
    return this.#schema.preparing(work);
  }
}

function kindOf(
  version: CustomKindVersion,
  schema: CustomSchema,
  { source, versions, compiled, tools: shared, newest }: Family,
): ResourceDefinition {
  const { group, names } = source;
  const current = (): StructuralSchema => schema.current;
  const props = version.schema?.openAPIV3Schema;
  const tools = new CustomTools(current, { ...shared, compiled }, () =>
    props === undefined ? undefined : shared.checkedRules?.take(`${names.plural}.${group}`, props),
  );
  const columns = new CustomColumns(version.additionalPrinterColumns ?? [], compiled);
  const { scale } = version.subresources ?? {};
  let validator: CustomValidator | undefined;
  return Object.freeze<ResourceDefinition>({
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: source.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    schema: () => z.looseObject({}),
    structural: current,
    givenUpSchema: schema,
    storedVersions: versions,
    publishedFrom: () => [group, names, source.scope, version],
    validator: () =>
      (validator ??= new CustomValidator({
        schema: () => objectSchema({ kind: names.kind, schema: schema.current }),
        identity: () => schema.identity,
        compilePattern: tools.compilePattern,
        scale,
        rules: () => tools.rules,
      })),
    strategy: { load: () => tools.loadValidation() },
    get columns() {
      return columns.current;
    },
    subresources: subresourcesOf(version),
    selectableFields: selectableFields(version),
    ...(version.deprecated === true ? { deprecation: { warning: deprecationWarning(version, source, newest) } } : {}),
    terminating: source.terminating === true,
    origin: 'user',
  });
}

function subresourcesOf({ subresources }: CustomKindVersion): Record<string, SubresourceDefinition> {
  return {
    ...(subresources?.status === undefined ? {} : { status: statusSubresource }),
    ...(subresources?.scale === undefined ? {} : { scale: scaleSubresource(subresources.scale) }),
  };
}

/** Returns the selectable fields. A path names a scalar; an absent one has the empty text. */
function selectableFields({ selectableFields: fields = [] }: CustomKindVersion): Record<string, FieldReader> {
  const readers: Record<string, FieldReader> = {};
  for (const { jsonPath } of fields) {
    const path = compileJsonPath(jsonPath);
    setOwnMember<FieldReader>(readers, jsonPath.replace(/^\./, ''), (object) => {
      const value = path.first(object);
      return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
    });
  }
  return readers;
}

/** Returns the name of the newest served version that is not deprecated. */
function newestOf(versions: readonly CustomKindVersion[]): string | undefined {
  const names = versions.filter(({ served, deprecated }) => served && deprecated !== true).map(({ name }) => name);
  return names.sort(compareVersions)[0];
}

/**
 * Returns the warning of a deprecated version: its own, or one that names the newest version to use instead.
 */
function deprecationWarning(
  { name, deprecationWarning: warning }: CustomKindVersion,
  { group, names: { kind } }: CustomKindSource,
  newest: string | undefined,
): string {
  if (warning !== undefined) return warning;
  const isNewer = newest !== undefined && compareVersions(newest, name) < 0;
  const instead = isNewer ? `; use ${group}/${newest} ${kind}` : '';
  return `${group}/${name} ${kind} is deprecated${instead}`;
}
