import { decodeGoBase64 } from '../../foundation/index.js';

/** Returns the bytes of a secret; undefined when it is not base64. */
export function decodedSecret(secret: string): Uint8Array | undefined {
  const bytes = decodeGoBase64(secret);
  return typeof bytes === 'number' ? undefined : bytes;
}
