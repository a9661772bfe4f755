/**
 * The published schema of a type in release 1.31, derived from the facts about it: a second, obvious way to the
 * documents' schemas.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { groupName, kubernetes } from '../../../src/foundation/index.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';

/** A type, or a field without its name. */
interface Value {
  readonly type: string;
  readonly ref?: string;
  readonly items?: Value;
  readonly values?: Value;
  readonly pointer?: boolean;
  readonly enum?: readonly string[];
}

/** A field of a type. */
export interface FieldFacts extends Value {
  readonly name: string;
  readonly omitempty?: boolean;
  readonly required?: boolean;
  readonly default?: unknown;
  /** A default that the code sets and the documents do not publish. */
  readonly codedDefault?: unknown;
  readonly inline?: boolean;
  /** Field number in protobuf. */
  readonly number?: number;
  /** Wire type in protobuf. */
  readonly wire?: number;
  /** The message that wraps a list as its field 1. */
  readonly protoMessage?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

/** An object type. */
export interface TypeFacts {
  readonly name: string;
  readonly fields: readonly FieldFacts[];
  /** Order of the keys in JSON where it differs from that of the fields; `<x>` are the keys of the inlined part x. */
  readonly jsonOrder?: readonly string[];
  readonly typeMeta?: boolean;
  readonly mapType?: string;
  readonly unions?: readonly {
    readonly discriminator: string;
    readonly fields: readonly (readonly [string, string])[];
  }[];
  readonly inlineOnly?: boolean;
  /** The type has a JSON form of its own; its fields are those of protobuf. */
  readonly custom?: boolean;
}

/** A subresource of a kind. */
export interface SubresourceFacts {
  readonly verbs: readonly string[];
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  /** It runs outside of the server. */
  readonly connecting?: boolean;
}

/** A served kind, by the name of its type. */
export interface KindFacts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: Readonly<Record<string, SubresourceFacts>>;
  readonly type: string;
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly servedByDefault: boolean;
  readonly featureGate?: string;
  readonly storageVersion?: string | null;
  readonly storageVersionHash?: string | null;
}

/** The columns of a kind in the Table form. */
export interface KindColumns {
  readonly group: string;
  readonly kind: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly format?: string;
    readonly priority?: number;
  }[];
}

/** The selectable fields of a kind besides name and namespace. */
export interface KindSelectors {
  readonly group: string;
  readonly kind: string;
  readonly fields: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
  readonly clusterScopedOnlyName?: boolean;
  /** The words of the refusal of another field. */
  readonly unknown?: string;
}

interface Facts {
  readonly groupOrder: readonly string[];
  readonly groups: readonly {
    readonly group: string;
    readonly versions: readonly string[];
    readonly preferredVersion: string;
  }[];
  readonly columns: readonly KindColumns[];
  readonly selectableFields: readonly KindSelectors[];
  readonly kinds: readonly KindFacts[];
  readonly types: readonly TypeFacts[];
}

const facts = JSON.parse(readFileSync(fileURLToPath(new URL('facts.json', import.meta.url)), 'utf8')) as Facts;

/** The kinds of release 1.31. */
export const kinds = facts.kinds;

/** The kinds of release 1.31 that this server has. */
export const servedKinds = kinds.filter(({ group, version, kind }) =>
  builtinResources.some(
    (definition) =>
      groupName(definition.group, kubernetes) === group && definition.version === version && definition.kind === kind,
  ),
);

/** Groups in the order of discovery, and the versions of each in order of preference. */
export const { groupOrder, groups, columns, selectableFields } = facts;

/** Object types of release 1.31 by name: those that the kinds reference. */
export const types: ReadonlyMap<string, TypeFacts> = new Map(facts.types.map((type) => [type.name, type]));

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Types that are not objects in JSON, and their schemas in the documents. */
export const scalarTypes: Readonly<
  Record<string, { readonly name: string; readonly v2: object; readonly v3?: object }>
