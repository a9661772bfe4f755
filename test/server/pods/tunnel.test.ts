/** Port forwarding as kubectl does it: a connection of SPDY/3.1 through a WebSocket. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { errors } from '../../../src/foundation/errors/api-error.js';
import { Pod } from '../../../src/kinds/builtin/index.js';
import type { PortConnection } from '../../../src/entries/index.js';
import type { TestServer } from '../../../src/entries/testing.js';
import { headerDictionary } from '../../../src/server/connect/spdy/header-dictionary.js';
import type { WebSocketAnswer } from '../../../src/server/requests/http.js';
import { requestOf } from '../ask.js';
import { adler32 } from './adler32.js';
import { framesOf, SpdyClient } from './spdy-client.js';
import { OWNER, podOf, startWorld } from './world.js';
import { PATIENCE } from '../../support/patience.js';

const decoder = new TextDecoder();
let world: TestServer;
let serve: (connection: PortConnection) => Promise<void>;
let client: SpdyClient;
let answer: WebSocketAnswer;
let frames: string[];
let ended: Promise<void>;

const has = (...expected: string[]): Promise<void> =>
  vi.waitFor(() => expect(frames).toEqual(expect.arrayContaining(expected)), PATIENCE);

const send = async (...parts: (Buffer | Promise<Buffer>)[]): Promise<void> => {
  for (const part of parts) await answer.receive?.(new Uint8Array(await part));
};

const pair = (requestid: string, port: string, ids: readonly [number, number]): Promise<Buffer>[] => [
  client.open(ids[0], { streamtype: 'error', port, requestid }, true),
  client.open(ids[1], { streamtype: 'data', port, requestid }),
];

beforeEach(async () => {
  serve = async ({ port, data, write }) => {
    for await (const chunk of data) await write(`${port}:${decoder.decode(chunk)}`);
  };
  world = await startWorld({ handlers: { pods: { portForward: (_pod, connection) => serve(connection) } } });
  await world.client
    .resource(Pod)
    .namespace('default')
    .create(podOf('p', { spec: { nodeName: 'n' } }));
  client = new SpdyClient();
  const outcome = await world.server.target.handleWebSocket(
    requestOf('GET', '/api/v1/namespaces/default/pods/p/portforward', {
      token: OWNER,
      headers: { 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' },
    }),
  );
  if ('refuse' in outcome) throw new Error(`refused with ${outcome.refuse.status}`);
  answer = outcome.accept;
  ({ frames, ended } = framesOf(answer));
});

afterEach(async () => {
  answer.closed?.();
  await ended;
  await world.close();
});

describe('a tunnel', () => {
  test('compresses with the dictionary of the protocol', () => {
    expect(answer.protocol).toBe('SPDY/3.1+portforward.k8s.io');
    // The checksum by which compressed texts name the dictionary.
    expect(adler32(headerDictionary())).toBe(0xe3c6a7c2);
  });

  test('serves connections one after the other, and at the same time', async () => {
    await send(...pair('0', '80', [1, 3]), ...pair('1', '81', [5, 7]));
    await send(client.data(7, 'b'), client.data(3, 'a', true));
    await has('reply 1', 'reply 3', 'reply 5', 'reply 7', 'data 7 81:b', 'data 3 80:a', 'data 3 fin', 'data 1 fin');
    await send(...pair('2', '82', [9, 11]), client.data(11, 'c', true));
    await has('data 11 82:c', 'data 11 fin', 'data 9 fin');
    expect(frames).not.toContain('data 7 fin');
  });

  test('takes frames that are cut anywhere', async () => {
    const all = Buffer.concat([...(await Promise.all(pair('0', '80', [1, 3]))), client.data(3, 'text', true)]);
    for (const byte of all) await answer.receive?.(Uint8Array.of(byte));
    await has('data 3 80:text', 'data 3 fin');
  });

  test('tells why a connection fails, if the handler does so with an ApiError', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    serve = async ({ port }) => {
      throw port === 80 ? errors.badRequest('no listener') : new Error('secret');
    };
    await send(...pair('0', '80', [1, 3]), ...pair('1', '81', [5, 7]));
    await has(
      'data 1 error forwarding port 80 to pod p: no listener',
      'data 5 error forwarding port 81 to pod p',
      ...['data 3 fin', 'data 1 fin', 'data 7 fin', 'data 5 fin'],
    );
    expect(logged).toHaveBeenCalledTimes(1);
    logged.mockRestore();
  });

  test('resets streams that belong to no connection, and answers pings', async () => {
    await send(
      client.ping(1),
      client.open(1, { streamtype: 'other', port: '80', requestid: '0' }),
      client.open(3, { streamtype: 'data', port: '0', requestid: '0' }),
      client.open(5, { streamtype: 'data', port: '80' }),
      client.open(7, { streamtype: 'data', port: '80', requestid: '1' }),
      client.open(9, { streamtype: 'data', port: '80', requestid: '1' }),
      client.open(7, { streamtype: 'error', port: '80', requestid: '1' }),
    );
    await has('ping 1', 'reset 1 1', 'reset 3 1', 'reset 5 1', 'reset 9 1', 'reset 7 3');
  });

  test('is not read while a handler does not read, and goes on when that handler ends', async () => {
    let leave = (): void => undefined;
    serve = ({ port, data, write }) =>
      port === 80
        ? new Promise((resolve) => (leave = resolve))
        : (async () => {
            for await (const chunk of data) await write(decoder.decode(chunk));
          })();
    await send(...pair('0', '80', [1, 3]), ...pair('1', '81', [5, 7]));
    const large = 'x'.repeat(256 * 1024);
    for (let sent = 0; sent < 3; sent += 1) await send(client.data(3, large));
    let isTaken = false;
    const waiting = send(client.data(3, large)).then(() => (isTaken = true));
    await has('reply 7');
    expect(isTaken).toBe(false);
    leave();
    await waiting;
    await send(client.data(7, 'next'));
    await has('data 7 next');
  });

  test('a stream that the client resets ends its input', async () => {
    const seen: string[] = [];
    serve = async ({ data }) => {
      for await (const chunk of data) seen.push(decoder.decode(chunk));
      seen.push('end');
    };
    await send(...pair('0', '80', [1, 3]), client.data(3, 'a'));
    await vi.waitFor(() => expect(seen).toEqual(['a']), PATIENCE);
    await send(client.reset(3));
    await vi.waitFor(() => expect(seen).toEqual(['a', 'end']), PATIENCE);
  });

  test('a pair of which the client resets one stream can be opened again', async () => {
    await send(
      client.open(1, { streamtype: 'data', port: '80', requestid: '1' }),
      client.reset(1),
      ...pair('1', '81', [3, 5]),
      client.data(5, 'a'),
    );
    await has('data 5 81:a');
    expect(frames).not.toContain('reset 5 1');
  });

  test('bounds the handlers that go on after the client has reset their streams', async () => {
    let running = 0;
    serve = () => {
      running += 1;
      return new Promise(() => undefined);
    };
    for (let id = 1; id <= 4 * 501; id += 4)
      await send(...pair(String(id), '80', [id, id + 2]), client.reset(id), client.reset(id + 2));
    await has('reset 2003 1');
    expect(running).toBe(500);
  });

  test.each([
    ['another version', Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])],
    ['a frame that is too long', Buffer.from([0, 0, 0, 1, 0, 0xff, 0xff, 0xff])],
    ['a frame that is too short', Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 0])],
    ['headers that are not compressed', Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 9])],
  ])('%s ends the connection', async (_name, frame) => {
    await send(frame);
    await ended;
  });

  test('ends with the server', async () => {
    await send(...pair('0', '80', [1, 3]));
    const closing = world.close();
    await ended;
    await closing;
  });
});
