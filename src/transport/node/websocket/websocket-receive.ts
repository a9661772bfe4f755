import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { decodeUtf8Lossy, HeldMemory } from '../../../foundation/index.js';
import type { WebSocketAnswer } from '../../../server/index.js';
import { OpenMessage } from './open-message.js';

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
 * @param took called with the number of frames that end in each chunk, and its bytes, when ws has read it
 */
export function reserveIncomplete(
  connection: Duplex,
  socket: EventEmitter & Pick<WebSocket, 'terminate'>,
  memory: NonNullable<WebSocketAnswer['memory']>,
  took: (frames: number, bytes: number) => void = () => undefined,
): void {
  const open = new OpenMessage();
  let counted = 0;
  const held = new HeldMemory(memory);
  // Before ws takes the bytes: it may hold all of them.
  connection.prependListener('data', (chunk: Buffer) => {
    try {
      held.hold(held.bytes + chunk.length);
      open.take(chunk);
    } catch {
      socket.terminate();
    }
  });
  // After ws has passed the messages on that these bytes complete.
  connection.on('data', ({ length }: Buffer) => {
    took(open.frames - counted, length);
    counted = open.frames;
    try {
      held.hold(open.bytes);
    } catch {
      socket.terminate();
    }
  });
  socket.once('close', () => held.hold(0));
}

/** The part of a WebSocket that answers pings. */
type PingedSocket = EventEmitter &
  Pick<WebSocket, 'OPEN' | 'readyState'> & {
    pong(data: Uint8Array, mask: boolean, sent: () => void): void;
  };

/**
 * Answers the pings of a client. While it does not read the answers, only its last ping is answered (RFC 6455, section
 * 5.5.3): those to all would fill the memory.
 */
export function answerPings(socket: PingedSocket): void {
  let isSending = false;
  let last: Uint8Array | undefined;
  const answer = (data: Uint8Array): void => {
    isSending = true;
    socket.pong(data, false, () => {
      isSending = false;
      const next = last;
      last = undefined;
      if (next !== undefined && socket.readyState === socket.OPEN) answer(next);
    });
  };
  socket.on('ping', (data: Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    // A copy: the data is a part of all that was received with it.
    if (isSending) last = new Uint8Array(data);
    else answer(data);
  });
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
