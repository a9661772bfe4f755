import type { RawData, WebSocket } from 'ws';
import { decodeUtf8Lossy } from '../../../foundation/index.js';
import type { WebSocketAnswer } from '../../../server/index.js';

/** Returns the bytes of a message, which may come in parts. */
function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
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
