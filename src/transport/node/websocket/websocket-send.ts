import type { WebSocket } from 'ws';
import { inSharedTurn, type Clock, type Timer } from '../../../foundation/index.js';
import type { ClientBlocked } from '../../../server/index.js';
import { cancelSource } from '../../cancel-source.js';

/** Maximum number of buffered bytes before the next message is pulled. */
const HIGH_WATER_BYTES = 64 * 1024;

/** Status codes of RFC 6455 section 7.4.1. */
const NORMAL_CLOSURE = 1000;
const INTERNAL_ERROR = 1011;

/** Options of {@link sendMessages}. */
export interface SendOptions {
  readonly clock: Clock;
  /** Interval of pings in milliseconds; 0 disables pings. */
  readonly pingMs: number;
  /** Timeout of the client's close frame, in milliseconds. */
  readonly closeMs: number;
  /** Called when the client has not taken the messages so far. */
  readonly blocked?: ClientBlocked | undefined;
}

/**
 * Sends each message as one frame (text for a string, binary for bytes) and waits for a slow client between messages.
 * Closes with 1000 at the end of the messages and with 1011 when they fail. Never rejects.
 */
export async function sendMessages(
  socket: WebSocket,
  messages: AsyncIterable<string | Uint8Array>,
  options: SendOptions,
): Promise<void> {
  const iterator = messages[Symbol.asyncIterator]();
  const stopPings = keepAlive(socket, options);
  let gone = false;
  socket.once('close', () => {
    gone = true;
    stopPings();
    inSharedTurn(() => void cancelSource(iterator));
  });
  socket.on('error', () => socket.terminate());
  try {
    while (!gone) {
      const next = await iterator.next();
      // The event alone does not suffice: a source that never pauses would starve it.
      if (gone || socket.readyState !== socket.OPEN) return;
      if (next.done === true) {
        closeWith(socket, options, NORMAL_CLOSURE);
        return;
      }
      const sent = sendMessage(socket, next.value);
      if (sent === undefined) continue;
      const taken = options.blocked?.(socket.bufferedAmount, () => socket.terminate());
      await sent;
      taken?.();
    }
  } catch {
    closeWith(socket, options, INTERNAL_ERROR, 'internal error');
  }
}

/**
 * Closes the socket. A peer that does not answer is disconnected, because it would delay the shutdown of the server.
 */
export function closeWith(
  socket: WebSocket,
  { clock, closeMs }: Pick<SendOptions, 'clock' | 'closeMs'>,
  code: number,
  reason?: string,
): void {
  const timer = clock.after(closeMs, () => socket.terminate());
  socket.once('close', () => timer.cancel());
  socket.close(code, reason);
}

/**
 * Sends a message. Resolves when the next message may be pulled: immediately, unless much data is buffered. Also
 * resolves when the client disconnects.
 */
export function sendMessage(socket: WebSocket, message: string | Uint8Array): Promise<void> | undefined {
  if (socket.bufferedAmount < HIGH_WATER_BYTES) {
    socket.send(message);
    return undefined;
  }
  return new Promise((resolve) => socket.send(message, () => resolve()));
}

/**
 * Sends pings periodically and disconnects a peer that did not answer the previous ping.
 *
 * @returns a function that stops the pings
 */
export function keepAlive(socket: WebSocket, { clock, pingMs }: Pick<SendOptions, 'clock' | 'pingMs'>): () => void {
  if (pingMs <= 0) return () => undefined;
  let answered = true;
  let timer: Timer;
  const tick = (): void => {
    // A connection that is not read shows no answer.
    if (!answered && !socket.isPaused) return socket.terminate();
    answered = false;
    socket.ping();
    timer = clock.after(pingMs, tick);
  };
  socket.on('pong', () => (answered = true));
  timer = clock.after(pingMs, tick);
  return () => timer.cancel();
}
