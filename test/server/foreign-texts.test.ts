/** Stored texts that another program has written: they contain characters that this one escapes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ResourceDefinition } from '../../src/entries/index.js';
import { HorizontalPodAutoscaler } from '../../src/entries/kinds.js';
import { listen } from '../../src/transport/node/index.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/entries/storage.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';

const VALUE = 'größer 日本語 😀';
const MAPS = '/api/v1/namespaces/default/configmaps';
const META = 'g=meta.k8s.io;v=v1';

let storage: Storage;
let running: TestServer;
let url: string;
let stop: () => Promise<void>;

beforeEach(async () => {
  storage = createMemoryStorage({ clock: createManualClock() });
  running = await startTestServer({
    dialect: 'kubernetes',
    storage,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await running.settled();
  const listening = await listen(running.server, { port: 0 });
  url = listening.url;
  stop = () => listening.close();
});
afterEach(async () => {
  await stop();
  await running.close();
});

/** Stores an object as the other program does. */
const put = (path: string, object: { readonly metadata: object } & Record<string, unknown>): Promise<unknown> =>
  storage.create(`/registry/${path}`, (revision) =>
    JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }),
  );

const putMap = (name: string): Promise<unknown> =>
  put(`configmaps/default/${name}`, {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default', annotations: { note: VALUE } },
    data: { value: VALUE },
  });

async function ask(path: string, accept = 'application/json'): Promise<string> {
  const answer = await fetch(url + path, { headers: { accept, authorization: 'Bearer admin' } });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Number of times that an answer contains the value. */
const found = async (path: string, accept?: string): Promise<number> =>
  JSON.stringify(JSON.parse(await ask(path, accept))).split(VALUE).length - 1;

test('arrive in every form of an answer', async () => {
  for (let index = 0; index < 300; index += 1) await putMap(`map-${String(index).padStart(3, '0')}`);
  expect(await found(`${MAPS}/map-007`)).toBe(2);
  // The second one keeps runs of items as bytes, and the third one is made of them.
  for (let round = 0; round < 3; round += 1) expect(await found(MAPS)).toBe(600);
  expect(await found(`${MAPS}?limit=20`)).toBe(40);
  expect(await found(`${MAPS}?labelSelector=${encodeURIComponent('!app')}`)).toBe(600);
  for (let round = 0; round < 2; round += 1) {
    expect(await found(MAPS, `application/json;as=Table;${META}`)).toBe(300);
    expect(await found(MAPS, `application/json;as=PartialObjectMetadataList;${META}`)).toBe(300);
  }
  // YAML escapes what is beyond the basic plane.
  expect((await ask(MAPS, 'application/yaml')).split('größer 日本語').length - 1).toBe(600);
});

test('arrive in watches, also of an object that is deleted', async () => {
  await putMap('map');
  const watch = await fetch(`${url}${MAPS}?watch=true`, { headers: { authorization: 'Bearer admin' } });
  const lines: string[] = [];
  let rest = '';
  await running.client.resource(ConfigMap).namespace('default').delete('map');
  for await (const chunk of watch.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.filter((line) => JSON.parse(line).object.metadata.name === 'map'));
    if (lines.at(-1)?.includes('"DELETED"') === true) break;
  }
  expect(lines.every((line) => JSON.stringify(JSON.parse(line)).split(VALUE).length === 3)).toBe(true);
});

test('of a kind that is read in another version are converted', async () => {
  const scaler: ResourceDefinition = HorizontalPodAutoscaler;
  await put('autoscaling/horizontalpodautoscalers/default/scaler', {
    kind: scaler.kind,
    apiVersion: `autoscaling/${scaler.version}`,
    metadata: { name: 'scaler', namespace: 'default', annotations: { note: VALUE } },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  });
  for (const version of ['v1', 'v2'])
    for (const path of ['', '/scaler'])
      expect(await found(`/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers${path}`)).toBe(1);
});
