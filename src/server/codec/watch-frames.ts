import { concatBytes, encodeUtf8, ProtobufWriter, WireType } from '../../foundation/index.js';

/** Types of watch events. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/**
 * Returns a watch event as JSON with a newline.
 *
 * @param object compact JSON of the object, without a newline; it is copied, not encoded again
 */
export function jsonWatchFrame(type: WatchEventType, object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

/**
 * Returns a watch event in protobuf: four bytes of length (big-endian), then a message
 * `{type = 1, object = {raw = 1} = 2}`.
 *
 * @param object the object in its envelope, as encoded by the protobuf serializer
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

/** Length of the length prefix of a protobuf frame, in bytes. */
export const FRAME_HEAD_BYTES = 4;
/** Maximum length of a frame, in bytes. */
export const LONGEST_FRAME = 16 * 1024 * 1024;

/**
 * Returns a function that splits a stream of chunks into length-delimited frames; for clients.
 *
 * @returns a function that returns the frames that a chunk completes, without their length prefixes
 */
export function frameSplitter(longest = LONGEST_FRAME): (chunk: Uint8Array) => Uint8Array[] {
  let rest = new Uint8Array();
  return (chunk) => {
    const joined = concatBytes([rest, chunk]);
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

/** Returns a frame as bytes. */
export function frameBytes(frame: string | Uint8Array): Uint8Array {
  return typeof frame === 'string' ? encodeUtf8(frame) : frame;
}
