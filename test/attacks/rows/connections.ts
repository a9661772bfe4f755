/** Connections: resets, heads and bodies that never end, floods of header fields, WebSockets. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  continued,
  emptyData,
  fieldsOfTable,
  ping,
  priorities,
  resetRequest,
  sendFrames,
  settings,
  windowless,
  windows,
  type Frames,
} from '../http2-frames.js';
import type { Answer, Row } from '../row.js';
import { TOKENS } from '../users.js';
import type { World } from '../world.js';
import { configMap, fill, MAPS } from '../kinds.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const DONE: Answer = { status: 0, text: '', bytes: 0 };

/** Duration of these attacks, in milliseconds. */
const DURATION_MS = 4_000;

/**
 * Sends frames of HTTP/2, and opens a new connection whenever the server closes one.
 *
 * @returns an answer with the number of steps as its bytes
 */
async function floods(world: World, frames: Frames, signal: AbortSignal): Promise<readonly Answer[]> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(DURATION_MS)]);
  let count = 0;
  while (!ended.aborted) count += await sendFrames(world.urls.secure, frames, ended);
  return [{ ...DONE, bytes: count }];
}

const reset = (world: World, path: string, signal: AbortSignal): Promise<readonly Answer[]> =>
  floods(world, resetRequest(path, TOKENS.view), signal);

function socketTo(world: World): Socket {
  const { hostname, port } = new URL(world.urls.plain);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

/** Opens connections that send the parts of a text with pauses. */
async function slowly(
  world: World,
  count: number,
  head: string,
  part: string,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  const sockets = Array.from({ length: count }, () => socketTo(world));
  for (const socket of sockets) {
    socket.write(head);
    socket.resume();
  }
  const end = performance.now() + DURATION_MS;
  while (performance.now() < end && !signal.aborted) {
    await pause(100);
    for (const socket of sockets) if (!socket.destroyed) socket.write(part);
  }
  for (const socket of sockets) socket.destroy();
  return [DONE];
}

/** Sends a text on each of some connections, and reads the answers. @param mostMs when a connection is given up */
async function written(world: World, count: number, text: string, mostMs = DURATION_MS): Promise<readonly Answer[]> {
  const one = (): Promise<Answer> =>
    new Promise((resolve) => {
      const socket = socketTo(world);
      let answer = '';
      let bytes = 0;
      const timer = setTimeout(() => socket.destroy(), mostMs);
      socket.on('data', (data) => {
        bytes += data.length;
        if (answer.length < 2_000) answer += data.toString('latin1');
      });
      socket.on('close', () => {
        clearTimeout(timer);
        resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), text: answer, bytes });
      });
      // A server ends a connection that its client has ended, so the answer would be lost.
      socket.write(text);
    });
  return Promise.all(Array.from({ length: count }, one));
}

/** Sends a short request on each of some connections, and when all are answered, a text on each at once. */
async function writtenWarm(world: World, count: number, text: string): Promise<readonly Answer[]> {
  const sockets = Array.from({ length: count }, () => socketTo(world));
  const next = (socket: Socket): Promise<Answer> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => socket.destroy(), 2 * DURATION_MS);
      const end = (answer: Answer): void => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('close');
        resolve(answer);
      };
      socket.once('data', (data) => {
        const answer = data.toString('latin1');
        end({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), text: answer, bytes: data.length });
      });
      socket.once('close', () => end(DONE));
    });
  const all = (message: string): Promise<readonly Answer[]> => {
    const answers = sockets.map(next);
    for (const socket of sockets) socket.write(message);
    return Promise.all(answers);
  };
  await all(`${headOf('GET', '/api')}\r\n`);
  const answers = await all(text);
  for (const socket of sockets) socket.destroy();
  return answers;
}

/** Keeps a number of connections open that send one request each, and opens another for each that ends. */
async function renewed(world: World, count: number, fields: string, signal: AbortSignal): Promise<readonly Answer[]> {
  const text = `${headOf('GET', MAPS)}${fields}connection: close\r\n\r\n`;
  const end = performance.now() + DURATION_MS;
  const answers: Answer[] = [];
  const one = async (): Promise<void> => {
    while (performance.now() < end && !signal.aborted) answers.push(...(await written(world, 1, text)));
  };
  await Promise.all(Array.from({ length: count }, one));
  return answers;
}

/** The first message of a TLS client. */
async function clientHello(): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  const client = connectTls({ port, host: '127.0.0.1' }).on('error', () => undefined);
  const [socket] = (await asked) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  server.close();
  return hello;
}

