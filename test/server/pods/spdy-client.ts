/** The end of kubectl of a SPDY connection through a WebSocket, as far as tests need it. */
import { createDeflate, constants, type Deflate } from 'node:zlib';
import { headerDictionary } from '../../../src/server/connect/spdy/header-dictionary.js';
import type { WebSocketAnswer } from '../../../src/server/requests/http.js';

const SYN_STREAM = 1;
const RST_STREAM = 3;
const PING = 6;
const FIN = 1;

function control(type: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8003, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  head.writeUInt8(flags, 4);
  return Buffer.concat([head, body]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const text = (value: string): Buffer => Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(value)]);

/** Encodes the frames of a client. */
export class SpdyClient {
  readonly #deflate: Deflate = createDeflate({ level: 9, dictionary: Buffer.from(headerDictionary()) });

  /** The blocks of all streams are one compressed stream. */
  #compressed: Promise<unknown> = Promise.resolve();

  open(stream: number, headers: Readonly<Record<string, string>>, fin = false): Promise<Buffer> {
    const frame = this.#compressed.then(() => this.#open(stream, headers, fin));
    this.#compressed = frame;
    return frame;
  }

  async #open(stream: number, headers: Readonly<Record<string, string>>, fin: boolean): Promise<Buffer> {
    const names = Object.entries(headers);
    const block = Buffer.concat([number(names.length), ...names.flatMap(([name, value]) => [text(name), text(value)])]);
    const compressed = await new Promise<Buffer>((resolve) => {
      const parts: Buffer[] = [];
      const take = (part: Buffer): void => void parts.push(part);
      this.#deflate.on('data', take);
      this.#deflate.write(block);
      this.#deflate.flush(constants.Z_SYNC_FLUSH, () => {
        this.#deflate.off('data', take);
        resolve(Buffer.concat(parts));
      });
    });
    return control(SYN_STREAM, fin ? FIN : 0, Buffer.concat([number(stream), number(0), Buffer.alloc(2), compressed]));
  }

  data(stream: number, content: string, fin = false): Buffer {
    const body = Buffer.from(content);
    const length = number(body.length);
    length.writeUInt8(fin ? FIN : 0, 0);
    return Buffer.concat([number(stream), length, body]);
  }

  reset = (stream: number): Buffer => control(RST_STREAM, 0, Buffer.concat([number(stream), number(5)]));
  ping = (id: number): Buffer => control(PING, 0, number(id));
}

const NAMES: Readonly<Record<number, string>> = { 2: 'reply', 3: 'reset', 6: 'ping' };

/** Shows a frame of the server: `data 3 fin text`, `reply 1`, `reset 5 3`. */
export function shownFrame(message: string | Uint8Array): string {
  const bytes = Buffer.from(message as Uint8Array);
  if ((bytes[0] ?? 0) < 0x80) {
    const fin = (bytes[4] ?? 0) === FIN ? ' fin' : '';
    return `data ${bytes.readUInt32BE(0)}${fin} ${bytes.subarray(8).toString()}`.trimEnd();
  }
  const type = bytes.readUInt16BE(2);
  const reason = type === RST_STREAM ? ` ${bytes.readUInt32BE(12)}` : '';
  return `${NAMES[type] ?? type} ${bytes.readUInt32BE(8)}${reason}`;
}

/** Collects the frames of the server. */
export function framesOf({ messages }: WebSocketAnswer): {
  readonly frames: string[];
  readonly ended: Promise<void>;
} {
  const frames: string[] = [];
  const read = async (): Promise<void> => {
    for await (const message of messages) frames.push(shownFrame(message));
  };
  return { frames, ended: read() };
}
