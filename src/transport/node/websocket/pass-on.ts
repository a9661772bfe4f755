import type { Duplex } from 'node:stream';
import type { Clock } from '../../../foundation/index.js';
import type { WebSocketAnswer } from '../../../server/index.js';
import { cancelSource } from '../../cancel-source.js';
import { writeBytes } from '../write-bytes.js';

/** Options of {@link passOn}. */
export interface PassOnOptions {
  readonly clock: Clock;
  /** Time that the client has for the last bytes, in milliseconds. */
  readonly closeMs: number;
  /** The first bytes of the client. */
  readonly head: Uint8Array;
  /** The header fields of the response. */
  readonly lines: readonly string[];
}

/**
 * Passes the bytes of an upgraded connection on, in both directions, until either side ends it. Neither side is read
 * faster than the other takes it. Never rejects.
 *
 * @param connection that of the client, which has not closed yet
 */
export async function passOn(
  connection: Duplex,
  answer: WebSocketAnswer,
  { clock, closeMs, head, lines }: PassOnOptions,
): Promise<void> {
  const iterator = answer.messages[Symbol.asyncIterator]();
  connection.once('close', () => {
    answer.closed?.();
    void cancelSource(iterator);
  });
  // A client that has finished sending has ended the connection: half-closed connections are not supported here.
  connection.once('end', () => connection.destroy());
  connection.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'), 'latin1');
  receiveBytes(connection, head, answer);
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      const { value } = next;
      const written = writeBytes(connection, typeof value === 'string' ? Buffer.from(value) : value);
      if (written === undefined) continue;
      const taken = answer.blocked?.(connection.writableLength, () => connection.destroy());
      await written;
      taken?.();
    }
    // A client that does not take the rest would keep the connection for ever.
    const timer = clock.after(closeMs, () => connection.destroy());
    connection.once('close', () => timer.cancel());
    connection.end(() => connection.destroy());
  } catch {
    connection.destroy();
  }
}

function receiveBytes(connection: Duplex, head: Uint8Array, { receive }: WebSocketAnswer): void {
  const take = (bytes: Uint8Array): void => {
    connection.pause();
    receive?.(bytes).then(
      () => connection.resume(),
      () => connection.destroy(),
    );
  };
  connection.on('data', take);
  if (head.length > 0) take(head);
  else connection.resume();
}
