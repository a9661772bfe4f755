/** A list of field managers that is empty, or has one empty entry, leaves no record of any. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { definition, world, type Json, type World } from './custom/world.js';

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const MAPS = '/api/v1/namespaces/default/configmaps';
const ROCKETS = '/apis/example.com/v1/namespaces/default/rockets';
const PATH = '/metadata/managedFields';

let own: World;
beforeAll(async () => {
  own = await world();
  await own.define(definition());
}, 300_000);
afterAll(() => own[Symbol.asyncDispose]());

const map = (name: string, metadata: Json = {}, more: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data: { k: 'v' },
  ...more,
});
const rocket = (name: string, metadata: Json = {}): Json => ({
  apiVersion: 'example.com/v1',
  kind: 'Rocket',
  metadata: { name, ...metadata },
  spec: { size: 1 },
});

const send = async (method: string, path: string, body: unknown, type = 'application/json'): Promise<number> =>
  (await own.send(method, `${path}?fieldManager=m`, JSON.stringify(body), { 'content-type': type })).status;
const managersOf = async (path: string): Promise<unknown> =>
  ((await own.get(path)).body as { metadata: { managedFields?: { manager: string }[] } }).metadata.managedFields?.map(
    ({ manager }) => manager,
  );

let count = 0;
/** Creates an object with a record. Returns its name. */
async function made(collection: string, object: (name: string) => Json): Promise<string> {
  const name = `object-${(count += 1)}`;
  expect(await send('POST', collection, object(name))).toBe(201);
  expect(await managersOf(`${collection}/${name}`)).toEqual(['m']);
  return name;
}

describe.each<[string, unknown]>([
  ['one empty entry', [{}]],
  ['an entry of empty values', [{ manager: '', time: null }]],
  ['an empty list', []],
])('%s', (_list, managedFields) => {
  test.each<[string, string, (name: string) => unknown]>([
    ['PUT', 'application/json', (name) => map(name, { managedFields })],
    ['PUT', 'application/json', (name) => map(name, { managedFields, labels: { a: 'b' } }, { data: { k: 'w' } })],
    ['PATCH', MERGE, () => ({ metadata: { managedFields } })],
    ['PATCH', MERGE, () => ({ metadata: { managedFields, labels: { a: 'b' } }, data: { k: 'w', l: 'x' } })],
    ['PATCH', STRATEGIC, () => ({ metadata: { managedFields }, data: { k: 'w' } })],
    ['PATCH', JSON_PATCH, () => [{ op: 'replace', path: PATH, value: managedFields }]],
    [
      'PATCH',
      JSON_PATCH,
      () => [
        { op: 'add', path: PATH, value: managedFields },
        { op: 'add', path: '/data/l', value: 'x' },
      ],
    ],
  ])('clears the records: %s %s', async (method, type, body) => {
    const name = await made(MAPS, map);
    const path = `${MAPS}/${name}`;
    expect(await send(method, path, body(name), type)).toBe(200);
    expect(await managersOf(path)).toBeUndefined();
    expect(await send('PATCH', path, { data: { later: 'y' } }, MERGE)).toBe(200);
    expect(await managersOf(path)).toBeUndefined();
    expect(await send('PATCH', path, map(name, {}, { data: { k: 'z' } }), APPLY)).toBe(409);
    const added = map(name, {}, { data: { mine: 'z' } });
    expect(await send('PATCH', path, added, APPLY)).toBe(200);
    expect(await managersOf(path)).toEqual(['m', 'before-first-apply']);
  });

  test('clears nothing by a dry run, by a subresource, or by a create', async () => {
    const name = await made(MAPS, map);
    const dry = await own.send(
      'PATCH',
      `${MAPS}/${name}?dryRun=All`,
      { metadata: { managedFields } },
      { 'content-type': MERGE },
    );
    expect((dry.body as { metadata: Json }).metadata).not.toHaveProperty('managedFields');
    expect(await managersOf(`${MAPS}/${name}`)).toEqual(['m']);
    const namespace = `cleared-${(count += 1)}`;
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, managedFields } };
    expect(await send('POST', '/api/v1/namespaces', space)).toBe(201);
    expect(await managersOf(`/api/v1/namespaces/${namespace}`)).toEqual(['m']);
    expect(await send('PUT', `/api/v1/namespaces/${namespace}/status`, space)).toBe(200);
    expect(await managersOf(`/api/v1/namespaces/${namespace}`)).toEqual(['m']);
  });

  test('clears the records in-process', async () => {
    const maps = own.test.client.resource(ConfigMap).namespace('default');
    const name = await made(MAPS, map);
    await maps.patch(name, { metadata: { managedFields }, data: { k: 'w' } } as never);
    expect((await maps.get(name)).metadata.managedFields).toBeUndefined();
    const other = await made(MAPS, map);
    await maps.update({ metadata: { name: other, managedFields }, data: { k: 'w' } } as never);
    expect((await maps.get(other)).metadata.managedFields).toBeUndefined();
  });
});

describe('a custom resource', () => {
  test('loses its records by one empty entry', async () => {
    for (const [method, type] of [
      ['PUT', 'application/json'],
      ['PATCH', MERGE],
    ] as const) {
      const name = await made(ROCKETS, rocket);
      const body = { ...rocket(name, { managedFields: [{}] }), spec: { size: 2 } };
      expect(await send(method, `${ROCKETS}/${name}`, body, type)).toBe(200);
      expect(await managersOf(`${ROCKETS}/${name}`)).toBeUndefined();
    }
  });

  test('keeps them when the list is empty, which its decoder drops', async () => {
    const name = await made(ROCKETS, rocket);
    const empty = rocket(name, { managedFields: [] });
    for (const [method, body, type] of [
      ['PUT', empty, 'application/json'],
      ['PATCH', empty, MERGE],
      ['PATCH', [{ op: 'remove', path: `${PATH}/0` }], JSON_PATCH],
    ] as const) {
      expect(await send(method, `${ROCKETS}/${name}`, body, type)).toBe(200);
      expect(await managersOf(`${ROCKETS}/${name}`)).toEqual(['m']);
    }
  });
});

test('a JSON Patch that removes the only record clears; one that removes all of the list, or one of two, does not', async () => {
  const remove = (path: string): Json[] => [{ op: 'remove', path }];
  const name = await made(MAPS, map);
  const path = `${MAPS}/${name}`;
  expect(await send('PATCH', path, remove(PATH), JSON_PATCH)).toBe(200);
  expect(await managersOf(path)).toEqual(['m']);
  await own.send('PATCH', `${path}?fieldManager=other`, { data: { o: 'p' } }, { 'content-type': MERGE });
  expect(await send('PATCH', path, remove(`${PATH}/0`), JSON_PATCH)).toBe(200);
  expect(await managersOf(path)).toEqual(['other']);
  const change = { op: 'replace', path: '/data/k', value: 'w' };
  expect(await send('PATCH', path, [...remove(`${PATH}/0`), change], JSON_PATCH)).toBe(200);
  expect(await managersOf(path)).toBeUndefined();
});
