import { isJsonObject, parsedJson } from '../../foundation/index.js';

/** An encrypted value as it is stored. */
export interface EncryptedValue {
  /** Names the provider and its key: `k8s:enc:aescbc:v1:key1:`. */
  readonly prefix: string;
  readonly data: Buffer;
}

/** The start of the text of an encrypted value. No text of an object starts like this: it starts with its kind. */
export const ENCRYPTED_START = '{"encrypted":"';

/**
 * Returns the text that is stored for an encrypted value: a JSON object without `apiVersion`, which an engine stores as
 * it is.
 */
export function encryptedText({ prefix, data }: EncryptedValue): string {
  return `{"encrypted":${JSON.stringify(prefix)},"data":"${data.toString('base64')}"}`;
}

/** Returns whether a stored text is that of an encrypted value. */
export const isEncrypted = (stored: string): boolean => stored.startsWith(ENCRYPTED_START);

/** Does the same as {@link isEncrypted} for the bytes of a text. */
export const isEncryptedBytes = (stored: Buffer): boolean =>
  stored.toString('latin1', 0, ENCRYPTED_START.length) === ENCRYPTED_START;

/** Returns the encrypted value in a stored text; undefined when it has another form. */
export function readEncrypted(stored: string): EncryptedValue | undefined {
  if (!isEncrypted(stored)) return undefined;
  const value = parsedJson(stored);
  if (!isJsonObject(value)) return undefined;
  const { encrypted, data } = value;
  if (typeof encrypted !== 'string' || typeof data !== 'string') return undefined;
  return { prefix: encrypted, data: Buffer.from(data, 'base64') };
}
