import { ServerResponse, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { decodeUtf8Lossy, durationMs, latin1Bytes, systemClock, type Clock } from '../../../foundation/index.js';
import type { ApiResponse, WebSocketAnswer, WebSocketHandler } from '../../../server/index.js';
import { toFieldValue } from '../../field-value.js';
import { cancelSource } from '../../cancel-source.js';
import { Cohort } from '../../cohort.js';
import { checkMount, normalizePrefix, type MountOptions } from '../../prefix.js';
import type { Servable } from '../../target.js';
import { HANDLER_FAILED } from '../edge.js';
import type { WebSocketOptions } from '../listening/listen-options.js';
import { clientOf } from '../peer.js';
import { upgradeToApiRequest } from '../request.js';
import { writeApiResponse } from '../responses/response.js';
import { passOn } from './pass-on.js';
import { SocketTurns } from './socket-turns.js';
import { answerPings, receiveMessages, reserveIncomplete } from './websocket-receive.js';
import { sendMessages } from './websocket-send.js';

/** Default maximum size of a client's message: what clients send at a time, with the number of its stream. */
const MAX_PAYLOAD_BYTES = 256 * 1024;

/**
 * Maximum numbers of frames of a message, and of chunks in which a frame arrives; of longer messages, as many as have these
 * bytes on average. Each takes memory besides its bytes.
 */
const MAX_FRAMES = 256;
const FRAME_BYTES = 1024;
const MAX_CHUNKS = 1024;
const CHUNK_BYTES = 256;

/** Options of {@link serveUpgrades}. */
export interface ServeUpgradesOptions extends WebSocketOptions, MountOptions {
  readonly clock?: Clock | undefined;
  /** Returns the response that refuses a request before the server handles it; undefined to accept it. */
  readonly refuse?: ((request: IncomingMessage) => ApiResponse | undefined) | undefined;
}

/** An upgrade request, as Node emits it. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** The first bytes after the head of the request. */
  readonly head: Buffer;
}

/** A server that supports upgrades. */
type UpgradableServer = HttpServer | Http2SecureServer;

/**
 * Serves WebSockets on an HTTP server: watches, and connections to pods. `listen` calls it; an application that embeds
 * the API in Express or Fastify calls it with its `http.Server`, and with the option `ui` if it serves the page there. The
 * `ws` package is loaded with the first upgrade.
 *
 * ```ts
 * const http = app.listen(8080);
 * serveUpgrades(http, server, { prefix: '/k8s' });
 * ```
 *
 * @param http the server that emits `upgrade`
 * @param server the server to serve
 * @throws TypeError for an invalid server, or one that serves no WebSockets
 */
export function serveUpgrades(
  http: HttpServer | Http2SecureServer,
  server: Servable,
  options: ServeUpgradesOptions = {},
): void {
  const { prefix: mountedAt, ui } = options;
  const { handleWebSocket } = checkMount('serveUpgrades', server, { prefix: mountedAt, ui });
  if (handleWebSocket === undefined) throw new TypeError('serveUpgrades: the server does not serve WebSockets');
  const prefix = normalizePrefix(mountedAt);
  const { refuse: refusalOf } = options;
  const upgrader = new Upgrader(options);
  const cohort = new Cohort();
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener, a connection error would end the process.
    socket.on('error', () => socket.destroy());
    if (!isWebSocket(request)) return resumeAsPlainRequest(http, request, socket, head);
    const refusal = refusalOf?.(request);
    if (refusal !== undefined) return refuse(request, socket as Socket, refusal);
    const start = (): void => {
      // Of a client that has gone, no event would tell any more.
      if (socket.destroyed) return;
      void accept(handleWebSocket, upgrader, { request, socket: socket as Socket, head }, prefix);
    };
    cohort.join(start, undefined, () => clientOf(request));
  });
}

function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}

async function accept(handler: WebSocketHandler, upgrader: Upgrader, upgrade: Upgrade, prefix: string): Promise<void> {
  const { request, socket } = upgrade;
  try {
    const outcome = await handler(upgradeToApiRequest(request, socket, prefix));
    if ('refuse' in outcome) refuse(request, socket, outcome.refuse);
    else await upgrader.accept(upgrade, outcome.accept);
  } catch {
    refuse(request, socket, HANDLER_FAILED);
  }
}

/** Responds to an upgrade with an ordinary response and closes the connection. */
function refuse(request: IncomingMessage, socket: Socket, answer: ApiResponse): void {
  if (socket.destroyed) return;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end(() => socket.destroy()));
  void writeApiResponse(response, answer);
}

