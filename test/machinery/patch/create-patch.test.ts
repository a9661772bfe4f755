import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import {
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  requireKeyUnchanged,
  requireMetadataKeyUnchanged,
  strategicMergePatch,
} from '../../../src/machinery/patch/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { Pod } from '../../../src/kinds/builtin/core/pod/pod.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';
import { workload } from './schemas.js';
import { deepFreeze, expectFailure } from './tools.js';

const specPatch = (before: JsonObject, after: JsonObject): JsonValue | undefined =>
  createTwoWayMergePatch(
    deepFreeze({ spec: before } as JsonObject),
    deepFreeze({ spec: after } as JsonObject),
    workload,
  )['spec'];

describe('createTwoWayMergePatch', () => {
  test.each<readonly [name: string, before: JsonObject, after: JsonObject, patch: JsonObject | undefined]>([
    [
      'nothing changed',
      { replicas: 1, containers: [{ name: 'b' }, { name: 'a' }] },
      { containers: [{ name: 'b' }, { name: 'a' }], replicas: 1 },
      undefined,
    ],
    ['a scalar', { replicas: 1 }, { replicas: 2 }, { replicas: 2 }],
    ['a removed member, a new one', { replicas: 1 }, { args: ['a'] }, { replicas: null, args: ['a'] }],
    ['a replaced list', { args: ['a', 'b'] }, { args: ['b', 'a'] }, { args: ['b', 'a'] }],
    ['a replaced map', { replaced: { a: '1', b: '2' } }, { replaced: { a: '1' } }, { replaced: { a: '1' } }],
    ['a first item', { containers: [] }, { containers: [{ name: 'a' }] }, { containers: [{ name: 'a' }] }],
    [
      'a changed item, a removed one, a new one',
      { containers: [{ name: 'a', image: 'x' }, { name: 'b' }] },
      { containers: [{ name: 'c' }, { name: 'a', image: 'y' }] },
      {
        containers: [{ name: 'c' }, { name: 'a', image: 'y' }, { $patch: 'delete', name: 'b' }],
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
      },
    ],
    [
      'only the order',
      { containers: [{ name: 'a' }, { name: 'b' }] },
      { containers: [{ name: 'b' }, { name: 'a' }] },
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
    ],
    [
      'the last item',
      { containers: [{ name: 'a' }] },
      { containers: [] },
      { containers: [{ $patch: 'delete', name: 'a' }] },
    ],
    [
      'a member of a union',
      { strategy: { type: 'a', rolling: { surge: 1 } } },
      { strategy: { type: 'b', recreate: { wait: 1 } } },
      { strategy: { $retainKeys: ['recreate', 'type'], type: 'b', recreate: { wait: 1 }, rolling: null } },
    ],
    [
      'a union in an item',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
      {
        volumes: [{ $retainKeys: ['hostPath', 'name'], name: 'v', hostPath: { path: '/' }, emptyDir: null }],
        '$setElementOrder/volumes': [{ name: 'v' }],
      },
    ],
    [
      'items with duplicate keys',
      {
        containers: [
          {
            name: 'a',
            ports: [
              { containerPort: 53, protocol: 'UDP' },
              { containerPort: 53, protocol: 'TCP' },
            ],
          },
        ],
      },
      {
        containers: [
          {
            name: 'a',
            ports: [
              { containerPort: 53, protocol: 'UDP' },
              { containerPort: 53, protocol: 'TCP' },
            ],
          },
        ],
      },
      undefined,
    ],
  ])('%s', (_name, before, after, patch) => {
    expect(specPatch(before, after)).toEqual(patch);
  });

  test('sets of scalars', () => {
    const patch = (before: string[], after: string[]): JsonValue | undefined =>
      createTwoWayMergePatch(
        deepFreeze({ metadata: { finalizers: before } }),
        deepFreeze({ metadata: { finalizers: after } }),
        workload,
      )['metadata'];
    expect(patch(['b', 'a'], ['b', 'a'])).toBeUndefined();
    expect(patch(['a', 'b'], ['b', 'c', 'd'])).toEqual({
      finalizers: ['c', 'd'],
      '$deleteFromPrimitiveList/finalizers': ['a'],
      '$setElementOrder/finalizers': ['b', 'c', 'd'],
    });
    expect(patch(['a', 'b'], ['b', 'a'])).toEqual({ '$setElementOrder/finalizers': ['b', 'a'] });
    expect(patch(['a'], [])).toEqual({ '$deleteFromPrimitiveList/finalizers': ['a'] });
  });

  test('errors', () => {
    expectFailure(
      () => specPatch({ containers: [{ name: 'a' }] }, { containers: [{ image: 'x' }] }),
      500,
      'map: map[image:x] does not contain declared merge key: name',
    );
    expectFailure(
      () => specPatch({ keyless: [{ a: 'x' }] }, { keyless: [{ a: 'y' }] }),
      500,
      'cannot merge lists without merge key for struct',
    );
    const changed = (precondition: string): unknown =>
      createTwoWayMergePatch({ kind: 'A' }, { kind: 'B' }, workload, [requireKeyUnchanged(precondition)]);
    expectFailure(() => changed('kind'), 409, 'precondition failed for: map[kind:B]');
    expect(changed('apiVersion')).toEqual({ kind: 'B' });
    const renamed = (precondition: string): unknown =>
      createTwoWayMergePatch({ metadata: { name: 'a' } }, { metadata: { name: 'b' } }, workload, [
        requireMetadataKeyUnchanged(precondition),
      ]);
    expectFailure(() => renamed('name'), 409, 'precondition failed for: map[metadata:map[name:b]]');
    expect(renamed('namespace')).toEqual({ metadata: { name: 'b' } });
  });
});