/** Opens connections to the port with TLS, and begins the handshakes of all at once. */
async function handshakes(world: World, count: number): Promise<readonly Answer[]> {
  const hello = await clientHello();
  const { hostname, port } = new URL(world.urls.secure);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => undefined));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const answers = sockets.map((socket) => Promise.race([once(socket, 'data'), once(socket, 'close')]));
  for (const socket of sockets) socket.write(hello);
  await Promise.all(answers);
  for (const socket of sockets) socket.destroy();
  return answers.map(() => DONE);
}

/** The head of a request, without the line that ends it. Its host is one that the plain port answers. */
const headOf = (method: string, path: string, fields = ''): string =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKENS.none}\r\n${fields}`;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
/** Fields of a body in chunks. */
const CHUNKED = 'content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
const ANY = [0, 200, 201, 400, 408, 411, 413, 414, 429, 431, 501, 505];

const row = (name: string, sends: Row['sends'], more: Partial<Row> = {}): Row => ({
  name,
  rights: 'none',
  statuses: ANY,
  sends,
  ...more,
});

/** Paths that exist are allowed; the attacker may not know which others do. */
const FORBIDDEN = { statuses: [...ANY, 403] };

/** A key of WebSockets, and the head of an upgrade. */
const upgrade = (path: string): string =>
  headOf(
    'GET',
    path,
    'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  ).replace(TOKENS.none, TOKENS.view);

/** A masked frame of a client. @param first the byte with the opcode */
function frame(first: number, length: number): string {
  const size =
    length < 126
      ? String.fromCharCode(0x80 | length)
      : `\xff\0\0\0\0\0${String.fromCharCode((length >> 16) & 255, (length >> 8) & 255, length & 255)}`;
  return `${String.fromCharCode(first)}${size}\0\0\0\0${'\0'.repeat(length)}`;
}
const [PART, MORE, PING, TEXT] = [0x02, 0x00, 0x89, 0x81];

/** Opens WebSockets that watch, sends bytes on each of them, and looks at nothing that comes. */
async function unread(
  world: World,
  count: number,
  bytes: string,
  rounds: number,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  const sockets = Array.from({ length: count }, () => socketTo(world));
  for (const socket of sockets) socket.write(upgrade(`${MAPS}?watch=1`));
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'readable'), once(socket, 'close')])));
  const sent = Buffer.from(bytes, 'latin1');
  const end = performance.now() + DURATION_MS;
  for (let round = 0; round < rounds && performance.now() < end && !signal.aborted; round += 1) {
    for (const socket of sockets) if (!socket.destroyed && socket.writableLength < 4 * sent.length) socket.write(sent);
    await pause(20);
  }
  await pause(DURATION_MS / 2);
  for (const socket of sockets) socket.destroy();
  return [DONE];
}

const WEB_SOCKETS: readonly Row[] = [
  row(
    '300 WebSockets that ping and read nothing',
    (world, signal) => unread(world, 300, frame(PING, 100).repeat(600), 1_000, signal),
    { rights: 'view', heapMb: 256 },
  ),
  row(
    '1,900 WebSockets with a part of 250 KB and a ping',
    (world, signal) => unread(world, 1_900, frame(PART, 250_000) + frame(PING, 0), 1, signal),
    { rights: 'view', heapMb: 256 },
  ),
  row(
    '500 WebSockets of parts of a byte',
    (world, signal) => unread(world, 500, frame(PART, 1) + frame(MORE, 1).repeat(15_000), 1, signal),
    { rights: 'view', heapMb: 256 },
  ),
  row(
    '1,900 WebSockets whose messages begin with the end of another',
    (world, signal) =>
      unread(world, 1_900, frame(TEXT, 0).repeat(2) + frame(PART, 200_000).slice(0, 60_000), 1, signal),
    { rights: 'view', heapMb: 256 },
  ),
  row('1,900 WebSockets that do not close', (world, signal) => unread(world, 1_900, frame(0x88, 2), 200, signal), {
    rights: 'view',
  }),
];

/** Sends some frames on each of some connections, and keeps the connections. */
async function held(
  world: World,
  count: number,
  frames: Frames,
  burst: number,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(DURATION_MS)]);
  const pace = { burst, pauseMs: 2 * DURATION_MS };
  const one = (): Promise<number> => sendFrames(world.urls.secure, frames, ended, pace);
  const counts = await Promise.all(Array.from({ length: count }, one));
  return counts.map((bytes) => ({ ...DONE, bytes }));
}

const HTTP2: readonly Row[] = [
  row('HTTP/2 frames of a body without a byte', (world, signal) =>
    floods(world, emptyData(REVIEWS, TOKENS.none), signal),
  ),
  row('HTTP/2 heads that go on and on', (world, signal) => floods(world, continued('/api', TOKENS.none), signal)),
  row('HTTP/2 priorities', (world, signal) => floods(world, priorities, signal)),
  row('HTTP/2 windows that grow by a byte', (world, signal) => floods(world, windows, signal)),
  row(
    'HTTP/2 lists without a window, 100 on each of 50 connections',
    (world, signal) => held(world, 50, windowless(MAPS, TOKENS.view), 100, signal),
    {
      rights: 'view',
      heapMb: 256,
      prepare: (world) => fill(world, MAPS, 500, (index) => configMap(`m-${index}`, { a: 'b'.repeat(1_000) })),
    },
  ),
  row('500 HTTP/2 connections that say nothing', (world, signal) => held(world, 500, settings, 1, signal)),
];

/** The rows. */
export const connections: readonly Row[] = [
  ...([1, 2, 8] as const).map((count) =>
    row(
      `HTTP/2 resets of lists on ${count} connections`,
      async (world, signal) => {
        const answers = await Promise.all(Array.from({ length: count }, () => reset(world, MAPS, signal)));
        return answers.flat();
      },
      {
        rights: 'view',
        prepare: (world) => fill(world, MAPS, 500, (index) => configMap(`m-${index}`, { a: 'b'.repeat(1_000) })),
      },
    ),
  ),
  row('HTTP/2 resets, thousands in one write', async (world, signal) => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(DURATION_MS)]);
    const frames = resetRequest('/api', TOKENS.none);
    let bytes = 0;
    while (!ended.aborted) bytes += await sendFrames(world.urls.secure, frames, ended, { burst: 10_000, pauseMs: 0 });
    return [{ ...DONE, bytes }];
  }),
  row('HTTP/2 resets below the limit of each of 50 connections', async (world, signal) => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(DURATION_MS)]);
    const frames = resetRequest('/api', TOKENS.none);
    const one = (): Promise<number> => sendFrames(world.urls.secure, frames, ended, { burst: 15, pauseMs: 1_000 });
    const counts = await Promise.all(Array.from({ length: 50 }, one));
    return counts.map((bytes) => ({ ...DONE, bytes }));
  }),
  row('HTTP/2 resets of a path that does not exist', (world, signal) => reset(world, '/none', signal)),
  ...([1, 20] as const).map((count) =>
    row(`HTTP/2 fields of the table on ${count} connections`, async (world, signal) => {
      const frames = fieldsOfTable('/api', TOKENS.none, 900);
      return (await Promise.all(Array.from({ length: count }, () => floods(world, frames, signal)))).flat();
    }),
  ),
  row('HTTP/2 pings', (world, signal) => floods(world, ping, signal)),
  row('HTTP/2 settings', (world, signal) => floods(world, settings, signal)),
  row('1,000 heads that do not end', (world, signal) =>
    slowly(world, 1_000, headOf('GET', '/api'), 'x: y\r\n', signal),
  ),
  row('1,000 heads of 60 KB that do not end', (world, signal) =>
    slowly(world, 1_000, headOf('GET', '/api', 'x-field: some value\r\n'.repeat(2_800)), 'x: y\r\n', signal),
  ),
  row('1,000 bodies that do not end', (world, signal) =>
    slowly(
      world,
      1_000,
      headOf('POST', REVIEWS, 'content-type: application/json\r\ncontent-length: 2000000\r\n\r\n'),
      '{"a":1,',
      signal,
    ),
  ),
  row('200 bodies that end at their last byte', (world, signal) =>
    slowly(
      world,
      200,
      `${headOf('POST', REVIEWS, 'content-type: application/json\r\ncontent-length: 2000000\r\n\r\n')}${' '.repeat(1_900_000)}`,
      ' ',
      signal,
    ),
  ),
  row('500 chunked bodies of single bytes', (world) =>
    written(world, 500, `${headOf('POST', REVIEWS, CHUNKED)}${'1\r\n \r\n'.repeat(5_000)}0\r\n\r\n`),
  ),
  row('chunked bodies of 500 KB in single bytes', (world) =>
    written(world, 4, `${headOf('POST', REVIEWS, CHUNKED)}${'1\r\n \r\n'.repeat(500_000)}0\r\n\r\n`, 10 * DURATION_MS),
  ),
  row('chunked bodies with long extensions', (world) =>
    written(world, 50, `${headOf('POST', REVIEWS, CHUNKED)}${`1;${'e'.repeat(15_000)}\r\n \r\n`.repeat(50)}0\r\n\r\n`),
  ),
  row('header fields at their limit, 500 times', (world) =>
    written(
      world,
      500,
      `${headOf('GET', '/api', Array.from({ length: 1_900 }, (_, i) => `x-${i}: ${'v'.repeat(20)}\r\n`).join(''))}connection: close\r\n\r\n`,
    ),
  ),
  row('header fields at their limit, 500 times on connections in use', (world) =>
    writtenWarm(
      world,
      500,
      `${headOf('GET', '/api', Array.from({ length: 1_900 }, (_, i) => `x-${i}: ${'v'.repeat(20)}\r\n`).join(''))}\r\n`,
    ),
  ),
  row('200 chunked bodies of single bytes on connections in use', (world) =>
    writtenWarm(
      world,
      200,
      `${headOf('POST', REVIEWS, CHUNKED.replace('connection: close\r\n', ''))}${'1\r\n \r\n'.repeat(5_000)}0\r\n\r\n`,
    ),
  ),
  row('400 TLS handshakes at once', (world) => handshakes(world, 400)),
  row('one header field many times', (world) =>
    written(
      world,
      200,
      `${headOf('GET', '/api', 'accept: application/json\r\n'.repeat(1_900))}connection: close\r\n\r\n`,
    ),
  ),
  row('media types in one header field', (world) =>
    written(
      world,
      200,
      `${headOf('GET', '/api', `accept: ${'application/json;q=0.1,'.repeat(2_500)}*/*\r\n`)}connection: close\r\n\r\n`,
    ),
  ),
  row('media types with many parameters', (world) =>
    written(
      world,
      200,
      `${headOf('GET', '/api', `accept: application/json${';a="\\\\"'.repeat(8_000)}\r\n`)}connection: close\r\n\r\n`,
    ),
  ),
  row(
    'paths at their limit',
    (world) => written(world, 300, `${headOf('GET', `/api/v1/${'a/'.repeat(15_000)}`)}connection: close\r\n\r\n`),
    FORBIDDEN,
  ),
  row(
    'escaped paths',
    (world) =>
      written(world, 300, `${headOf('GET', `/api/v1/namespaces/${'%2e'.repeat(10_000)}`)}connection: close\r\n\r\n`),
    FORBIDDEN,
  ),
  row('requests in a row on one connection', (world) =>
    written(
      world,
      4,
      `${headOf('GET', '/api', '\r\n').repeat(5_000)}${headOf('GET', '/api', 'connection: close\r\n\r\n')}`,
    ),
  ),
  row(
    'wrong tokens',
    (world) =>
      written(world, 500, `${headOf('GET', '/api').replace(TOKENS.none, 'x'.repeat(40_000))}connection: close\r\n\r\n`),
    {
      statuses: [0, 401, 429],
    },
  ),
  row(
    'tokens that look signed',
    (world) =>
      written(
        world,
        300,
        `${headOf('GET', '/api').replace(TOKENS.none, `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from(`{"iss":"https://kubernetes.default.svc","aud":[${'"a",'.repeat(5_000)}"a"]}`).toString('base64url')}.AAAA`)}connection: close\r\n\r\n`,
      ),
    {
      statuses: [0, 401, 429],
    },
  ),
  row(
    '2,000 connections that open and close',
    async (world) => {
      const all: Answer[] = [];
      for (let round = 0; round < 10; round += 1)
        all.push(...(await written(world, 200, `${headOf('GET', '/api')}connection: close\r\n\r\n`)));
      return all;
    },
    { statuses: [200] },
  ),
  ...[0, 60_000].map((characters) =>
    row(
      `200 connections at once with a request of ${characters} characters each, again and again`,
      (world, signal) => renewed(world, 200, `x: ${'a'.repeat(characters)}\r\n`, signal),
      { statuses: [401, 403] },
    ),
  ),
  row(
    '200 WebSockets that watch and send',
    (world, signal) => slowly(world, 200, upgrade(`${MAPS}?watch=1`), '\x81\x80\0\0\0\0'.repeat(500), signal),
    { rights: 'view' },
  ),
  row(
    'WebSockets with messages in many parts',
    (world, signal) => slowly(world, 50, upgrade(`${MAPS}?watch=1`), '\x00\x80\0\0\0\0'.repeat(2_000), signal),
    { rights: 'view' },
  ),
  ...HTTP2,
  ...WEB_SOCKETS,
];
