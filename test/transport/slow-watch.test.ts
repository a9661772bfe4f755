/** A watch over HTTP whose client does not read is ended; what it did not read is not buffered. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { systemClock } from '../../src/foundation/index.js';
import { isStream, type ApiRequest, type ApiResponse, type TakeChunk } from '../../src/server/requests/http.js';
import { listen } from '../../src/transport/node/index.js';
import { ManualClock } from './support/manual-clock.js';

const TEXT = 'x'.repeat(60_000);
const UPDATES = 600;
const WRITE_MS = 40_000;
const CHECK_MS = 1_000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([
  ['taken', true],
  ['iterated', false],
])('a watch that is not read ends after writeMs, and most of its events are never %s', async (_name, takes) => {
  const server = new ApiServer({
    clock: systemClock,
    limits: { historyBytes: 4 << 20 },
    authentication: { tokens: [{ token: 'secret', user: { username: 'ann', groups: ['system:masters'] } }] },
  });
  let [taken, ended] = [0, false];
  /** Counts the bytes that the transport takes from a stream. */
  async function* counted(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) {
        taken += chunk.length;
        yield chunk;
      }
    } finally {
      ended = true;
    }
  }
  const handle = async (request: ApiRequest): Promise<ApiResponse> => {
    const response = await server.target.handle(request);
    if (!isStream(response.body)) return response;
    const { stream, take } = response.body;
    const takeCounted: TakeChunk = (ready) => {
      const chunk = take?.(ready) ?? 'next';
      if (typeof chunk !== 'string') taken += chunk.length;
      return chunk;
    };
    return { ...response, body: { stream: counted(stream), take: takes ? takeCounted : undefined } };
  };
  const clock = new ManualClock();
  const timeouts = { headers: 30_000, request: 60_000, idle: 90_000, write: WRITE_MS, linger: 4_000 };
  const listener = await listen({ handle }, { clock, timeouts, webSocket: { ping: 0 } });
  const socket = connect(listener.address.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET /api/v1/configmaps?watch=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n\r\n');
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString()).toContain('200 OK');
  socket.pause();

  const maps = server.client().resource(ConfigMap).namespace('default');
  await maps.create({ metadata: { name: 'a' } });
  for (let update = 0; update < UPDATES; update += 1) {
    await maps.update({ metadata: { name: 'a' }, data: { text: TEXT, update: String(update) } });
    await turn();
  }
  // As much as the host buffers for the connection, and one event that waits.
  expect(taken).toBeLessThan((UPDATES * TEXT.length) / 2);
  expect(listener.connections).toBe(1);
  for (let passed = 0; passed < WRITE_MS + 8 * CHECK_MS; passed += CHECK_MS) {
    clock.advance(CHECK_MS);
    await turn();
  }
  await expect.poll(() => listener.connections).toBe(0);
  await expect.poll(() => ended).toBe(true);
  socket.destroy();
  await listener.close({ grace: 0 });
  await server.close();
});
