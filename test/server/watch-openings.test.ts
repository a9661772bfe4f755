/** A client that opens many watches at a time waits for itself: each opens in a slice of its flow. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { ask, streamOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const WATCHES = 20;

let server: ApiServer;
beforeEach(async () => {
  server = new ApiServer({
    authentication: {
      tokens: ['crowd', 'other'].map((token) => ({ token, user: { username: token, groups: ['system:masters'] } })),
    },
  });
  await server
    .client()
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'a' } });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

/** Opens watches in one turn, and calls back as each has opened. */
async function open(count: number, token: string, opened: (index: number) => void): Promise<void> {
  const streams = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const stream = streamOf(await ask(server, 'GET', `${MAPS}?watch=1&labelSelector=a!%3D${index}`, { token }));
      opened(index);
      return stream;
    }),
  );
  for (const stream of streams) await stream.return?.();
}

test('watches of one turn open in several, one after another', async () => {
  const order: number[] = [];
  const perTurn: number[] = [];
  const opening = open(WATCHES, 'crowd', (index) => order.push(index));
  while (order.length < WATCHES) {
    const before = order.length;
    await nextTurn();
    perTurn.push(order.length - before);
  }
  await opening;
  // The first one opens at once, and the second one in the next turn.
  expect(perTurn[0]).toBeLessThanOrEqual(2);
  expect(Math.max(...perTurn.slice(1))).toBe(1);
  expect(order).toEqual(Array.from({ length: WATCHES }, (_, index) => index));
});

test('others are served between them, and their watches open in turn', async () => {
  const log: string[] = [];
  // Each piece of work takes as long as any other.
  let nowMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
  const opening = open(WATCHES, 'crowd', () => log.push('crowd'));
  const others = open(3, 'other', () => log.push('other'));
  const read = ask(server, 'GET', `${MAPS}/a`, { token: 'other' }).then(({ status }) => log.push(`read ${status}`));
  await Promise.all([opening, others, read]);
  expect(log.indexOf('read 200')).toBeLessThanOrEqual(1);
  expect(log.lastIndexOf('other')).toBeLessThan(10);
});

test('a watch on its own opens at once', async () => {
  await open(1, 'crowd', () => undefined);
  await nextTurn();
  let opened = false;
  const opening = open(1, 'crowd', () => (opened = true));
  for (let microtasks = 0; microtasks < 200; microtasks += 1) await Promise.resolve();
  expect(opened).toBe(true);
  await opening;
});
