/**
 * The frames of SPDY/3.1, as far as port forwarding uses them.
 *
 * @see SPDY protocol, draft 3, section 2.2
 * @module
 */
import { HeldMemory, type RoomMemory } from '../../../foundation/index.js';

/** A frame of the peer. Frames of other types are left out. */
export type Frame =
  | { readonly type: 'data'; readonly stream: number; readonly last: boolean; readonly data: Uint8Array }
  | { readonly type: 'open'; readonly stream: number; readonly last: boolean; readonly block: Uint8Array }
  | { readonly type: 'headers'; readonly stream: number; readonly last: boolean; readonly block: Uint8Array }
  | { readonly type: 'reset'; readonly stream: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway' };

/** The peer breaks the protocol. */
export class SpdyError extends Error {}

/** Length of the part of a frame that tells its type and length. */
const HEAD = 8;
/** Maximum length of a frame, in bytes. Clients send at most what they read from a socket at once. */
const MAX_FRAME = 1024 * 1024;
const CONTROL = 0x8003;
const FIN = 0x01;

const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const HEADERS = 8;

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** Finds the frames in the bytes of a connection, which may be cut anywhere. */
export class FrameReader {
  /** The beginning of a frame, in a buffer that grows. */
  #buffer = new Uint8Array();
  #length = 0;
  readonly #held: HeldMemory;

  /** @param memory the beginning of a frame is reserved in it: clients may leave it there; default: nothing limits it */
  constructor(memory?: RoomMemory) {
    this.#held = new HeldMemory(memory);
  }

  /**
   * The frames that are complete with a chunk. All are to be read before the next chunk.
   *
   * @throws SpdyError; what the memory throws when the beginning of a frame does not fit into it
   */
  *read(chunk: Uint8Array): Generator<Frame, void, undefined> {
    const bytes = this.#joined(chunk);
    let at = 0;
    for (let next = this.#end(bytes, at); next <= bytes.length; next = this.#end(bytes, at)) {
      const frame = frameOf(bytes.subarray(at, next));
      at = next;
      if (frame !== undefined) yield frame;
    }
    if (at > 0 || this.#length === 0) {
      this.#held.hold(bytes.length - at);
      // A copy: the rest of a frame must not keep the frames before it in memory.
      this.#buffer = new Uint8Array(bytes.subarray(at));
      this.#length = bytes.length - at;
    }
  }

  /** Gives the memory back. */
  close(): void {
    this.#held.hold(0);
  }

  /** Returns the bytes that were left, and a chunk after them. */
  #joined(chunk: Uint8Array): Uint8Array {
    if (this.#length === 0) return chunk;
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const size = Math.max(length, 2 * this.#buffer.length);
      this.#held.hold(size);
      const larger = new Uint8Array(size);
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return this.#buffer.subarray(0, length);
  }

  /** Returns the index at which a frame, or its head, ends. @throws SpdyError for a frame that is too long */
  #end(bytes: Uint8Array, at: number): number {
    return bytes.length - at < HEAD ? at + HEAD : at + HEAD + lengthOf(bytes, at);
  }
}

/** Returns the length of a frame after its head. @throws SpdyError for a frame that is too long */
function lengthOf(bytes: Uint8Array, at: number): number {
  const length = viewOf(bytes).getUint32(at + 4) & 0xff_ffff;
  if (length > MAX_FRAME) throw new SpdyError(`a frame has ${length} bytes, more than ${MAX_FRAME}`);
  return length;
}

/** Returns a frame; undefined for one of another type. @throws SpdyError for one that is too short, or of another version */
function frameOf(bytes: Uint8Array): Frame | undefined {
  const view = viewOf(bytes);
  const last = (view.getUint8(4) & FIN) !== 0;
  if ((view.getUint8(0) & 0x80) === 0)
    // A copy: data that waits for its reader must not keep all that came with it in memory.
    return { type: 'data', stream: view.getUint32(0), last, data: new Uint8Array(bytes.subarray(HEAD)) };
  if (view.getUint16(0) !== CONTROL) throw new SpdyError('the version of a frame is not 3');
  const type = view.getUint16(2);
  if (type === GOAWAY) return { type: 'goAway' };
  if (type === PING) return { type: 'ping', id: numberAt(view, HEAD) };
  const blockAt = type === SYN_STREAM ? HEAD + 10 : HEAD + 4;
  if (type !== SYN_STREAM && type !== HEADERS && type !== RST_STREAM) return undefined;
  const stream = numberAt(view, HEAD) & 0x7fff_ffff;
  if (type === RST_STREAM) return { type: 'reset', stream };
  if (bytes.length < blockAt) throw new SpdyError('a frame is too short');
  return { type: type === SYN_STREAM ? 'open' : 'headers', stream, last, block: bytes.subarray(blockAt) };
}

function numberAt(view: DataView, at: number): number {
  if (view.byteLength < at + 4) throw new SpdyError('a frame is too short');
  return view.getUint32(at);
}

/** Returns a frame of data of a stream. @param last whether the stream has no more of it */
export function dataFrame(stream: number, data: Uint8Array, last: boolean): Uint8Array {
  const frame = new Uint8Array(HEAD + data.length);
  const view = viewOf(frame);
  view.setUint32(0, stream);
  view.setUint32(4, data.length);
  view.setUint8(4, last ? FIN : 0);
  frame.set(data, HEAD);
  return frame;
}

function controlFrame(type: number, numbers: readonly number[], rest: Uint8Array = new Uint8Array()): Uint8Array {
  const frame = new Uint8Array(HEAD + numbers.length * 4 + rest.length);
  const view = viewOf(frame);
  view.setUint16(0, CONTROL);
  view.setUint16(2, type);
  view.setUint32(4, frame.length - HEAD);
  for (const [index, number] of numbers.entries()) view.setUint32(HEAD + index * 4, number);
  frame.set(rest, HEAD + numbers.length * 4);
  return frame;
}

/** Returns the frame that accepts a stream. */
export const replyFrame = (stream: number, block: Uint8Array): Uint8Array => controlFrame(SYN_REPLY, [stream], block);

/** Reasons for which a stream is reset. */
export const resetReasons = { protocolError: 1, refused: 3 } as const;

/** Returns the frame that ends a stream. */
export const resetFrame = (stream: number, reason: number): Uint8Array => controlFrame(RST_STREAM, [stream, reason]);

/** Returns the answer to a ping. */
export const pingFrame = (id: number): Uint8Array => controlFrame(PING, [id]);