/** Returns the header fields of the response to a connection that is passed on. */
function linesOf({ passedOn = {}, headers = {} }: WebSocketAnswer): string[] {
  const lines = ['Connection: Upgrade', 'Upgrade: websocket'];
  for (const [name, values] of [...Object.entries(passedOn), ...Object.entries(headers)])
    for (const value of [values].flat()) lines.push(`${name}: ${toFieldValue(value)}`);
  return lines;
}

/** Ends a connection that the client has left before the handshake. */
function release(answer: WebSocketAnswer): void {
  void cancelSource(answer.messages[Symbol.asyncIterator]());
  answer.closed?.();
}

/** Performs the handshakes of one server. */
class Upgrader {
  readonly #options: ServeUpgradesOptions;
  /** Accepted watches by request, because `ws` needs them during the handshake. */
  readonly #answers = new WeakMap<IncomingMessage, WebSocketAnswer>();
  readonly #turns = new SocketTurns();
  #server: Promise<WebSocketServer> | undefined;

  constructor(options: ServeUpgradesOptions) {
    this.#options = options;
  }

  async accept({ request, socket, head }: Upgrade, answer: WebSocketAnswer): Promise<void> {
    const { clock = systemClock, ping = '30s', close = '5s' } = this.#options;
    const closeMs = durationMs(close);
    const isPassedOn = answer.passedOn !== undefined;
    const server = isPassedOn ? undefined : await (this.#server ??= this.#load());
    // The client has gone meanwhile: no event will tell.
    if (socket.destroyed) {
      release(answer);
      return;
    }
    if (server === undefined) return passOn(socket, answer, { clock, closeMs, head, lines: linesOf(answer) });
    this.#answers.set(request, answer);
    // The server has selected the protocol. ws would refuse names that are not tokens, such as that of kubectl's tunnels.
    delete request.headers['sec-websocket-protocol'];
    let opened: WebSocket | undefined;
    // ws responds to a malformed handshake itself and does not call back.
    socket.once('close', () => {
      if (opened === undefined) release(answer);
    });
    server.handleUpgrade(request, socket, head, (webSocket) => {
      opened = webSocket;
      const { blocked, memory } = answer;
      this.#turns.add(socket);
      if (memory !== undefined)
        reserveIncomplete(socket, webSocket, memory, (frames, bytes) => this.#turns.took(frames, bytes, socket));
      answerPings(webSocket);
      receiveMessages(webSocket, answer);
      void sendMessages(webSocket, answer.messages, {
        ...{ clock, blocked, pingMs: durationMs(ping), closeMs },
      });
    });
  }

  async #load(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws');
    const { maxPayloadBytes = MAX_PAYLOAD_BYTES } = this.#options;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: maxPayloadBytes,
      maxFragments: Math.max(MAX_FRAMES, Math.ceil(maxPayloadBytes / FRAME_BYTES)),
      maxBufferedChunks: Math.max(MAX_CHUNKS, Math.ceil(maxPayloadBytes / CHUNK_BYTES)),
    });
    server.on('headers', (lines, request) => {
      const { protocol = '', headers = {} } = this.#answers.get(request) ?? {};
      if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
      // ws encodes its lines in UTF-8, so the bytes of a value are decoded first.
      for (const [name, value] of Object.entries(headers))
        lines.push(`${name}: ${decodeUtf8Lossy(latin1Bytes(toFieldValue(value)))}`);
    });
    return server;
  }
}

/**
 * Serves a request for an upgrade other than WebSocket as an ordinary request (RFC 9110 section 7.8). The HTTP client
 * of the JDK offers `h2c` with every first plaintext request and needs a response.
 *
 * Node has already detached the connection, so the head of the request is pushed back without the offer, and the
 * connection is passed to the server as a new one.
 */
function resumeAsPlainRequest(server: UpgradableServer, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.unshift(Buffer.concat([latin1Bytes(headWithoutUpgrade(request)), head]));
  server.emit('updateSettings' in server ? 'secureConnection' : 'connection', socket);
}

/** Fields that offer an upgrade, or refer to those fields. */
const OFFER_FIELDS = new Set(['connection', 'upgrade', 'http2-settings']);

function headWithoutUpgrade(request: IncomingMessage): string {
  let head = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  const raw = request.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (!OFFER_FIELDS.has((raw[at] as string).toLowerCase())) head += `${raw[at]}: ${raw[at + 1]}\r\n`;
  }
  return head + '\r\n';
}
