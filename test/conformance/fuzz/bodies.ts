/**
 * Bodies of requests: objects made from the schema of their kind, and then corrupted.
 *
 * @module
 */
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import type { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';
import type { Chance } from './chance.js';
import { eventSample, SAMPLES } from './samples.js';

/** Values that do not fit some field. */
export const STRANGE: readonly JsonValue[] = [
  null,
  '',
  'x',
  0,
  -1,
  1.5,
  1e308,
  -0.0001,
  9007199254740993,
  2147483648,
  4294967296,
  true,
  false,
  [],
  {},
  [null],
  [[]],
  [{}],
  [1, 'a', null],
  { a: null },
  { '': '' },
  { __proto__x: 1 },
  '\u0000',
  '\ud83d',
  '😀'.repeat(50),
  'é',
  ' ',
  '\n',
  '__proto__',
  'constructor',
  '../..',
  '%2f',
  '{}',
  '[]',
  'null',
  'NaN',
  '0x10',
  '1e1',
  '1.0',
  '-',
  '=',
  'AAAA',
  '!!!',
  'a/b/c',
  '2024-01-01T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '0000-00-00T00:00:00Z',
  '2024-01-01',
  '10000-01-01T00:00:00Z',
  '2024-01-01T00:00:00.123456789+25:00',
  '100m',
  '1e3Ki',
  '1Ei1',
  '99999999999999999999Ei',
  '-1Gi',
  '.5',
  'a'.repeat(300),
];

const NAMES = ['a', 'b', 'c', 'd-0', 'x.y', 'system:thing', 'A', '', '-', 'a/b', 'default', 'é', 'a'.repeat(260)];

/** Deeply nested data. */
function deep(depth: number, inner: JsonValue): JsonValue {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

type Properties = NonNullable<StructuralSchema['properties']>;

/** The required fields of an object, about three others, and sometimes an unknown one. */
function fieldsOf(
  properties: Properties,
  { required = [], publishedRequired = [] }: StructuralSchema,
  chance: Chance,
  depth: number,
  strangeness: number,
): JsonObject {
  const chosen = [...properties].filter(
    ([name]) =>
      required.includes(name) || publishedRequired.includes(name) || chance.happens(Math.min(0.5, 3 / properties.size)),
  );
  const members = chosen.map(([name, field]): [string, JsonValue] => [
    name,
    valueOf(field, chance, depth - 1, strangeness),
  ]);
  if (chance.happens(strangeness))
    members.push([chance.pick(['unknown', '__proto__', 'metadata', '', '$patch', 'kind']), chance.pick(STRANGE)]);
  return Object.fromEntries(members);
}

/** A roughly valid value for a field. */
export function valueOf(schema: StructuralSchema, chance: Chance, depth: number, strangeness: number): JsonValue {
  if (chance.happens(strangeness))
    return chance.happens(0.03) ? deep(chance.pick([5, 60, 600]), 1) : chance.pick(STRANGE);
  if (schema.properties !== undefined && depth > 0)
    return fieldsOf(schema.properties, schema, chance, depth, strangeness);
  if (schema.additionalProperties !== undefined)
    return Object.fromEntries(
      Array.from({ length: chance.below(3) }, () => [
        chance.pick(NAMES),
        valueOf(schema.additionalProperties ?? schema, chance, depth - 1, strangeness),
      ]),
    );
  if (schema.items !== undefined)
    return Array.from({ length: depth > 0 ? chance.below(3) : 0 }, () =>
      valueOf(schema.items ?? schema, chance, depth - 1, strangeness),
    );
  return scalarOf(schema, chance);
}

const SCALARS: Readonly<Record<string, readonly JsonValue[]>> = {
  'date-time': ['2024-01-01T00:00:00Z', '2023-06-30T23:59:59+02:00'],
  'micro-time': ['2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00Z'],
  byte: ['', 'YQ==', 'aGVsbG8='],
  quantity: ['1', '100m', '1Gi', 2, 0.5],
  string: ['a', 'b', 'default', 'v1', 'ConfigMap', 'example.com/x', 'get', '*', 'nginx:1'],
  integer: [0, 1, 80, 600, 65536],
  number: [0, 1.5],
  boolean: [true, false],
  'int-or-string': [80, 'http', '50%'],
  object: [{}],
  array: [[]],
  any: [null, 1, 'a', [{ a: [[1]] }], { a: { b: [] } }],
};

function scalarOf(schema: StructuralSchema, chance: Chance): JsonValue {
  const known = schema.enum ?? schema.publishedEnum;
  if (known !== undefined && known.length > 0 && chance.happens(0.8)) return chance.pick(known);
  return chance.pick(SCALARS[schema.format ?? ''] ?? SCALARS[schema.type] ?? STRANGE);
}

const OWNERS: readonly JsonValue[] = [
  [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '00000000-0000-4000-8000-000000000001' }],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true },
    { apiVersion: 'v1', kind: 'Pod', name: 'b', uid: 'w', controller: true },
  ],
  [{ apiVersion: '', kind: '', name: '', uid: '' }],
  [{}, null],
  {},
  'x',
];

