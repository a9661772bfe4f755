import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { decodeBase64Url, decodeUtf8, encodeBase64Url, encodeUtf8, errors } from '../../foundation/index.js';
import type { Revision } from '../../storage/index.js';

/** Position at which a paged list continues. */
export interface ContinuePosition {
  /**
   * Revision of the snapshot that every page shows; undefined to continue in the current state, after the snapshot was
   * compacted.
   */
  readonly revision: Revision | undefined;
  /** Storage key of the last object that was sent. */
  readonly after: string;
}

const MAC_BYTES = 16;
/** Maximum length of a token, in characters. */
const MAX_TOKEN_LENGTH = 8192;

/**
 * Encodes and decodes the tokens of paged lists. A token is opaque and carries a keyed checksum (HMAC-SHA-256, RFC
 * 2104). A client can therefore neither read beyond its list nor choose another snapshot.
 */
export class ContinueTokens {
  /** A hash that has taken the key, of which each checksum continues a copy. */
  #keyed: ReturnType<typeof hmac.create>;
  /** The newest token: clients that read a page of one state, such as the first one, get the same. */
  #newest: { readonly text: string; readonly prefix: string; readonly token: string } | undefined;

  /** @param key secret bytes; all servers on one store share them */
  constructor(key: Uint8Array) {
    this.#keyed = hmac.create(sha256, key);
  }

  /** Replaces the key with the one that the servers of a store share. */
  useKey(key: Uint8Array): void {
    this.#keyed = hmac.create(sha256, key);
    this.#newest = undefined;
  }

  /** Returns the token of a position within the range that starts with `prefix`. */
  encode(position: ContinuePosition, prefix: string): string {
    const text = JSON.stringify({ r: position.revision ?? -1, a: position.after.slice(prefix.length) });
    const newest = this.#newest;
    if (newest?.text === text && newest.prefix === prefix) return newest.token;
    const token = this.#encoded(encodeUtf8(text), prefix);
    this.#newest = { text, prefix, token };
    return token;
  }

  #encoded(payload: Uint8Array, prefix: string): string {
    const mac = this.#mac(payload, prefix);
    const token = new Uint8Array(mac.length + payload.length);
    token.set(mac, 0);
    token.set(payload, mac.length);
    return encodeBase64Url(token);
  }

  /**
   * Returns the position of a token that {@link encode} returned for the same prefix.
   *
   * @throws ApiError 400 for any other text
   */
  decode(token: string, prefix: string): ContinuePosition {
    const bytes = tokenBytes(token);
    if (bytes === undefined || bytes.length <= MAC_BYTES) throw invalidToken('');
    const payload = bytes.subarray(MAC_BYTES);
    const mac = this.#mac(payload, prefix);
    let different = 0;
    for (let index = 0; index < MAC_BYTES; index += 1) different |= (mac[index] as number) ^ (bytes[index] as number);
    if (different !== 0) throw invalidToken(': checksum mismatch');
    const { r, a } = JSON.parse(decodeUtf8(payload)) as { r: number; a: string };
    return { revision: r === -1 ? undefined : r, after: prefix + a };
  }

  #mac(payload: Uint8Array, prefix: string): Uint8Array {
    const scope = encodeUtf8(`${prefix}\0`);
    const message = new Uint8Array(scope.length + payload.length);
    message.set(scope, 0);
    message.set(payload, scope.length);
    return this.#keyed.clone().update(message).digest().subarray(0, MAC_BYTES);
  }
}

const invalidToken = (why: string): Error => errors.badRequest(`continue key is not valid${why}`);

/** Decodes a token. Only the canonical spelling is valid: the spare bits of the last character must be zero. */
function tokenBytes(text: string): Uint8Array | undefined {
  const bytes = text.length > MAX_TOKEN_LENGTH ? undefined : decodeBase64Url(text);
  return bytes !== undefined && encodeBase64Url(bytes) === text ? bytes : undefined;
}
