/** Values that are shared instead of copied, and the correctness of sharing them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiServer, ConfigMap, Pod } from '../../../src/entries/index.js';
import { compare } from '../../../src/machinery/apply/typed/compare.js';
import { merge } from '../../../src/machinery/apply/typed/merge.js';
import { toFieldSet } from '../../../src/machinery/apply/typed/owned-fields.js';
import { toFieldsV1 } from '../../../src/machinery/apply/fieldpath/fields-v1.js';
import { typeOf } from '../../../src/machinery/apply/typed/type.js';
import { union } from '../../../src/machinery/apply/fieldpath/fieldset.js';
import { type FieldSet } from '../../../src/machinery/index.js';
import { itemElement } from '../../../src/machinery/apply/typed/item.js';
import { member } from '../../../src/machinery/apply/typed/value.js';
import { cloneJson, type JsonObject } from '../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { UnchangedApplies } from '../../../src/server/operations/unchanged-applies.js';
import { int, keyed, list, map, set, str, struct } from './schemas.js';

const port = struct({ port: int(), protocol: str({ default: 'TCP' }), note: str() });
const type = typeOf(
  struct({
    mode: str(),
    labels: map(str()),
    sealed: map(str(), { mapType: 'atomic' }),
    steps: list(str()),
    tags: set(str()),
    ports: keyed(port, ['port', 'protocol']),
  }),
);

const letter = fc.constantFrom('a', 'b', 'c');
const value = fc.record(
  {
    mode: letter,
    labels: fc.dictionary(letter, letter),
    sealed: fc.dictionary(letter, letter),
    steps: fc.array(letter, { maxLength: 2 }),
    tags: fc.uniqueArray(letter),
    ports: fc.uniqueArray(fc.record({ port: fc.integer({ min: 1, max: 3 }), note: letter }), {
      selector: (item) => item.port,
    }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

describe('merging', () => {
  it('returns the live value itself if the intent changes nothing', () => {
    fc.assert(
      fc.property(value, value, (live, config) => {
        const merged = merge(live, config, type);
        expect(merge(merged, cloneJson(config), type)).toBe(merged);
      }),
    );
  });

  it('shares no value that a comparison would have to inspect', () => {
    fc.assert(
      fc.property(value, value, (live, config) => {
        const merged = merge(live, config, type);
        expect(compare(live, merged, type)).toEqual(compare(cloneJson(live), cloneJson(merged), type));
      }),
    );
  });

  it('keeps untouched items', () => {
    const live = {
      mode: 'a',
      ports: [
        { port: 1, note: 'x' },
        { port: 2, note: 'y' },
      ],
      labels: { k: 'v' },
    };
    const merged = merge(
      live,
      {
        ports: [
          { port: 1, note: 'x' },
          { port: 2, note: 'z' },
        ],
        labels: { k: 'v' },
      },
      type,
    ) as typeof live;
    expect(merged).toEqual({
      mode: 'a',
      ports: [
        { port: 1, note: 'x' },
        { port: 2, note: 'z' },
      ],
      labels: { k: 'v' },
    });
    expect(merged.ports[0]).toBe(live.ports[0]);
    expect(merged.labels).toBe(live.labels);
    expect(live.ports[1]?.note).toBe('y');
  });

  it('compares whole lists if an item occurs twice', () => {
    const before = { tags: ['a', 'b', 'a'] };
    expect(compare(before, { tags: ['a', 'b', 'c'] }, type)).toMatchObject({
      removed: { 'f:tags': { 'v:"a"': {} } },
      added: { 'f:tags': { 'v:"c"': {} } },
    });
  });
});

describe('sets', () => {
  const wide = (count: number): FieldSet =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f:${index}`, { 'f:x': {} }]));

  it('return themselves as the union with a subset', () => {
    const node: FieldSet = { '.': {}, 'f:b': {} };
    const small: FieldSet = { 'f:a': node };
    const large: FieldSet = { 'f:a': node, 'f:d': {} };
    expect(union(small, large)).toBe(large);
    expect(union(large, small)).toBe(large);
    expect(union({ 'f:a': { 'f:b': {} } }, large)).toBe(large);
    expect(union({ 'f:a': { 'f:b': {} } }, { 'f:a': {} })).toEqual({ 'f:a': { '.': {}, 'f:b': {} } });
    expect(union(wide(3), { 'f:1': { 'f:y': {} } })).toEqual({
      'f:0': { 'f:x': {} },
      'f:1': { 'f:x': {}, 'f:y': {} },
      'f:2': { 'f:x': {} },
    });
  });

  it('are written in byte order, whatever order the engine uses', () => {
    const names = ['b', 'a', '10', '9', '\u{1F600}', '\uFFFD'];
    const set: FieldSet = Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
    expect(Object.keys(toFieldsV1(set) as JsonObject)).toEqual([
      'f:10',
      'f:9',
      'f:a',
      'f:b',
      'f:\uFFFD',
      'f:\u{1F600}',
    ]);
    expect(Object.keys(toFieldsV1({ 'i:0': {}, 'v:1': {}, 'k:{"a":1}': {}, 'f:z': {} }) as JsonObject)).toEqual([
      'f:z',
      'k:{"a":1}',
      'v:1',
      'i:0',
    ]);
  });

  it('of an intent have members where the value exists', () => {
    expect(toFieldSet({ labels: {}, ports: [{ port: 1 }], mode: 'a' }, type)).toEqual({
      'f:labels': {},
      'f:mode': {},
      'f:ports': { 'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
    });
  });
});

describe('elements of items', () => {
  const ports = typeOf(keyed(port, ['port', 'protocol'])).list;
  const element = (item: JsonObject): string => (ports === undefined ? '' : itemElement(item, ports));

  it('have the same text each time, and differ by type', () => {
    for (let turn = 0; turn < 2; turn += 1) {
      expect(element({ port: 1 })).toBe('k:{"port":1,"protocol":"TCP"}');
      expect(element({ port: 1, protocol: 'TCP', note: 'x' })).toBe('k:{"port":1,"protocol":"TCP"}');
      expect(element({ port: '1' })).toBe('k:{"port":"1","protocol":"TCP"}');
      expect(element({ port: true, protocol: '<' })).toBe('k:{"port":true,"protocol":"\\u003c"}');
      expect(element({ port: { a: turn } })).toBe(`k:{"port":{"a":${turn}},"protocol":"TCP"}`);
    }
  });

  it('are correct in any number', () => {
    for (let index = 0; index < 5000; index += 1)
      expect(element({ port: index % 3000 })).toBe(`k:{"port":${index % 3000},"protocol":"TCP"}`);
  });
});

it('have no members from the prototype', () => {
  for (const key of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    expect(member({}, key)).toBeUndefined();
    expect(member(JSON.parse(`{"${key}":"own"}`) as JsonObject, key)).toBe('own');
  }
});

describe('an intent that changes nothing', () => {
  const live = (): StoredObject =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }) as JsonObject as StoredObject;
  const intent = (text: string, manager = 'm') => ({
    applied: { data: { a: text } },
    manager,
    force: false,
    subresource: '',
  });

  it('is recognized by the object, the intent and its applier', () => {
    const unchanged = new UnchangedApplies();
    const object = live();
    unchanged.add(object, intent('1'));
    expect(unchanged.has(object, intent('1'))).toBe(true);
    expect(unchanged.has(object, intent('2'))).toBe(false);
    expect(unchanged.has(object, intent('1', 'n'))).toBe(false);
    expect(unchanged.has(object, { ...intent('1'), force: true })).toBe(false);
    expect(unchanged.has(object, { ...intent('1'), subresource: 'status' })).toBe(false);
    expect(unchanged.has(live(), intent('1'))).toBe(false);
    for (const text of ['2', '3', '4', '5']) unchanged.add(object, intent(text));
    expect(unchanged.has(object, intent('1'))).toBe(false);
    expect(unchanged.has(object, intent('5'))).toBe(true);
  });

  it('leaves the object unchanged each time, and later intents are not confused with it', async () => {
    await using server = new ApiServer();
    const maps = server.client().resource(ConfigMap).namespace('default');
    const apply = (data: Record<string, string>, fieldManager: string, force = false) =>
      maps.apply({ metadata: { name: 'c' }, data }, { fieldManager, force });
    const first = await apply({ a: '1' }, 'x');
    for (let turn = 0; turn < 3; turn += 1) expect(await apply({ a: '1' }, 'x')).toEqual(first);
    const shared = await apply({ a: '1' }, 'y');
    expect(shared.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    expect(await apply({ a: '1' }, 'y')).toEqual(shared);
    const taken = await apply({ a: '2' }, 'y', true);
    expect(taken.data).toEqual({ a: '2' });
    await expect(apply({ a: '1' }, 'x')).rejects.toMatchObject({ code: 409 });
    expect((await apply({ a: '1' }, 'x', true)).data).toEqual({ a: '1' });
  });

  it('may be changed by the caller, as may the answer', async () => {
    await using server = new ApiServer();
    const pods = server.client().resource(Pod).namespace('default');
    const pod = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i:1', resources: { limits: { cpu: '1000m' } } }] },
    };
    const made = await pods.apply(pod, { fieldManager: 'x' });
    const container = pod.spec.containers[0] ?? { image: '' };
    for (const image of ['i:1', 'i:1', 'i:2', 'i:2', 'i:1']) {
      container.image = image;
      const answer = await pods.apply(pod, { fieldManager: 'x' });
      expect(answer.spec?.containers[0]?.image).toBe(image);
      expect(answer.spec?.containers[0]?.resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '1' } });
      answer.spec?.containers.splice(0);
    }
    expect((await pods.get('p')).metadata.uid).toBe(made.metadata.uid);
  });

  it('is refused for its undeclared fields each time, whatever the level of validation', async () => {
    await using server = new ApiServer();
    const maps = server.client().resource(ConfigMap).namespace('default');
    const odd = { metadata: { name: 'w' }, data: { a: '1' }, nope: [{ deep: true }] };
    for (const fieldValidation of ['Strict', 'Ignore', 'Warn', 'Strict', 'Ignore'] as const) {
      await expect(maps.apply(odd, { fieldManager: 'x', fieldValidation })).rejects.toMatchObject({ code: 500 });
    }
  });
});
