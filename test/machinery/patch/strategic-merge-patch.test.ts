import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Steps } from '../../../src/foundation/work/work.js';
import { MAX_PATCH_DEPTH, strategicMergePatch } from '../../../src/machinery/patch/index.js';
import { strategicMergeSteps } from '../../../src/machinery/patch/strategic/strategic-merge-patch.js';
import { checkDepthInSteps } from '../../../src/machinery/patch/values.js';
import { workload } from './schemas.js';
import { deepFreeze, expectFailure } from './tools.js';

const patched = (spec: JsonObject, patch: JsonObject): JsonValue | undefined =>
  strategicMergePatch(
    deepFreeze({ spec } as JsonObject),
    deepFreeze({ spec: patch } as JsonObject) as JsonValue,
    workload,
  )['spec'];
const finalizers = (before: JsonValue, patch: JsonObject): JsonValue | undefined => {
  const result = strategicMergePatch(
    deepFreeze({ metadata: { finalizers: before } }),
    deepFreeze({ metadata: patch } as JsonObject) as JsonValue,
    workload,
  );
  return (result['metadata'] as JsonObject)['finalizers'];
};

type Case = readonly [name: string, spec: JsonObject, patch: JsonObject, result: JsonObject];

describe('maps', () => {
  test.each<Case>([
    [
      'members are merged, null deletes',
      { replicas: 1, selector: { a: '1', b: '2' } },
      { selector: { a: null, c: '3' } },
      { replicas: 1, selector: { b: '2', c: '3' } },
    ],
    [
      'nulls in new maps are dropped',
      {},
      { strategy: { type: 'x', rolling: { surge: null } }, selector: null },
      { strategy: { type: 'x', rolling: {} } },
    ],
    [
      '$patch: replace',
      { selector: { a: '1' } },
      { selector: { $patch: 'replace', b: '2' } },
      { selector: { b: '2' } },
    ],
    ['$patch: delete empties the map', { selector: { a: '1' } }, { selector: { $patch: 'delete' } }, { selector: {} }],
    [
      '$patch in a map without an existing value: the map is dropped',
      { replicas: 1 },
      { selector: { $patch: 'replace', b: '2' } },
      { replicas: 1 },
    ],
    [
      '$patch deep in a new value: that part is dropped',
      {},
      { strategy: { type: 'x', rolling: { $patch: 'delete' } } },
      { strategy: { type: 'x' } },
    ],
    ['patchStrategy replace', { replaced: { a: '1' } }, { replaced: { b: '2' } }, { replaced: { b: '2' } }],
    ['a member of another type is replaced', { selector: { a: '1' } }, { selector: ['x'] }, { selector: ['x'] }],
    [
      '$retainKeys clears the others',
      { strategy: { type: 'r', rolling: { surge: 1 } } },
      { strategy: { $retainKeys: ['type', 'recreate'], type: 'c', recreate: { wait: 1 } } },
      { strategy: { type: 'c', recreate: { wait: 1 } } },
    ],
    [
      '$retainKeys may name missing keys, and nulls need no entry',
      { strategy: { type: 'r', rolling: {} } },
      { strategy: { $retainKeys: ['type', 'nothing'], rolling: null } },
      { strategy: { type: 'r' } },
    ],
    [
      'unknown fields are replaced whole',
      { odd: { a: 1, list: [{ name: 'a' }] } },
      { odd: { b: 2, c: null } },
      { odd: { b: 2 } },
    ],
    [
      'names that every object inherits',
      { selector: { constructor: 'a' } },
      { selector: { constructor: null, toString: 'b', hasOwnProperty: 'c' } },
      { selector: { toString: 'b', hasOwnProperty: 'c' } },
    ],
  ])('%s', (_name, spec, patch, result) => {
    expect(patched(spec, patch)).toEqual(result);
  });
});

