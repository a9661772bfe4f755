import { WireType } from '../encoding/protobuf-reader.js';
import { ProtobufWriter } from '../encoding/protobuf-writer.js';
import { encodeUtf8 } from '../encoding/utf8.js';

/** Type of a watch event. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/**
 * A watch event as JSON with a newline.
 *
 * @param object the object's JSON, compact and without a newline; it is copied, not encoded again
 */
export function jsonWatchFrame(type: WatchEventType, object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

/**
 * A watch event as protobuf: four bytes of length (big-endian), then a message `{type = 1, object = {raw = 1} = 2}`.
 *
 * @param object the object in its own envelope, as the protobuf serializer writes it
 */
export function protobufWatchFrame(type: WatchEventType, object: Uint8Array): Uint8Array {
  const writer = new ProtobufWriter();
  writer.lengthDelimited(object);
  writer.tag(1, WireType.bytes);
  writer.lengthSince(0);
  writer.tag(2, WireType.bytes);
  writer.string(type);
  writer.tag(1, WireType.bytes);
  const { length } = writer;
  writer.raw(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length));
  return writer.finish();
}

/** Length of a protobuf frame's head, which says how long the frame is. */
export const FRAME_HEAD_BYTES = 4;
/** Frames that claim to be longer are refused. */
export const LONGEST_FRAME = 16 * 1024 * 1024;

/**
 * Takes length-delimited frames out of a stream of chunks; for clients.
 *
 * @returns for each chunk the frames that it completes, without their heads
 */
export function frameSplitter(longest = LONGEST_FRAME): (chunk: Uint8Array) => Uint8Array[] {
  let rest = new Uint8Array();
  return (chunk) => {
    const joined = new Uint8Array(rest.length + chunk.length);
    joined.set(rest);
    joined.set(chunk, rest.length);
    const frames: Uint8Array[] = [];
    let at = 0;
    while (joined.length - at >= FRAME_HEAD_BYTES) {
      const length = new DataView(joined.buffer, at, FRAME_HEAD_BYTES).getUint32(0);
      if (length > longest) throw new RangeError(`frame of ${length} bytes is longer than ${longest}`);
      if (joined.length - at - FRAME_HEAD_BYTES < length) break;
      frames.push(joined.subarray(at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + length));
      at += FRAME_HEAD_BYTES + length;
    }
    rest = joined.slice(at);
    return frames;
  };
}

/** Bytes of a text frame. */
export function frameBytes(frame: string | Uint8Array): Uint8Array {
  return typeof frame === 'string' ? encodeUtf8(frame) : frame;
}