const MANAGED: readonly JsonValue[] = [
  [],
  [{}],
  [null],
  {},
  'x',
  [
    {
      manager: 'm',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2024-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    },
  ],
  [{ manager: 'm', operation: 'Other', fieldsType: 'FieldsV2', fieldsV1: { 'x:y': 1, 'k:{"a"': {} } }],
  [
    {
      manager: 'm',
      operation: 'Update',
      apiVersion: 'no/such/version',
      time: 'never',
      fieldsType: 'FieldsV1',
      fieldsV1: 'x',
    },
  ],
];

function metadataOf(name: string, namespace: string | undefined, chance: Chance, strangeness: number): JsonObject {
  const odd = (probability: number, value: () => JsonValue): JsonValue | undefined =>
    chance.happens(probability * strangeness * 4) ? value() : undefined;
  const members: Record<string, JsonValue | undefined> = {
    name: chance.happens(strangeness) ? chance.pick([...NAMES, ...STRANGE]) : name,
    namespace: chance.happens(strangeness) ? chance.pick(['other', ...STRANGE]) : namespace,
    generateName: odd(0.1, () => chance.pick(['g-', ...STRANGE])),
    labels: odd(0.3, () => chance.pick<JsonValue>([{ a: 'b' }, { 'a/b/c': 'd' }, { a: 1 }, { a: null }, ...STRANGE])),
    annotations: odd(0.3, () => chance.pick<JsonValue>([{ a: 'b' }, { a: {} }, ...STRANGE])),
    finalizers: odd(0.2, () => chance.pick<JsonValue>([['example.com/f'], ['x'], ['', 'a/b/c'], [1], ...STRANGE])),
    ownerReferences: odd(0.3, () => chance.pick([...OWNERS, ...STRANGE])),
    managedFields: odd(0.3, () => chance.pick([...MANAGED, ...STRANGE])),
    resourceVersion: odd(0.3, () => chance.pick(['0', '1', '00', '-1', 'x', '99999999999999999999', 5, ...STRANGE])),
    uid: odd(0.2, () => chance.pick(['u', ...STRANGE])),
    generation: odd(0.1, () => chance.pick(STRANGE)),
    creationTimestamp: odd(0.2, () => chance.pick(STRANGE)),
    deletionTimestamp: odd(0.2, () => chance.pick(STRANGE)),
    deletionGracePeriodSeconds: odd(0.2, () => chance.pick(STRANGE)),
    selfLink: odd(0.1, () => chance.pick(STRANGE)),
  };
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

/** Puts misplaced values into some places of an object, or removes values. */
function corrupted(value: JsonValue, chance: Chance, probability: number): JsonValue {
  if (chance.happens(probability)) return chance.pick(STRANGE);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => corrupted(item, chance, probability));
  const entries = Object.entries(value).filter(() => !chance.happens(probability / 2));
  return Object.fromEntries(entries.map(([key, member]) => [key, corrupted(member as JsonValue, chance, probability)]));
}

