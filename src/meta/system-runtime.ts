import { hexOfByte } from '../encoding/hex.js';
import type { Clock, Entropy } from './clock.js';

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

/** Cryptographic randomness of the host, drawn in blocks because a draw costs more than its bytes. */
export const systemEntropy: Entropy = {
  uuid() {
    const at = take(16);
    const hex = (index: number): string => hexOfByte(pool[at + index] as number);
    const version = hexOfByte(((pool[at + 6] as number) & 0x0f) | 0x40);
    const variant = hexOfByte(((pool[at + 8] as number) & 0x3f) | 0x80);
    return (
      hex(0) +
      hex(1) +
      hex(2) +
      hex(3) +
      '-' +
      hex(4) +
      hex(5) +
      '-' +
      version +
      hex(7) +
      '-' +
      variant +
      hex(9) +
      '-' +
      hex(10) +
      hex(11) +
      hex(12) +
      hex(13) +
      hex(14) +
      hex(15)
    );
  },
  bytes(length) {
    if (length > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(length));
    const at = take(length);
    return pool.slice(at, at + length);
  },
};
