import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../../meta/index.js';

/** Bytes waiting for a slow client past which no further message is pulled. */
const HIGH_WATER_BYTES = 64 * 1024;

/** Status codes of RFC 6455 section 7.4.1. */
const NORMAL_CLOSURE = 1000;
const INTERNAL_ERROR = 1011;

/** How {@link sendMessages} keeps the connection alive. */
export interface SendOptions {
  readonly clock: Clock;
  /** 0 sends no pings. */
  readonly pingMs: number;
  /** For which the client may leave the closing frame unanswered. */
  readonly closeMs: number;
}

/**
 * Sends each message as one frame, text for a string and binary for bytes, waiting for a slow client between pulls.
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
    void letGo(iterator);
  });
  socket.on('error', () => socket.terminate());
  try {
    while (!gone) {
      const next = await iterator.next();
      // Not only the event: a source that is never out of breath would not let it happen.
      if (gone || socket.readyState !== socket.OPEN) return;
      if (next.done === true) {
        closeWith(socket, options, NORMAL_CLOSURE);
        return;
      }
      await send(socket, next.value);
    }
  } catch {
    closeWith(socket, options, INTERNAL_ERROR, 'internal error');
  }
}

/** Closes; a client that does not answer is cut off, or it would hold up the end of the server. */
function closeWith(socket: WebSocket, { clock, closeMs }: SendOptions, code: number, reason?: string): void {
  const timer = clock.after(closeMs, () => socket.terminate());
  socket.once('close', () => timer.cancel());
  socket.close(code, reason);
}

async function letGo(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // A source that fails while it is let go has nobody left to tell.
  }
}

/** Resolves when the next message may be pulled: at once, unless much is waiting. Also resolves when the client is gone. */
function send(socket: WebSocket, message: string | Uint8Array): Promise<void> | undefined {
  if (socket.bufferedAmount < HIGH_WATER_BYTES) {
    socket.send(message);
    return undefined;
  }
  return new Promise((resolve) => socket.send(message, () => resolve()));
}

/** Pings at intervals and cuts off a client that did not answer the ping before. Returns what ends it. */
function keepAlive(socket: WebSocket, { clock, pingMs }: SendOptions): () => void {
  if (pingMs <= 0) return () => undefined;
  let answered = true;
  let timer: Timer;
  const tick = (): void => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
    timer = clock.after(pingMs, tick);
  };
  socket.on('pong', () => (answered = true));
  timer = clock.after(pingMs, tick);
  return () => timer.cancel();
}
