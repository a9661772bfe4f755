/**
 * Values that can only be read with two halves: a cookie, which holds the encrypted value, and a key, which only the page
 * has. The server keeps neither, so a sealed value works on every server of a store and survives a restart.
 *
 * @module
 */
import {
  decodeBase64Url,
  decodeUtf8Lossy,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
  isJsonObject,
  jsonText,
  parsedJson,
  type JsonObject,
} from '../../foundation/index.js';

/** Length of the key of AES-256, and of the nonce of GCM, in bytes. */
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
/** Length of the part of a key's hash that names its cookie, in bytes. */
const ID_BYTES = 8;

/** A source of random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** Returns a new key, as text. */
export const newKey = (randomBytes: RandomBytes): string => encodeBase64Url(randomBytes(KEY_BYTES));

/** Returns the name of the value that is sealed with a key; undefined for a text that is not a key. */
export async function idOf(key: string): Promise<string | undefined> {
  const bytes = keyBytes(key);
  if (bytes === undefined) return undefined;
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, ID_BYTES));
}

/** Encrypts a value. @param key result of {@link newKey} */
export async function seal(key: string, value: object, randomBytes: RandomBytes): Promise<string> {
  const nonce = new Uint8Array(randomBytes(NONCE_BYTES));
  const plain = new Uint8Array(encodeUtf8(jsonText(value)));
  const encrypted = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, await aesKey(key), plain);
  const both = new Uint8Array(NONCE_BYTES + encrypted.byteLength);
  both.set(nonce);
  both.set(new Uint8Array(encrypted), NONCE_BYTES);
  return encodeBase64Url(both);
}

/** Decrypts a value; undefined when the halves do not belong together, or the text was changed. */
export async function unseal(key: string, text: string): Promise<JsonObject | undefined> {
  const both = decodeBase64Url(text);
  if (both === undefined || both.length <= NONCE_BYTES || keyBytes(key) === undefined) return undefined;
  const bytes = new Uint8Array(both);
  const algorithm = { name: 'AES-GCM', iv: bytes.slice(0, NONCE_BYTES) };
  const plain = await crypto.subtle
    .decrypt(algorithm, await aesKey(key), bytes.slice(NONCE_BYTES))
    .catch(() => undefined);
  const value = plain === undefined ? undefined : parsedJson(decodeUtf8Lossy(new Uint8Array(plain)));
  return isJsonObject(value) ? value : undefined;
}

function keyBytes(key: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = decodeBase64Url(key);
  return bytes?.length === KEY_BYTES ? new Uint8Array(bytes) : undefined;
}

const aesKey = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', keyBytes(key) ?? new Uint8Array(KEY_BYTES), 'AES-GCM', false, ['encrypt', 'decrypt']);
