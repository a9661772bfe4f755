import type { ClientRequest, IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import {
  encodeUtf8,
  MessageQueue,
  noAnswer,
  onAbort,
  type CheckedRequest,
  type Clock,
  type OutboundSocket,
  type OutboundStream,
  type SocketRequest,
} from '../../../foundation/index.js';
import { receiveMessages } from '../websocket/websocket-receive.js';
import { closeWith, keepAlive, sendMessage } from '../websocket/websocket-send.js';
import type { AgentLease } from './agent-pool.js';
import { sentFields } from './fields.js';
import { streamOf } from './http1.js';
import { identityOf } from './identity.js';
import { PlainTunnelAgent } from './tunnel-agent.js';

/** Maximum size of a message, in bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Bytes that nobody has read, from which on the connection is not read. */
const CAPACITY = 256 * 1024;
/** Interval of pings, in milliseconds: a server that does not answer one until the next is gone. */
const PING_MS = 30_000;
/** Time for the server's close frame, in milliseconds. */
const CLOSE_MS = 5000;
const NORMAL_CLOSURE = 1000;

/**
 * Opens a WebSocket. The `ws` package is loaded with the first one.
 *
 * @returns the socket, or the response that refuses it
 * @throws Error when there is no response
 */
export async function openWebSocket(
  request: SocketRequest,
  checked: CheckedRequest,
  { agent, forwarder, hold }: AgentLease,
  clock: Clock,
): Promise<OutboundSocket | OutboundStream> {
  const { protocols, headers, tls, signal } = request;
  const release = hold();
  try {
    const { WebSocket } = await import('ws');
    if (signal?.aborted === true) throw noAnswer(checked, signal.reason);
    const socket = new WebSocket(checked.url, [...protocols], {
      // A proxy passes WebSockets on through a tunnel only.
      agent: forwarder === undefined ? agent : new PlainTunnelAgent(forwarder),
      ...(checked.url.protocol === 'https:' ? identityOf(checked.url, tls) : {}),
      headers: sentFields(headers),
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
    });
    socket.once('close', release);
    return await opened(socket, checked, signal, clock);
  } catch (error) {
    release();
    throw error;
  }
}

function opened(
  socket: WebSocket,
  checked: CheckedRequest,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<OutboundSocket | OutboundStream> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => {
      reject(noAnswer(checked, signal?.reason));
      socket.terminate();
    });
    socket.once('open', () => {
      stop();
      resolve(socketOf(socket, checked, clock));
    });
    // A socket with a listener for it does not end the request itself.
    socket.once('unexpected-response', (_sent: ClientRequest, response: IncomingMessage) => {
      stop();
      resolve(streamOf(response, checked, undefined));
    });
    socket.on('error', (error) => {
      stop();
      reject(noAnswer(checked, error));
    });
  });
}

function socketOf(socket: WebSocket, checked: CheckedRequest, clock: Clock): OutboundSocket {
  const queue = new MessageQueue<Uint8Array>({ capacity: CAPACITY, sizeOf: ({ length }) => length });
  let failure: Error | undefined;
  const stopPings = keepAlive(socket, { clock, pingMs: PING_MS });
  receiveMessages(socket, {
    receive: (message) => queue.write(typeof message === 'string' ? encodeUtf8(message) : message),
    closed: () => {
      stopPings();
      queue.end();
    },
  });
  socket.once('close', (code, reason) => {
    const why = String(reason) === '' ? `closed with code ${code}` : String(reason);
    if (code !== NORMAL_CLOSURE) failure ??= noAnswer(checked, new Error(`the connection was ${why}`));
  });
  socket.on('error', (error) => (failure ??= noAnswer(checked, error)));
  async function* messages(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* queue;
    if (failure !== undefined) throw failure;
  }
  return {
    status: 101,
    protocol: socket.protocol,
    messages: messages(),
    send: (message) => sendMessage(socket, message) ?? Promise.resolve(),
    close: () => {
      void queue.return();
      // A connection that is not read does not see that the server closes it.
      socket.resume();
      closeWith(socket, { clock, closeMs: CLOSE_MS }, NORMAL_CLOSURE);
    },
  };
}
