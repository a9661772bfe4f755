/** The streams of pods against servers that behave in their own ways. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import {
  connect as connectTcp,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  connect,
  ConnectionLostError,
  type Client,
  type ConnectOptions,
  type HostWebSocket,
} from '../../../src/entries/client.js';
import { Pod } from '../../../src/entries/index.js';
import { createManualClock } from '../../../src/entries/testing.js';

const V4 = 'v4.channel.k8s.io';
const V5 = 'v5.channel.k8s.io';
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listening(server: TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The server of a test. */
interface Peer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  readonly messages: Buffer[];
}

/** A server of WebSockets. @param accept takes a connection; @param upgrade may answer a request for one itself */
async function peer(
  accept: (socket: WebSocket) => void,
  {
    protocol = V5,
    autoPong = true,
    upgrade = () => false,
  }: {
    protocol?: string;
    autoPong?: boolean;
    upgrade?: (request: IncomingMessage, socket: Duplex) => boolean;
  } = {},
): Promise<Peer> {
  const requests: IncomingMessage[] = [];
  const messages: Buffer[] = [];
  const sockets = new WebSocketServer({ noServer: true, autoPong, handleProtocols: () => protocol });
  const server: Server = createServer();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    requests.push(request);
    if (upgrade(request, socket)) return;
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (data: Buffer) => messages.push(data));
      accept(opened);
    });
  });
  closers.push(() => sockets.clients.forEach((socket) => socket.terminate()));
  return { url: await listening(server), requests, messages };
}

async function podsOf(target: Parameters<typeof connect>[0], options: ConnectOptions = {}) {
  const client: Client = await connect(target, { retry: false, ...options });
  closers.push(() => client.close());
  return client.resource(Pod).namespace('default');
}

const frame = (channel: number, text: string): Buffer => Buffer.concat([Buffer.of(channel), Buffer.from(text)]);
const SUCCESS = frame(3, '{"metadata":{},"status":"Success"}');
const end = (socket: WebSocket, status = SUCCESS): void => {
  socket.send(status);
  socket.close(1000);
};

describe('the protocol of streams', () => {
  test('is the newest that the server knows', async () => {
    const { url, requests } = await peer((socket) => end(socket));
    const pods = await podsOf({ url, token: 't' });
    expect(await (await pods.exec('web', ['ls', '-l'], { stdin: true, tty: true })).exitCode).toBe(0);
    const [{ url: path, headers } = { url: '', headers: {} }] = requests;
    expect(path).toBe('/api/v1/namespaces/default/pods/web/exec?command=ls&command=-l&stdin=true&stdout=true&tty=true');
    expect(headers).toMatchObject({ 'sec-websocket-protocol': `${V5},${V4}`, authorization: 'Bearer t' });
  });

  test('may be version 4, which cannot end an input', async () => {
    const { url, messages } = await peer((socket) => void socket.once('message', () => socket.send(frame(1, 'out'))), {
      protocol: V4,
    });
    const pods = await podsOf({ url });
    const session = await pods.exec('web', ['cat'], { stdin: true });
    await session.write('in');
    for await (const chunk of session.stdout) {
      expect(String(Buffer.from(chunk))).toBe('out');
      break;
    }
    expect(messages).toEqual([frame(0, 'in')]);
    await expect(session.end()).rejects.toThrow('its protocol is older than version 5');
    session.close();
    // An input that cannot end would let the command wait for ever.
    await expect((await pods.exec('web', ['cat'], { stdin: 'in' })).exitCode).rejects.toThrow('older than version 5');
  });

  test('must be one of those', async () => {
    const { url } = await peer(() => undefined, { protocol: 'other' });
    await expect((await podsOf({ url })).exec('web', ['ls'])).rejects.toThrow();
  });
});

describe('a Status at the end', () => {
  test.each([
    ['{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"5"}]}}', 5],
    ['{"status":"Failure","reason":"NonZeroExitCode","message":"no code","code":500}', 'no code'],
    ['{"status":"Failure","reason":"InternalError","message":"no container","code":500}', 'no container'],
    ['not a Status', 'not a Status'],
  ])('%s', async (status, outcome) => {
    const { url } = await peer((socket) => end(socket, frame(3, status)));
    const { exitCode } = await (await podsOf({ url })).exec('web', ['ls']);
    if (typeof outcome === 'number') expect(await exitCode).toBe(outcome);
    else await expect(exitCode).rejects.toMatchObject({ name: 'ApiError', code: 500, message: outcome });
  });
});

describe('a connection that does not work', () => {
  test('that is lost fails the streams', async () => {
    const { url } = await peer((socket) => socket.send(frame(1, 'part'), () => socket.terminate()));
    const session = await (await podsOf({ url })).exec('web', ['ls']);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of session.stdout) seen.push(String(Buffer.from(chunk)));
    })();
    await expect(reading).rejects.toThrow(ConnectionLostError);
    expect(seen).toEqual(['part']);
    await expect(session.exitCode).rejects.toThrow(ConnectionLostError);
  });

  test('that ends before the command fails, though it ends in order', async () => {
    const { url } = await peer((socket) => socket.close(1000));
    const session = await (await podsOf({ url })).exec('web', ['ls']);
    await expect(session.output()).rejects.toThrow('the connection ended before the process');
  });

  test('that is never opened fails after the timeout', async () => {
    const clock = createManualClock();
    const server = createTcpServer((socket) => void closers.push(() => socket.destroy()));
    const asked = new Promise((resolve) => server.once('connection', resolve));
    const pods = await podsOf({ url: await listening(server) }, { clock, timeout: '5s' });
    const opening = pods.exec('web', ['ls']);
    const failed = expect(opening).rejects.toThrow(/no answer within 5000 ms/);
    await asked;
    await clock.advance(5000);
    await failed;
  });

  test('that answers no pings is given up', async () => {
    const clock = createManualClock();
    const { url } = await peer(() => undefined, { autoPong: false });
    const session = await (await podsOf({ url }, { clock })).exec('web', ['ls']);
    await clock.advance(60_000);
    await expect(session.exitCode).rejects.toThrow(ConnectionLostError);
  });

  test('ends with its client', async () => {
    const { url } = await peer(() => undefined);
    const client = await connect({ url });
    const session = await client.resource(Pod).namespace('default').exec('web', ['ls']);
    await client.close();
    await expect(session.exitCode).rejects.toThrow('the client is closed');
  });
});

