/**
 * Synchronous SHA-256 (FIPS 180-4): Web Crypto is asynchronous, and discovery documents are hashed in synchronous code.
 * For document versions only, not for secrets.
 *
 * @module
 */
import { encodeBase64 } from '../encoding/base64.js';
import { encodeHex } from '../encoding/hex.js';
import { encodeUtf8 } from '../encoding/utf8.js';

const PRIMES: readonly number[] = firstPrimes(64);
const ROUND_CONSTANTS = Uint32Array.from(PRIMES, (prime) => fractionBits(Math.cbrt(prime)));
const INITIAL_STATE = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime)));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes;
}

/** Returns the first 32 bits of a number's fraction. */
function fractionBits(value: number): number {
  return ((value - Math.floor(value)) * 0x1_0000_0000) >>> 0;
}

/** Returns the SHA-256 of a text in UTF-8. */
export function sha256(text: string): Uint8Array {
  const message = encodeUtf8(text);
  const blocks = ((message.length + 8) >> 6) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (message.length << 3) >>> 0);
  const state = INITIAL_STATE.slice();
  const words = new Uint32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) compress(state, view, offset, words);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, index) => out.setUint32(index * 4, word));
  return digest;
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function compress(state: Uint32Array, view: DataView, offset: number, words: Uint32Array): void {
  expand(view, offset, words);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < 64; round += 1) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + (ROUND_CONSTANTS[round] as number) + (words[round] as number)) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let index = 0; index < 8; index += 1) state[index] = (state[index] as number) + (added[index] as number);
}

function expand(view: DataView, offset: number, words: Uint32Array): void {
  for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(offset + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] as number;
    const late = words[index - 2] as number;
    const small0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const small1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = (words[index - 16] as number) + small0 + (words[index - 7] as number) + small1;
  }
}

/** Returns the SHA-256 of a text as upper-case hexadecimal digits, the form of document versions. */
export function documentHash(text: string): string {
  return encodeHex(sha256(text)).toUpperCase();
}

/** Returns `storageVersionHash` of discovery: eight bytes that identify the stored form of a kind. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return encodeBase64(sha256(`${group}/${version}/${kind}`).subarray(0, 8));
}
