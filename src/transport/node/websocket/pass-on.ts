import type { Duplex } from 'node:stream';
import type { WebSocketAnswer } from '../../../server/index.js';
import { cancelSource } from '../../cancel-source.js';
import { writeBytes } from '../write-bytes.js';

/**
 * Passes the bytes of an upgraded connection on, in both directions, until either side ends it. Neither side is read
 * faster than the other takes it. Never rejects.
 *
 * @param lines the header fields of the response
 * @param head the first bytes of the client
 */
export async function passOn(
  connection: Duplex,
  head: Uint8Array,
  lines: readonly string[],
  answer: WebSocketAnswer,
): Promise<void> {
  const iterator = answer.messages[Symbol.asyncIterator]();
  connection.once('close', () => {
    answer.closed?.();
    void cancelSource(iterator);
  });
  // A client that sends no more has ended: a protocol that closes one half only is not known here.
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
    connection.end(() => connection.destroy());
  } catch {
    connection.destroy();
  }
}

function receiveBytes(connection: Duplex, head: Uint8Array, { receive }: WebSocketAnswer): void {
  const take = (bytes: Uint8Array): void => {
    connection.pause();
    void receive?.(bytes).finally(() => connection.resume());
  };
  connection.on('data', take);
  if (head.length > 0) take(head);
  else connection.resume();
}
