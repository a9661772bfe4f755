import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { errors } from '../meta/api-error.js';
import type { Revision } from '../storage/storage.js';

/** Where a paged list goes on. */
export interface ContinuePosition {
  /** The snapshot that every page shows, or undefined to go on in the present (after the snapshot was lost). */
  readonly revision: Revision | undefined;
  /** Storage key of the last object that was sent. */
  readonly after: string;
}

const MAC_BYTES = 16;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Makes and reads the tokens of paged lists. A token is opaque and carries a keyed checksum (HMAC-SHA-256, RFC 2104), so
 * that a client can neither read further than its list nor ask for another snapshot.
 */
export class ContinueTokens {
  #key: Uint8Array;

  /** @param key secret bytes; servers that answer for each other share them */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Replaces the key, once the one that the servers of a store share is known. */
  useKey(key: Uint8Array): void {
    this.#key = key;
  }

  /** The token of a position within the range that starts with `prefix`. */
  encode(position: ContinuePosition, prefix: string): string {
    const payload = encoder.encode(
      JSON.stringify({ r: position.revision ?? -1, a: position.after.slice(prefix.length) }),
    );
    const mac = this.#mac(payload, prefix);
    const token = new Uint8Array(mac.length + payload.length);
    token.set(mac, 0);
    token.set(payload, mac.length);
    return toBase64Url(token);
  }

  /**
   * The position of a token that {@link encode} made for the same prefix.
   *
   * @throws ApiError 400 for every other text
   */
  decode(token: string, prefix: string): ContinuePosition {
    const bytes = fromBase64Url(token);
    if (bytes === undefined || bytes.length <= MAC_BYTES) throw invalidToken('');
    const payload = bytes.subarray(MAC_BYTES);
    const mac = this.#mac(payload, prefix);
    let different = 0;
    for (let index = 0; index < MAC_BYTES; index += 1) different |= (mac[index] as number) ^ (bytes[index] as number);
    if (different !== 0) throw invalidToken(': checksum mismatch');
    const { r, a } = JSON.parse(decoder.decode(payload)) as { r: number; a: string };
    return { revision: r === -1 ? undefined : r, after: prefix + a };
  }

  #mac(payload: Uint8Array, prefix: string): Uint8Array {
    const scope = encoder.encode(`${prefix}\0`);
    const message = new Uint8Array(scope.length + payload.length);
    message.set(scope, 0);
    message.set(payload, scope.length);
    return hmac(sha256, this.#key, message).subarray(0, MAC_BYTES);
  }
}

const invalidToken = (why: string): Error => errors.badRequest(`continue key is not valid${why}`);

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[-\w]+$/.test(text) || text.length > 8192) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
    // The last character may hold bits that no byte takes in: one spelling of a token is the token.
    return toBase64Url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
