import { hexCode } from '../encoding/hex.js';
import type { Clock, Entropy } from '../time/clock.js';

/** A timer of some hosts, which can keep the process alive. */
interface Referable {
  ref(): void;
  unref(): void;
}

function isReferable(handle: unknown): handle is Referable {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'unref' in handle &&
    typeof handle.unref === 'function' &&
    'ref' in handle &&
    typeof handle.ref === 'function'
  );
}

/** The wall clock and the timers of the host. No other code in the project uses them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    // A longer delay would overflow the host's 32-bit timer and fire at once.
    const handle: unknown = setTimeout(callback, Math.min(Math.max(delayMs, 0), 0x7fff_ffff));
    const cancel = (): void => clearTimeout(handle as number);
    if (!isReferable(handle)) return { cancel };
    handle.unref();
    return { cancel, ref: () => handle.ref(), unref: () => handle.unref() };
  },
};

const POOL_BYTES = 4096;
let pool = new Uint8Array(0);
let poolOffset = 0;

function take(length: number): number {
  if (poolOffset + length > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
    poolOffset = 0;
  }
  const start = poolOffset;
  poolOffset += length;
  return start;
}

const UUID_BYTES = 16;

/** The characters of a UUID (RFC 9562): a text of pieces would be put together when it is first read. */
const uuidCodes = new Array<number>(2 * UUID_BYTES + 4).fill('-'.charCodeAt(0));

/** Cryptographic randomness of the host, drawn in blocks because a draw costs more than its bytes. */
export const systemEntropy: Entropy = {
  uuid() {
    const at = take(UUID_BYTES);
    let place = 0;
    for (let index = 0; index < UUID_BYTES; index += 1) {
      let byte = pool[at + index] as number;
      if (index === 6) byte = (byte & 0x0f) | 0x40;
      else if (index === 8) byte = (byte & 0x3f) | 0x80;
      if (index === 4 || index === 6 || index === 8 || index === 10) place += 1;
      uuidCodes[place] = hexCode(byte >> 4);
      uuidCodes[place + 1] = hexCode(byte & 0x0f);
      place += 2;
    }
    return Reflect.apply(String.fromCharCode, undefined, uuidCodes);
  },
  bytes(length) {
    if (length > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(length));
    const at = take(length);
    return pool.slice(at, at + length);
  },
};