/** An object of a kind, valid except for one or two places. */
export function almostValid(
  info: ResourceInfo,
  name: string,
  namespace: string | undefined,
  chance: Chance,
): JsonValue {
  const sample = info.kind === 'Event' ? eventSample(namespace ?? 'default', info.group === '') : SAMPLES[info.kind];
  if (sample === undefined) return objectOf(info, name, namespace, chance);
  const apiVersion = info.group === '' ? info.version : `${info.group}/${info.version}`;
  const metadata = chance.happens(0.7)
    ? { name, ...(namespace === undefined ? {} : { namespace }) }
    : metadataOf(name, namespace, chance, 0.1);
  return corrupted({ apiVersion, kind: info.kind, metadata, ...sample }, chance, chance.pick([0, 0, 0.01, 0.05]));
}

/** An object of a kind, mostly valid or corrupted all over. */
export function objectOf(info: ResourceInfo, name: string, namespace: string | undefined, chance: Chance): JsonValue {
  const strangeness = chance.pick([0, 0.01, 0.05, 0.3]);
  const fields = fieldsOf(
    info.schema.properties ?? new Map(),
    info.schema,
    chance,
    chance.pick([3, 6, 9]),
    strangeness / 3,
  );
  const object: Record<string, JsonValue> = {
    ...fields,
    apiVersion: chance.happens(strangeness)
      ? chance.pick(['v1', 'v9', 'apps/v1', '/', ...STRANGE])
      : info.group === ''
        ? info.version
        : `${info.group}/${info.version}`,
    kind: chance.happens(strangeness) ? chance.pick(['Pod', 'Status', 'List', ...STRANGE]) : info.kind,
    metadata: chance.happens(strangeness) ? chance.pick(STRANGE) : metadataOf(name, namespace, chance, strangeness),
  };
  return Object.fromEntries(Object.entries(object).filter(() => !chance.happens(strangeness / 2)));
}

/** Paths into an object, as JSON pointers. */
function pointersOf(value: JsonValue, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([key, member]) =>
      pointersOf(member as JsonValue, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  ];
}

/** A JSON Patch over the fields of an object. */
export function jsonPatchOf(object: JsonValue, chance: Chance): JsonValue {
  const pointers = [...pointersOf(object), '/metadata/labels/a', '/spec/none/0', '/-', '/a~2', 'x', '/data/a'];
  const operation = (): JsonValue => {
    if (chance.happens(0.05)) return chance.pick(STRANGE);
    const op = chance.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'other']);
    return {
      op,
      path: chance.pick(pointers),
      ...(op === 'move' || op === 'copy' ? { from: chance.pick(pointers) } : {}),
      ...(chance.happens(0.8) ? { value: chance.pick(STRANGE) } : {}),
    };
  };
  return chance.happens(0.05) ? chance.pick(STRANGE) : Array.from({ length: chance.below(4) }, operation);
}

/** A merge patch: some fields of an object, with occasional directives of strategic merge. */
export function mergePatchOf(object: JsonValue, chance: Chance): JsonValue {
  if (typeof object !== 'object' || object === null) return object;
  if (Array.isArray(object))
    return chance.happens(0.1)
      ? [...(object as JsonValue[]), { $patch: chance.pick(['delete', 'replace', 'merge', 'x', 1]), name: 'a' }]
      : object;
  const kept = Object.entries(object as Record<string, JsonValue>).filter(
    ([key]) => key === 'metadata' || chance.happens(0.7),
  );
  const entries = kept.map(([key, member]): [string, JsonValue] => [
    key,
    chance.happens(0.1) ? null : mergePatchOf(member, chance),
  ]);
  const [[name] = ['data']] = kept;
  if (chance.happens(0.1)) {
    entries.push([
      chance.pick([
        '$patch',
        '$retainKeys',
        `$setElementOrder/${name}`,
        `$deleteFromPrimitiveList/${name}`,
        '$unknown',
        '$setElementOrder/',
      ]),
      chance.pick<JsonValue>(['delete', 'replace', ['a'], [{ name: 'a' }], [name], ...STRANGE]),
    ]);
  }
  return Object.fromEntries(entries);
}
