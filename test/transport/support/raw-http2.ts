import { connect, type TLSSocket } from 'node:tls';

const FRAME = {
  data: 0,
  headers: 1,
  rst: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Name of a frame type (RFC 9113 section 6). */
export type FrameName = keyof typeof FRAME;

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const END_STREAM = 1;
export const END_HEADERS = 4;
export const ACK = 1;

/** A frame. */
export function frame(name: FrameName, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = FRAME[name];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/**
 * The start of a connection; `initialWindow` is the number of bytes of an answer that may be sent before a window
 * update.
 */
export function opening(initialWindow = 65_535): Buffer {
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(4, 0);
  setting.writeUInt32BE(initialWindow, 2);
  return Buffer.concat([PREFACE, frame('settings', 0, 0, setting)]);
}

/** Fields of a request as literals without indexing (RFC 7541 section 6.2.2). */
export function fields(method: string, path: string): Buffer {
  const parts: number[] = [];
  for (const [name, value] of [
    [':method', method],
    [':scheme', 'https'],
    [':path', path],
    [':authority', 'localhost'],
  ] as const) {
    parts.push(0, name.length, ...Buffer.from(name), value.length, ...Buffer.from(value));
  }
  return Buffer.from(parts);
}

/** A client that writes arbitrary frames, and reads only as instructed. */
export class RawHttp2Client {
  readonly socket: TLSSocket;
  readonly secured: Promise<void>;
  readonly closed: Promise<void>;
  readonly #frames: { readonly name: FrameName | undefined; readonly stream: number; readonly payload: Buffer }[] = [];
  #rest = Buffer.alloc(0);

  constructor(port: number, ca: string) {
    this.socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] });
    this.secured = new Promise((resolve, reject) =>
      this.socket.once('secureConnect', () => resolve()).once('error', reject),
    );
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.on('error', () => undefined).on('data', (chunk: Buffer) => this.#read(chunk));
  }

  write(...parts: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(parts));
  }

  /** Received frames of a type, on one stream or on any. */
  frames(name: FrameName, stream?: number): readonly Buffer[] {
    return this.#frames
      .filter((one) => one.name === name && (stream === undefined || one.stream === stream))
      .map(({ payload }) => payload);
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 9) {
      const end = 9 + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) return;
      const type = this.#rest[3];
      const name = (Object.keys(FRAME) as FrameName[]).find((known) => FRAME[known] === type);
      this.#frames.push({ name, stream: this.#rest.readUInt32BE(5), payload: this.#rest.subarray(9, end) });
      this.#rest = this.#rest.subarray(end);
    }
  }
}