describe('createThreeWayMergePatch', () => {
  const three = (original: JsonObject, modified: JsonObject, current: JsonObject, overwrite = true): JsonObject =>
    createThreeWayMergePatch(
      deepFreeze({ spec: original }),
      deepFreeze({ spec: modified }),
      deepFreeze({ spec: current }),
      workload,
      { overwrite },
    );
  const applied = (original: JsonObject, modified: JsonObject, current: JsonObject): JsonValue | undefined =>
    strategicMergePatch({ spec: current }, three(original, modified, current) as JsonValue, workload)['spec'];

  test.each<
    readonly [
      name: string,
      original: JsonObject,
      modified: JsonObject,
      current: JsonObject,
      patch: JsonObject,
      result: JsonObject,
    ]
  >([
    [
      'fields added by others stay',
      { replicas: 1 },
      { replicas: 2 },
      { replicas: 1, args: ['x'] },
      { spec: { replicas: 2 } },
      { replicas: 2, args: ['x'] },
    ],
    [
      'a field that is no longer applied is removed',
      { replicas: 1, selector: { a: '1', b: '2' } },
      { selector: { b: '2' } },
      { replicas: 5, selector: { a: '9', b: '2', c: '3' } },
      { spec: { replicas: null, selector: { a: null } } },
      { selector: { b: '2', c: '3' } },
    ],
    ['no change', { replicas: 1 }, { replicas: 1 }, { replicas: 1, args: [] }, {}, { replicas: 1, args: [] }],
    [
      'items of others stay, own items are removed',
      { containers: [{ name: 'a' }, { name: 'b' }] },
      { containers: [{ name: 'c', image: 'x' }, { name: 'a' }] },
      { containers: [{ name: 'a' }, { name: 'b' }, { name: 'theirs' }] },
      {
        spec: {
          containers: [
            { name: 'c', image: 'x' },
            { $patch: 'delete', name: 'b' },
          ],
          '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
        },
      },
      // After a deletion, release 1.31 appends the new item to the old order, in the free position.
      { containers: [{ name: 'theirs' }, { name: 'c', image: 'x' }, { name: 'a' }] },
    ],
    [
      'a union changes its member',
      { strategy: { type: 'a', rolling: { surge: 1 } } },
      { strategy: { type: 'b' } },
      { strategy: { type: 'a', rolling: { surge: 1 } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'b', rolling: null } } },
      { strategy: { type: 'b' } },
    ],
  ])('%s', (_name, original, modified, current, patch, result) => {
    expect(three(original, modified, current)).toEqual(patch);
    expect(applied(original, modified, current)).toEqual(result);
  });

  test('conflicts', () => {
    expectFailure(
      () => three({ replicas: 1 }, { replicas: 2 }, { replicas: 3 }, false),
      409,
      /^patch:\n[^]*"replicas": 2[^]*\nconflicts with changes made from original to current:\n[^]*"replicas": 3[^]*\n$/,
    );
    expect(three({ replicas: 1 }, { replicas: 2 }, { replicas: 2 }, false)).toEqual({});
    expect(three({ replicas: 1 }, { replicas: 2 }, { replicas: 1, args: ['a'] }, false)).toEqual({
      spec: { replicas: 2 },
    });
    const image = (name: string, value: string): JsonObject => ({ containers: [{ name, image: value }] });
    expectFailure(() => three(image('a', '1'), image('a', '2'), image('a', '3'), false), 409, /conflicts/);
    expectFailure(() => three(image('a', '1'), { containers: [] }, image('a', '3'), false), 409, /conflicts/);
    expect(
      three(
        image('a', '1'),
        image('a', '2'),
        {
          containers: [
            { name: 'b', image: '3' },
            { name: 'a', image: '1' },
          ],
        },
        false,
      ),
    ).toEqual({
      spec: { containers: [{ name: 'a', image: '2' }], '$setElementOrder/containers': [{ name: 'a' }] },
    });
    expectFailure(() => three({ args: ['a'] }, { args: ['b'] }, { args: ['c'] }, false), 409, /conflicts/);
  });

  test('preconditions see the patch', () => {
    const options = { overwrite: true, preconditions: [requireKeyUnchanged('kind')] };
    expectFailure(
      () => createThreeWayMergePatch({}, { kind: 'B' }, { kind: 'A' }, workload, options),
      409,
      'precondition failed for: map[kind:B]',
    );
  });
});

