/** A server on a store of which no texts stay in memory answers as one on a store in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controllerNames } from '../../src/entries/controllers.js';
import { ApiServer, ConfigMap, systemClock } from '../../src/entries/index.js';
import { stampRevision } from '../../src/registry/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import type { Storage } from '../../src/storage/storage.js';
import { turnsDuring } from '../support/turns.js';
import { ask, received, textOf } from './ask.js';

const MANY = 1_500;
const META = 'g=meta.orch.io;v=v1';
const MAPS = '/api/v1/namespaces/many/configmaps';

const directory = mkdtempSync(join(tmpdir(), 'cold-'));
const path = join(directory, 'store.db');
let cold: ApiServer;
let warm: ApiServer;

function serverOn(storage: Storage): ApiServer {
  return new ApiServer({
    storage,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    controllers: { disable: controllerNames },
  });
}

const openCold = (): Promise<Storage> =>
  openSqliteStorage({ path, clock: systemClock, durability: 'relaxed', stampRevision, cacheObjects: 0 });

async function fill(server: ApiServer): Promise<void> {
  await received(
    await ask(server, 'POST', '/api/v1/namespaces', {
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'many' } }),
    }),
  );
  const maps = server.client().resource(ConfigMap).namespace('many');
  for (let index = 0; index < MANY; index += 1)
    await maps.create({
      metadata: { name: `m${index}`, labels: { third: String(index % 3) }, annotations: { note: 'größer' } },
      data: { text: 'x'.repeat(1000) },
    });
}

beforeAll(async () => {
  const filled = serverOn(await openCold());
  await fill(filled);
  await filled.close();
  cold = serverOn(await openCold());
  warm = serverOn(createMemoryStorage({ clock: systemClock }));
  await fill(warm);
}, 300_000);
afterAll(async () => {
  await cold.close();
  await warm.close();
  rmSync(directory, { recursive: true });
});

/** A body without what differs between two servers that were filled alike. */
const comparable = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"?resourceVersion"?: ?"\d+"/g, 'REVISION')
    .replace(/"?continue"?: ?[\w"-]+/g, 'CONTINUE')
    .replace(/"(\d+[smh])+"/g, 'AGE');

async function body(server: ApiServer, target: string, accept: string): Promise<string> {
  const answer = await received(await ask(server, 'GET', target, { headers: { accept } }));
  expect(answer.status).toBe(200);
  return textOf(answer);
}

describe.each([
  ['the stored form', 'application/json', ''],
  ['indented JSON', 'application/json', 'pretty=true&'],
  ['YAML', 'application/yaml', ''],
  ['a Table', `application/json;as=Table;${META}`, ''],
  ['a Table with whole objects', `application/json;as=Table;${META}`, 'includeObject=Object&'],
  ['metadata only', `application/json;as=PartialObjectMetadataList;${META}`, ''],
])('%s', (_name, accept, query) => {
  test.each([
    ['everything, twice', ''],
    ['a page', 'limit=100'],
    ['by a label', 'labelSelector=third%3D1'],
    ['by a label, a page', 'labelSelector=third%3D1&limit=50'],
    ['by a name', 'fieldSelector=metadata.name%3Dm77'],
  ])('%s', async (_selection, selection) => {
    const target = `${MAPS}?${query}${selection}`;
    const expected = comparable(await body(warm, target, accept));
    expect(comparable(await body(cold, target, accept))).toBe(expected);
    // A list that is requested again may be kept.
    expect(comparable(await body(cold, target, accept))).toBe(expected);
  });
});

test('a list of everything is read from the store in slices', async () => {
  const target = `${MAPS}?labelSelector=third`;
  await body(cold, target, 'application/json');
  const turns = await turnsDuring(() => body(cold, target, 'application/json'));
  expect(turns).toBeGreaterThan(100);
});

test('watches with a selector see objects come and go, which takes the version before', async () => {
  const maps = cold.client().resource(ConfigMap).namespace('many');
  const abort = new AbortController();
  const seen: string[] = [];
  const { metadata } = await maps.list({ limit: 1 });
  const watch = maps.watch({
    labelSelector: 'third=1',
    resourceVersion: metadata.resourceVersion,
    signal: abort.signal,
  });
  const reading = (async () => {
    for await (const event of watch) {
      if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue;
      seen.push(`${event.type} ${event.object.metadata.name ?? ''}`);
      if (seen.length === 3) break;
    }
  })();
  await maps.patch('m0', { metadata: { labels: { third: '1' } } });
  await maps.patch('m1', { metadata: { labels: { third: '2' } } });
  await maps.delete('m4');
  await reading;
  abort.abort();
  expect(seen).toEqual(['ADDED m0', 'DELETED m1', 'DELETED m4']);
});