describe('lists of maps', () => {
  const env = (...names: string[]): JsonObject[] => names.map((name) => ({ name, value: name }));
  const one = { name: 'one', image: 'a', env: env('x', 'y') };
  const two = { name: 'two', image: 'b' };

  test.each<Case>([
    [
      'items are merged by key, at any depth',
      { containers: [one, two] },
      { containers: [{ name: 'one', env: [{ name: 'y', value: 'Y' }] }] },
      {
        containers: [
          {
            ...one,
            env: [
              { name: 'x', value: 'x' },
              { name: 'y', value: 'Y' },
            ],
          },
          two,
        ],
      },
    ],
    [
      'new items precede those that the patch does not mention',
      { containers: [one, two] },
      { containers: [{ name: 'new' }] },
      { containers: [{ name: 'new' }, one, two] },
    ],
    [
      'known items keep the others before them',
      { containers: [one, two] },
      { containers: [{ name: 'two', image: 'c' }, { name: 'new' }] },
      { containers: [one, { name: 'two', image: 'c' }, { name: 'new' }] },
    ],
    [
      '$patch: delete',
      { containers: [one, two] },
      {
        containers: [
          { $patch: 'delete', name: 'one' },
          { $patch: 'delete', name: 'gone' },
        ],
      },
      { containers: [two] },
    ],
    [
      '$patch: replace',
      { containers: [one, two] },
      { containers: [{ $patch: 'replace' }, { name: 'new' }] },
      { containers: [{ name: 'new' }] },
    ],
    [
      '$patch: replace without items',
      { containers: [one] },
      { containers: [{ $patch: 'replace' }] },
      { containers: [] },
    ],
    [
      '$patch: replace within an item',
      { containers: [one, two] },
      { containers: [{ name: 'one', env: [{ $patch: 'replace' }, { name: 'z' }] }] },
      { containers: [{ ...one, env: [{ name: 'z' }] }, two] },
    ],
    [
      '$patch: replace and delete in a new list leave the other items',
      {},
      { containers: [{ $patch: 'replace' }, { $patch: 'delete', name: 'two' }, { name: 'new' }] },
      { containers: [{ name: 'new' }] },
    ],
    ['an empty list changes nothing', { containers: [one] }, { containers: [] }, { containers: [one] }],
    ['null deletes the list', { containers: [one] }, { containers: null }, {}],
    [
      'all items with one key are deleted',
      {
        containers: [
          {
            name: 'one',
            ports: [
              { containerPort: 53, protocol: 'UDP' },
              { containerPort: 53, protocol: 'TCP' },
              { containerPort: 80 },
            ],
          },
        ],
      },
      { containers: [{ name: 'one', ports: [{ $patch: 'delete', containerPort: 53 }] }] },
      { containers: [{ name: 'one', ports: [{ containerPort: 80 }] }] },
    ],
    [
      'a duplicate item in a patch is merged twice',
      { containers: [two] },
      {
        containers: [
          { name: 'new', image: 'x' },
          { name: 'new', command: ['y'] },
        ],
      },
      { containers: [{ name: 'new', image: 'x', command: ['y'] }, two] },
    ],
    [
      'retainKeys of items',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/' } }] },
      { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    ],
    ['lists without a strategy are replaced', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
  ])('%s', (_name, spec, patch, result) => {
    expect(patched(spec, patch)).toEqual(result);
  });

  const names = (patch: JsonObject, ...before: string[]): unknown =>
    (
      (patched({ containers: before.map((name) => ({ name })) }, patch) as JsonObject)[
        'containers'
      ] as readonly JsonObject[]
    ).map(({ name }) => name);
  const order = (...wanted: string[]): JsonObject[] => wanted.map((name) => ({ name }));

  test.each<readonly [name: string, before: readonly string[], patch: JsonObject, result: readonly string[]]>([
    ['sorts', ['a', 'b', 'c'], { '$setElementOrder/containers': order('c', 'b', 'a') }, ['c', 'b', 'a']],
    [
      'sorts listed items, and unlisted live items keep their places among them',
      ['a', 'b', 'c', 'd'],
      { '$setElementOrder/containers': order('d', 'c') },
      ['a', 'b', 'd', 'c'],
    ],
    [
      'sorts new items too',
      ['a', 'b'],
      { '$setElementOrder/containers': order('n', 'b', 'm'), containers: order('n', 'm') },
      ['n', 'a', 'b', 'm'],
    ],
    ['may list removed items', ['a', 'b'], { '$setElementOrder/containers': order('b', 'x', 'a') }, ['b', 'a']],
    [
      'with a deletion and an addition, as release 1.31 does',
      ['1', '2', '4'],
      { '$setElementOrder/containers': order('2', '3'), containers: [{ name: '3' }, { $patch: 'delete', name: '1' }] },
      ['2', '4', '3'],
    ],
    [
      'with a deletion and two additions',
      ['1', '2', '4'],
      {
        '$setElementOrder/containers': order('2', '3', '5'),
        containers: [{ name: '3' }, { name: '5' }, { $patch: 'delete', name: '1' }],
      },
      ['2', '4', '3', '5'],
    ],
    [
      'with additions before remaining items',
      ['1', '2', '4'],
      { '$setElementOrder/containers': order('3', '2'), containers: [{ name: '3' }, { $patch: 'delete', name: '4' }] },
      ['1', '3', '2'],
    ],
    [
      'with deletions',
      ['a', 'b', 'c'],
      { '$setElementOrder/containers': order('c', 'a'), containers: [{ $patch: 'delete', name: 'b' }] },
      ['c', 'a'],
    ],
  ])('$setElementOrder %s', (_name, before, patch, result) => {
    expect(names(patch, ...before)).toEqual(result);
  });

  test('$setElementOrder for a missing list has no effect', () => {
    expect(patched({ replicas: 1 }, { '$setElementOrder/containers': order('a') })).toEqual({ replicas: 1 });
  });

  test('$setElementOrder for an added list', () => {
    expect(
      patched({}, { '$setElementOrder/containers': order('a', 'b'), containers: [{ name: 'a' }, { name: 'b' }] }),
    ).toEqual({ containers: order('a', 'b') });
  });
});

describe('lists of scalars', () => {
  test.each<readonly [name: string, before: JsonValue, patch: JsonObject, result: JsonValue]>([
    ['are merged as sets', ['a', 'b'], { finalizers: ['b', 'c'] }, ['a', 'b', 'c']],
    [
      'lose the values in $deleteFromPrimitiveList',
      ['a', 'b', 'c'],
      { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] },
      ['b', 'c'],
    ],
    [
      'lose and gain in one patch',
      ['a', 'b'],
      { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'], '$setElementOrder/finalizers': ['c', 'b'] },
      ['c', 'b'],
    ],
    ['are sorted by $setElementOrder', ['a', 'b', 'c'], { '$setElementOrder/finalizers': ['c', 'a'] }, ['b', 'c', 'a']],
  ])('%s', (_name, before, patch, result) => {
    expect(finalizers(before, patch)).toEqual(result);
  });

  test('$deleteFromPrimitiveList for a missing list has no effect', () => {
    expect(patched({ replicas: 1 }, { '$deleteFromPrimitiveList/args': ['a'] })).toEqual({ replicas: 1 });
  });
});

describe('errors', () => {
  const one = { containers: [{ name: 'one', ports: [{ containerPort: 80 }] }] };

  test.each<readonly [name: string, spec: JsonObject, patch: JsonObject, code: number, detail: string]>([
    [
      'no merge key',
      one,
      { containers: [{ image: 'x', command: ['a', 'b'] }] },
      500,
      'map: map[command:[a b] image:x] does not contain declared merge key: name',
    ],
    [
      'no merge key in a deletion',
      one,
      { containers: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'no merge key in a replacement',
      one,
      { containers: [{ $patch: 'replace' }, {}] },
      500,
      'map: map[] does not contain declared merge key: name',
    ],
    [
      'an unknown directive in a map',
      { selector: {} },
      { selector: { $patch: 'invent', n: 1, f: 0.00001 } },
      500,
      'unknown patch type: invent in map: map[$patch:invent f:1e-05 n:1]',
    ],
    [
      'merge as directive in a map',
      { selector: {} },
      { selector: { $patch: 'merge' } },
      500,
      'unknown patch type: merge in map: map[$patch:merge]',
    ],
    [
      'a directive that is no string',
      { selector: {} },
      { selector: { $patch: 5 } },
      500,
      'unknown patch type: %!s(int64=5) in map: map[$patch:5]',
    ],
    [
      'an empty directive',
      { selector: {} },
      { selector: { $patch: null } },
      500,
      'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]',
    ],
    [
      'an unknown directive in an item',
      one,
      { containers: [{ $patch: 'invent', name: 'a' }] },
      500,
      'unknown patch type: invent in map: map[$patch:invent name:a]',
    ],
    [
      'merge as directive in an item',
      one,
      { containers: [{ $patch: 'merge', name: 'a' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'a merged list of maps without a key',
      { keyless: [{ a: 'x' }] },
      { keyless: [{ a: 'y' }] },
      500,
      'cannot merge lists without merge key for struct',
    ],
    [
      'items of different types',
      one,
      { containers: ['a'] },
      500,
      'list element types are not identical: [[map[name:one ports:[map[containerPort:80]]]] [a]]',
    ],
    ['lists of lists', one, { containers: [['a']] }, 422, 'lists of lists are not supported'],
    [
      '$retainKeys is no list',
      { strategy: {} },
      { strategy: { $retainKeys: 'type' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      '$retainKeys does not list all keys',
      { strategy: {} },
      { strategy: { $retainKeys: ['a'], type: 'x' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      '$setElementOrder is no list',
      one,
      { '$setElementOrder/containers': 'x' },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      '$setElementOrder names no field',
      one,
      { $setElementOrder: [] },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [
      '$setElementOrder has another word after it',
      one,
      { '$setElementOrders/containers': [] },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [
      '$setElementOrder of items without a key',
      one,
      { '$setElementOrder/containers': [{}] },
      500,
      'map: map[] does not contain declared merge key: name',
    ],
    [
      '$setElementOrder of a value other than a list',
      { containers: 'x' },
      { '$setElementOrder/containers': [] },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      "$setElementOrder against the patch's order",
      one,
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: [{ name: 'a' }, { name: 'b' }] },
      500,
      "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
    ],
    [
      '$setElementOrder without items to sort',
      { containers: [] },
      { '$setElementOrder/containers': [] },
      500,
      'no elements in any of the given slices',
    ],
    [
      '$deleteFromPrimitiveList names no field',
      one,
      { $deleteFromPrimitiveList: [] },
      400,
      'invalid patch format of primitive list',
    ],
  ])('%s', (_name, spec, patch, code, detail) => {
    expectFailure(() => patched(spec, patch), code, detail);
  });

  test.each<readonly [JsonValue, string]>([
    [[], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['text', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [true, 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('%j is no patch', (patch, detail) => {
    expectFailure(() => strategicMergePatch({}, patch, workload), 400, detail);
  });

  test('null changes nothing', () => {
    expect(strategicMergePatch({ a: 1 }, null, workload)).toEqual({ a: 1 });
  });

  test('an error has no reason if Kubernetes gives none', () => {
    try {
      patched(one, { containers: [{}] });
      expect.unreachable();
    } catch (error) {
      expect((error as { status: unknown }).status).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code: 500,
        message: 'map: map[] does not contain declared merge key: name',
      });
    }
  });
});

describe('attacks', () => {
  test('prototypes cannot be reached', () => {
    const patch = JSON.parse(
      '{"spec": {"selector": {"__proto__": {"polluted": 1}}, "odd": {"a": {"__proto__": {"polluted": 1}, "b": null}}}, "__proto__": {"polluted": 1}}',
    ) as JsonObject;
    const result = strategicMergePatch(
      deepFreeze({ spec: { selector: {} } }),
      deepFreeze(patch) as JsonValue,
      workload,
    );
    expect(JSON.parse(JSON.stringify(result))).toEqual(
      JSON.parse(
        '{"spec": {"selector": {"__proto__": {"polluted": 1}}, "odd": {"a": {"__proto__": {"polluted": 1}}}}, "__proto__": {"polluted": 1}}',
      ),
    );
    const { selector } = result['spec'] as { selector: object };
    for (const object of [{}, result, selector]) {
      expect('polluted' in object).toBe(false);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    }
  });

  test('deep nesting', () => {
    const nested = (depth: number): JsonObject =>
      JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) as JsonObject;
    expect(strategicMergePatch({}, nested(MAX_PATCH_DEPTH) as JsonValue, workload)).toEqual(nested(MAX_PATCH_DEPTH));
    expectFailure(
      () => strategicMergePatch({}, nested(MAX_PATCH_DEPTH + 1) as JsonValue, workload),
      400,
      'exceeded max depth',
    );
  });

  test('long lists take time proportional to their length', () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ name: `n${index}` }));
    const result = patched(
      { containers: items },
      { containers: [...items].reverse(), '$setElementOrder/containers': [...items].reverse() },
    );
    expect((result as { containers: readonly JsonObject[] }).containers[0]).toEqual({ name: 'n49999' });
  });
});

test('unchanged parts are shared', () => {
  const object = deepFreeze({
    metadata: { labels: { a: '1' } },
    spec: { replicas: 1, containers: [{ name: 'a', env: [{ name: 'x' }] }, { name: 'b' }] },
  });
  const result = strategicMergePatch(
    object,
    { spec: { containers: [{ name: 'a', image: 'x' }] } },
    workload,
  ) as typeof object;
  expect(result.metadata).toBe(object.metadata);
  expect(result.spec.containers[0]?.env).toBe(object.spec.containers[0]?.env);
  expect(result.spec.containers[1]).toBe(object.spec.containers[1]);
});

describe('long lists', () => {
  const COUNT = 300;
  const names = (name: string): JsonObject[] =>
    Array.from({ length: COUNT }, (_, index) => ({ name: `${name}${index}` }));
  const before: JsonObject = {
    metadata: { finalizers: names('f').map(({ name }) => name ?? null) },
    spec: { containers: names('c') },
  };
  const pod = (spec: JsonObject): JsonObject => ({ spec });

  test.each<readonly [string, JsonObject, passes: number]>([
    ['of changes', pod({ containers: names('c') }), 6],
    ['of deletions', pod({ containers: names('c').map((item) => ({ ...item, $patch: 'delete' })) }), 3],
    ['in an order', pod({ '$setElementOrder/containers': names('c').toReversed() as JsonValue, containers: [] }), 5],
    [
      'of new items with an order',
      pod({ '$setElementOrder/containers': names('d') as JsonValue, containers: names('d') }),
      9,
    ],
    [
      'of values to remove',
      { metadata: { '$deleteFromPrimitiveList/finalizers': names('f').map(({ name }) => name ?? null) } },
      4,
    ],
    [
      'of names that stay',
      { metadata: { $retainKeys: ['finalizers', ...names('k').map(({ name }) => name ?? null)], finalizers: [] } },
      1,
    ],
    [
      'that have no counterpart',
      { metadata: { annotations: Object.fromEntries(names('a').map(({ name }) => [String(name), 'v'])) } },
      1,
    ],
  ])('%s pause at each item, in each pass', (_name, patch, passes) => {
    const steps = strategicMergeSteps({ ...UNBOUNDED_WORK, spend: () => true }, before, patch, workload);
    const depth = checkDepthInSteps({ ...UNBOUNDED_WORK, spend: () => true }, patch);
    const count = (counted: Steps<unknown>): { readonly pauses: number; readonly value: unknown } => {
      let pauses = 0;
      let step = counted.next();
      for (; step.done !== true; step = counted.next()) pauses += 1;
      return { pauses, value: step.value };
    };
    const { pauses, value } = count(steps);
    expect(pauses - count(depth).pauses).toBeGreaterThanOrEqual(passes * COUNT);
    expect(value).toEqual(strategicMergePatch(before, patch, workload));
  });

  test('that do not match their order are not shown as a whole', () => {
    const long = Array.from({ length: 5_000 }, (_, index) => ({ name: `long-name-${index}` }));
    const patch = pod({ '$setElementOrder/containers': long, containers: [{ name: 'other' }] });
    expectFailure(
      () => strategicMergePatch(before, patch, workload),
      500,
      "The order in patch list:\n[map[name:other]]\n doesn't match $setElementOrder list:\n… (more than 16,384 characters)\n",
    );
  });
});