test('credentials that a server refuses are replaced once', async () => {
  const refuse = (request: IncomingMessage, socket: Duplex): boolean => {
    if (request.headers.authorization === 'Bearer new') return false;
    socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
    return true;
  };
  const { url, requests } = await peer((socket) => end(socket), { upgrade: refuse });
  const tokens = ['old', 'new'];
  const pods = await podsOf({ url, token: () => tokens.shift() ?? 'none' });
  expect(await (await pods.exec('web', ['ls'])).exitCode).toBe(0);
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  await expect((await podsOf({ url, token: 'old' })).exec('web', ['ls'])).rejects.toMatchObject({ code: 401 });
});

test('a connection goes through the proxy of the configuration, in a tunnel', async () => {
  const { url } = await peer((socket) => end(socket));
  const targets: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on('connect', (request: IncomingMessage, socket: Duplex) => {
    targets.push(request.url);
    const [host = '', port] = (request.url ?? '').split(':');
    const upstream = connectTcp(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    upstream.pipe(socket).pipe(upstream);
  });
  const kubeconfig = `
clusters: [{ name: c, cluster: { server: "${url}", proxy-url: "${await listening(proxy)}" } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
users: [{ name: u, user: {} }]
current-context: c
`;
  expect(await (await (await podsOf({ kubeconfig })).exec('web', ['ls'])).exitCode).toBe(0);
  expect(targets).toEqual([new URL(url).host]);
});

/** A WebSocket of a browser, whose other end is the test. */
class FakeSocket implements HostWebSocket {
  binaryType = '';
  protocol = V5;
  bufferedAmount = 0;
  readonly sent: Uint8Array[] = [];
  closedWith: number | undefined;
  readonly #listeners = new Map<string, ((event: { data?: unknown; code?: number }) => void)[]>();

  send(data: Uint8Array): void {
    this.sent.push(data);
  }
  close(code?: number): void {
    this.closedWith = code;
    this.emit('close', { code: code ?? 1005 });
  }
  addEventListener(type: string, listener: (event: { data?: unknown; code?: number }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }
  emit(type: string, event: { data?: unknown; code?: number } = {}): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

describe('the WebSocket of a browser', () => {
  const fetch = (): Promise<Response> => Promise.resolve(new Response('{}', { status: 403 }));

  async function browser(options: ConnectOptions = {}) {
    const asked: { readonly url: string; readonly protocols: readonly string[] }[] = [];
    const socket = new FakeSocket();
    const webSocket = (url: string, protocols: string[]): FakeSocket => {
      asked.push({ url, protocols });
      queueMicrotask(() => socket.emit('open'));
      return socket;
    };
    return {
      asked,
      socket,
      pods: await podsOf({ url: 'https://api.example/k8s', token: 'of you', fetch, webSocket }, options),
    };
  }

  test('has the token in a subprotocol', async () => {
    const { asked, socket, pods } = await browser();
    const session = await pods.exec('web', ['ls']);
    expect(asked).toEqual([
      {
        url: 'wss://api.example/k8s/api/v1/namespaces/default/pods/web/exec?command=ls&stdout=true&stderr=true',
        protocols: [V5, V4, 'base64url.bearer.authorization.k8s.io.b2YgeW91'],
      },
    ]);
    socket.emit('message', { data: new Uint8Array(SUCCESS).buffer });
    expect(await session.exitCode).toBe(0);
    expect(socket.closedWith).toBe(1000);
  });

  test('waits while much is not sent yet', async () => {
    const clock = createManualClock();
    const { socket, pods } = await browser({ clock });
    const session = await pods.exec('web', ['cat'], { stdin: true });
    socket.bufferedAmount = 100_000;
    const writing = session.write('text');
    await clock.advance(50);
    expect(socket.sent).toEqual([]);
    socket.bufferedAmount = 0;
    await clock.advance(10);
    await writing;
    expect(socket.sent).toHaveLength(1);
  });

  test('is given up when too much is not read', async () => {
    const { socket, pods } = await browser();
    const session = await pods.exec('web', ['yes']);
    const message = new Uint8Array(1024 * 1024).fill(1).buffer;
    for (let count = 0; count < 20; count += 1) socket.emit('message', { data: message });
    expect(socket.closedWith).toBe(1000);
    await expect(session.output()).rejects.toThrow(/more than 16777216 bytes were not read/);
  });

  test('shows the refusal of the server, which a request without an upgrade gets', async () => {
    const socket = new FakeSocket();
    const webSocket = (): FakeSocket => {
      queueMicrotask(() => socket.emit('error'));
      return socket;
    };
    const pods = await podsOf({ url: 'https://api.example', fetch, webSocket });
    await expect(pods.exec('web', ['ls'])).rejects.toMatchObject({ code: 403 });
  });
});