> = {
  quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    v2: { type: 'string' },
    v3: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  intOrString: {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    v2: { type: 'string', format: 'int-or-string' },
    v3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  time: { name: `${META}.Time`, v2: { type: 'string', format: 'date-time' } },
  microTime: { name: `${META}.MicroTime`, v2: { type: 'string', format: 'date-time' } },
  rawExtension: { name: 'io.k8s.apimachinery.pkg.runtime.RawExtension', v2: { type: 'object' } },
  fieldsV1: { name: `${META}.FieldsV1`, v2: { type: 'object' } },
};

const INLINE: Readonly<Record<string, object>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

const ZEROS: Readonly<Record<string, unknown>> = { string: '', int32: 0, int64: 0, bool: false, double: 0 };

type Version = 'v2' | 'v3';

/** The schema of a field, item or value, with the default of a required one. */
function valueOf(value: Value, version: Version, omitted: boolean): Record<string, unknown> {
  const { type, ref = scalarTypes[type]?.name, items, values, pointer = false } = value;
  const isCustom = ref !== undefined && types.get(ref)?.custom === true;
  const zero = isCustom ? undefined : type === 'ref' ? {} : omitted ? undefined : ZEROS[type];
  return {
    ...INLINE[type],
    ...(ref === undefined ? {} : { $ref: ref }),
    ...(items === undefined ? {} : { type: 'array', items: valueOf(items, version, false) }),
    ...(values === undefined ? {} : { type: 'object', additionalProperties: valueOf(values, version, false) }),
    ...(value.enum === undefined ? {} : { enum: value.enum }),
    ...(version === 'v2' || pointer || zero === undefined ? {} : { default: zero }),
  };
}

function fieldOf(field: FieldFacts, version: Version): Record<string, unknown> {
  const { listType, listMapKeys, mapType, patchStrategy, patchMergeKey, default: fallback } = field;
  const extensions = {
    'list-type': listType,
    'list-map-keys': listMapKeys,
    'map-type': mapType,
    'patch-strategy': patchStrategy,
    'patch-merge-key': patchMergeKey,
  };
  return {
    ...valueOf(field, version, field.omitempty === true),
    ...(version === 'v2' || fallback === undefined ? {} : { default: fallback }),
    ...Object.fromEntries(
      Object.entries(extensions).flatMap(([name, value]) =>
        value === undefined ? [] : [[`x-kubernetes-${name}`, value]],
      ),
    ),
  };
}

/** Fields of a type, including those of its inlined types. */
export function fieldsOf(type: TypeFacts): readonly FieldFacts[] {
  return type.fields.flatMap((field) => (field.inline === true ? fieldsOf(typeOf(field.ref ?? '')) : [field]));
}

/** @throws Error when the type is unknown */
export function typeOf(name: string): TypeFacts {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no facts about ${name}`);
  return type;
}

/** The definition of a type, without descriptions and kinds; references are names. */
export function publishedDefinition(type: TypeFacts, version: Version): Record<string, unknown> {
  if (type.custom === true) return {};
  const fields = fieldsOf(type);
  const properties = Object.fromEntries(fields.map((field) => [field.name, fieldOf(field, version)]));
  const required = fields.filter((field) => field.required === true).map(({ name }) => name);
  const unions = type.unions?.map(({ discriminator, fields: members }) => ({
    discriminator,
    'fields-to-discriminateBy': Object.fromEntries(members),
  }));
  return {
    type: 'object',
    properties: {
      ...(type.typeMeta === true ? { apiVersion: INLINE['string'], kind: INLINE['string'] } : {}),
      ...properties,
    },
    ...(required.length === 0 ? {} : { required: required.sort() }),
    ...(type.mapType === undefined ? {} : { 'x-kubernetes-map-type': type.mapType }),
    ...(unions === undefined ? {} : { 'x-kubernetes-unions': unions }),
  };
}

/** A published schema in the same form: no descriptions, references by name, required fields in alphabetical order. */
export function comparable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(comparable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'description' || key === 'x-kubernetes-group-version-kind') continue;
    if (key === 'properties')
      plain[key] = Object.fromEntries(
        Object.entries(value as object).map(([name, field]) => [name, comparable(field)]),
      );
    else if (key === '$ref') plain[key] = String(value).replace(/^.*\//, '');
    else if (key === 'required') plain[key] = [...(value as string[])].sort();
    else if (key === 'allOf') Object.assign(plain, comparable((value as unknown[])[0]));
    else plain[key] = key === 'default' || key === 'enum' || key === 'x-kubernetes-unions' ? value : comparable(value);
  }
  return plain;
}
