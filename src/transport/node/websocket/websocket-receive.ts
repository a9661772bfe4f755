import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { decodeUtf8Lossy } from '../../../foundation/index.js';
import type { WebSocketAnswer } from '../../../server/index.js';

/** Returns the bytes of a message, which may come in parts. */
function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/**
 * Reserves the memory of a message that is not complete: its frames may come slowly, on thousands of connections. A
 * client whose bytes do not fit into the memory budget is disconnected.
 *
 * @param connection the connection below the WebSocket
 */
export function reserveIncomplete(
  connection: Duplex,
  socket: EventEmitter & Pick<WebSocket, 'terminate'>,
  memory: NonNullable<WebSocketAnswer['memory']>,
): void {
  let held = 0;
  // Before ws takes the bytes: it may hold all of them.
  connection.prependListener('data', ({ length }: Buffer) => {
    try {
      memory.reserve(length);
      held += length;
    } catch {
      socket.terminate();
    }
  });
  const completed = (): void => {
    memory.release(held);
    held = 0;
  };
  socket.on('message', completed).on('ping', completed).on('pong', completed).once('close', completed);
}

/**
 * Passes the messages of a client on. While one is being taken, the connection is not read, so that a fast client does
 * not fill the memory. Without a receiver, messages are discarded.
 */
export function receiveMessages(
  socket: WebSocket,
  { receive, closed }: Pick<WebSocketAnswer, 'receive' | 'closed'>,
): void {
  if (closed !== undefined) socket.once('close', closed);
  if (receive === undefined) return;
  // ws may deliver messages that it has read before the pause.
  let pending = 0;
  socket.on('message', (data: RawData, binary: boolean) => {
    const bytes = bytesOf(data);
    pending += 1;
    socket.pause();
    void receive(binary ? bytes : decodeUtf8Lossy(bytes)).finally(() => {
      pending -= 1;
      if (pending === 0) socket.resume();
    });
  });
}
