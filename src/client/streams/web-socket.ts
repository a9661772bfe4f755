/**
 * WebSockets of browsers, which have no header fields: a token goes into a subprotocol.
 *
 * @see release 1.31, `pkg/authentication/request/websocket/protocol.go` of apiserver
 * @module
 */
import {
  checkRequest,
  delay,
  encodeBase64Url,
  encodeUtf8,
  latin1Bytes,
  MessageQueue,
  noAnswer,
  onAbort,
  type CheckedRequest,
  type Clock,
  type OutboundSocket,
  type OutboundStream,
  type SocketRequest,
  type StreamingHttpClient,
} from '../../foundation/index.js';

/** The part of a browser's `WebSocket` that is used. */
export interface HostWebSocket {
  binaryType: string;
  readonly protocol: string;
  readonly bufferedAmount: number;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: { readonly data?: unknown; readonly code?: number | undefined }) => void,
  ): void;
}

/** Opens a WebSocket: `(url, protocols) => new WebSocket(url, protocols)`. */
export type WebSocketFunction = (url: string, protocols: string[]) => HostWebSocket;

/** The parts of {@link openWebSocket}. */
export interface WebSocketParts {
  readonly open: WebSocketFunction;
  /** Asks for the refusal of a WebSocket, which browsers hide. */
  readonly http: StreamingHttpClient;
  readonly clock: Clock;
  readonly groupSuffix: string;
}

/** Bytes that nobody has read, with which the connection is given up: a browser reads as fast as the server sends. */
const MOST_UNREAD = 16 * 1024 * 1024;
/** Bytes that are not sent yet, from which on the next message waits; and the pause between looks at them. */
const HIGH_WATER_BYTES = 64 * 1024;
const LOOK_MS = 10;
const NORMAL_CLOSURE = 1000;
const BEARER = 'Bearer ';
const BAD_REQUEST = 400;

/** Opens a WebSocket. @throws TypeError for header fields that a browser cannot send; Error when there is no response */
export async function openWebSocket(
  request: SocketRequest,
  { open, http, clock, groupSuffix }: WebSocketParts,
): Promise<OutboundSocket | OutboundStream> {
  const checked = checkRequest(request);
  const protocols = [...request.protocols, ...tokenProtocols(request, groupSuffix)];
  const socket = open(checked.url.href.replace(/^http/, 'ws'), protocols);
  socket.binaryType = 'arraybuffer';
  // Before it is open, so that no message is missed.
  const opened = socketOf(socket, checked, clock);
  const outcome = await openingOf(socket, checked, request.signal);
  if (outcome === undefined) return opened;
  request.signal?.throwIfAborted();
  // Without an upgrade, a request for streams does nothing but fail.
  const refusal = await http.stream({ url: request.url, headers: request.headers, signal: request.signal });
  if (refusal.status > BAD_REQUEST) return refusal;
  refusal.cancel();
  throw outcome;
}

/** Returns the subprotocol of a token. @throws TypeError for fields that say who acts in another way */
function tokenProtocols({ headers = {} }: SocketRequest, groupSuffix: string): string[] {
  const { authorization } = headers;
  if (Object.keys(headers).some((name) => name.startsWith('impersonate-')))
    throw new TypeError('a browser cannot open streams as another user: WebSockets have no header fields there');
  if (authorization === undefined) return [];
  if (typeof authorization !== 'string' || !authorization.startsWith(BEARER))
    throw new TypeError('a browser opens streams with a bearer token only');
  const token = encodeBase64Url(latin1Bytes(authorization.slice(BEARER.length)));
  return [`base64url.bearer.authorization.${groupSuffix}.${token}`];
}

/** Waits until a socket is open. @returns the failure when it does not open */
function openingOf(
  socket: HostWebSocket,
  checked: CheckedRequest,
  signal: AbortSignal | undefined,
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const stop = onAbort(signal, () => {
      resolve(noAnswer(checked, signal?.reason));
      socket.close();
    });
    const settle = (failure?: Error): void => {
      stop();
      resolve(failure);
    };
    socket.addEventListener('open', () => settle());
    // Browsers do not tell why.
    socket.addEventListener('error', () => settle(noAnswer(checked, new Error('the WebSocket was not opened'))));
    socket.addEventListener('close', () => settle(noAnswer(checked, new Error('the WebSocket was closed'))));
  });
}

function socketOf(socket: HostWebSocket, checked: CheckedRequest, clock: Clock): OutboundSocket {
  const queue = new MessageQueue<Uint8Array>({ capacity: Infinity, sizeOf: ({ length }) => length });
  let unread = 0;
  let failure: Error | undefined;
  let isClosed = false;
  const fail = (why: string): void => {
    failure ??= noAnswer(checked, new Error(why));
  };
  socket.addEventListener('message', ({ data }) => {
    const bytes = typeof data === 'string' ? encodeUtf8(data) : new Uint8Array(data as ArrayBuffer);
    unread += bytes.length;
    void queue.write(bytes);
    if (unread <= MOST_UNREAD) return;
    fail(`more than ${MOST_UNREAD} bytes were not read`);
    queue.end();
    socket.close(NORMAL_CLOSURE);
  });
  socket.addEventListener('close', ({ code }) => {
    isClosed = true;
    if (code !== NORMAL_CLOSURE) fail(`the connection was closed with code ${code}`);
    queue.end();
  });
  async function* messages(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const message of queue) {
      unread -= message.length;
      yield message;
    }
    if (failure !== undefined) throw failure;
  }
  return {
    status: 101,
    get protocol() {
      return socket.protocol;
    },
    messages: messages(),
    send: async (message) => {
      while (!isClosed && socket.bufferedAmount > HIGH_WATER_BYTES) await delay(clock, LOOK_MS);
      if (!isClosed) socket.send(new Uint8Array(message));
    },
    close: () => {
      void queue.return();
      socket.close(NORMAL_CLOSURE);
    },
  };
}