/** Random values of a schema, without nulls, with distinct keys in merged lists. */
function valuesOf(schema: StructuralSchema, depth = 6): fc.Arbitrary<JsonValue> {
  switch (schema.type) {
    case 'object':
      return schema.additionalProperties === undefined
        ? structs(schema, depth)
        : fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), valuesOf(schema.additionalProperties, depth - 1), {
            maxKeys: 2,
          });
    case 'array':
      return lists(schema, depth);
    case 'integer':
    case 'number':
    case 'int-or-string':
      return fc.integer({ min: 0, max: 3 });
    case 'boolean':
      return fc.boolean();
    case 'string':
    case 'any':
      return fc.constantFrom('x', 'y', 'z', 'hasOwnProperty');
  }
}

function structs(schema: StructuralSchema, depth: number): fc.Arbitrary<JsonValue> {
  // Only scalars at depth, and few members anywhere, so that changes affect the same places.
  const fields = [...(schema.properties ?? [])].filter(
    ([, field]) => depth > 0 || (field.type !== 'object' && field.type !== 'array'),
  );
  return fc.record(Object.fromEntries(fields.slice(0, 12).map(([name, field]) => [name, valuesOf(field, depth - 1)])), {
    requiredKeys: [],
  }) as fc.Arbitrary<JsonValue>;
}

function lists(schema: StructuralSchema, depth: number): fc.Arbitrary<JsonValue> {
  const { items, patchStrategy = '', patchMergeKey } = schema;
  if (items === undefined) throw new Error('a list without items');
  const item = valuesOf(items, depth - 1);
  if (!patchStrategy.includes('merge')) return fc.array(item, { maxLength: 2 });
  if (patchMergeKey === undefined)
    return items.type === 'object' ? fc.constant([]) : fc.uniqueArray(item, { maxLength: 3 });
  const key = items.properties?.get(patchMergeKey);
  if (key === undefined) throw new Error(`items without ${patchMergeKey}`);
  const keyed = fc
    .tuple(item, valuesOf(key))
    .map(([members, value]) => ({ ...(members as JsonObject), [patchMergeKey]: value }));
  return fc.uniqueArray(keyed, {
    maxLength: 3,
    selector: (members) => members[patchMergeKey],
  }) as fc.Arbitrary<JsonValue>;
}

/**
 * The decoded form of a patched object: directives in values that were only copied are unknown fields, and nulls are
 * absent.
 */
function decoded(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key, member]) => !key.startsWith('$') && member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, decoded(member ?? null)]));
}

await Pod.prepare?.();
const pod = new ResourceInfo(Pod, kubernetes).schema;

describe.each([
  ['a schema with every strategy', workload, 600],
  ['pods', pod, 60],
] as const)('properties: %s', (_name, schema, numRuns) => {
  const values = valuesOf(schema) as fc.Arbitrary<JsonObject>;

  test('a two-way patch, applied to the one, gives the other', () => {
    fc.assert(
      fc.property(values, values, (original, modified) => {
        const patch = createTwoWayMergePatch(deepFreeze(original), deepFreeze(modified), schema);
        expect(strategicMergePatch(original, deepFreeze(patch) as JsonValue, schema)).toEqual(modified);
      }),
      { numRuns },
    );
  });

  test('there is no patch between equal values', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(createTwoWayMergePatch(value, structuredClone(value), schema)).toEqual({});
      }),
      { numRuns },
    );
  });

  test('a three-way patch without concurrent changes equals a two-way patch', () => {
    fc.assert(
      fc.property(values, values, (original, modified) => {
        const options = { overwrite: false };
        const patch = createThreeWayMergePatch(deepFreeze(original), deepFreeze(modified), original, schema, options);
        expect(strategicMergePatch(original, deepFreeze(patch) as JsonValue, schema)).toEqual(modified);
      }),
      { numRuns },
    );
  });

  test('a three-way patch is empty once it is applied', () => {
    fc.assert(
      fc.property(values, values, values, (original, modified, current) => {
        const patch = createThreeWayMergePatch(
          deepFreeze(original),
          deepFreeze(modified),
          deepFreeze(current),
          schema,
          { overwrite: true },
        );
        const applied = decoded(
          strategicMergePatch(current, deepFreeze(patch) as JsonValue, schema) as JsonValue,
        ) as JsonObject;
        const again = createThreeWayMergePatch(modified, modified, deepFreeze(applied), schema, { overwrite: true });
        expect(strategicMergePatch(applied, again as JsonValue, schema)).toEqual(applied);
      }),
      { numRuns },
    );
  });
});
