import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { decorateStorage } from '../../src/entries/storage.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ApiServer } from '../../src/entries/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { ask, streamOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const WATCHES = 20;

const authentication = { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] };

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer({ dialect: 'kubernetes', authentication });
});
afterEach(() => running.close());

/** A watch that reads on its own. */
interface Reading {
  readonly types: string[];
  ended: boolean;
}

async function reading(): Promise<Reading> {
  const read: Reading = { types: [], ended: false };
  const version = (await running.client.resource(ConfigMap).list()).metadata.resourceVersion;
  const target = `${MAPS}?watch=1&allowWatchBookmarks=1&resourceVersion=${version}`;
  const stream = streamOf(await ask(running.server, 'GET', target));
  void (async () => {
    for (;;) {
      const { done, value } = await stream.next();
      if (done === true) break;
      const event = JSON.parse(new TextDecoder().decode(value)) as { readonly type: string };
      read.types.push(event.type);
    }
    read.ended = true;
  })();
  return read;
}

test('the ends of watches are spread over their grace, each after its events and a last bookmark', async () => {
  const watches = await Promise.all(Array.from({ length: WATCHES }, reading));
  await running.client
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'a' } });
  // Another kind, so that a bookmark has news.
  await running.client
    .resource(ConfigMap)
    .namespace('kube-system')
    .create({ metadata: { name: 'b' } });
  await running.settled();
  const ended = (): number => watches.filter((watch) => watch.ended).length;
  const closed = running.server.close({ watchGrace: '10s' });
  const counts: number[] = [];
  for (let second = 1; second <= 10; second += 1) {
    await running.clock.advance('1s');
    counts.push(ended());
  }
  await closed;
  expect(counts).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20].map((count) => expect.closeTo(count, -0.5)));
  for (const watch of watches) expect(watch.types).toEqual(['ADDED', 'BOOKMARK']);
});

test('without a grace all end at once', async () => {
  const watches = await Promise.all(Array.from({ length: WATCHES }, reading));
  await running.server.close();
  await running.clock.advance(0);
  expect(watches.every((watch) => watch.ended)).toBe(true);
});

test('a watch that begins during the grace ends with the last of the others', async () => {
  const [first] = [await reading(), await reading()];
  const closed = running.server.close({ watchGrace: '10s' });
  await running.clock.advance('1s');
  expect(first?.ended).toBe(true);
  const late = await reading();
  await running.clock.advance('3s');
  expect(late.ended).toBe(false);
  await running.clock.advance('2s');
  await closed;
  expect(late.ended).toBe(true);
});

test('a storage that hangs while a watch begins does not keep the server from closing', async () => {
  const clock = createManualClock();
  const engine = createMemoryStorage({ clock });
  let isHanging = false;
  const storage = decorateStorage(engine, {
    compactedRevision: () => (isHanging ? new Promise(() => undefined) : engine.compactedRevision()),
  });
  const server = new ApiServer({ storage, clock, dialect: 'kubernetes', authentication });
  await server.client().resource(ConfigMap).list();
  isHanging = true;
  void ask(server, 'GET', `${MAPS}?watch=1`);
  await clock.advance('1s');
  let isClosed = false;
  const closed = (): boolean => (isClosed = true);
  // It may say which part hangs.
  void server.close({ watchGrace: '10s' }).then(closed, closed);
  await clock.advance('10m');
  expect(isClosed).toBe(true);
});
