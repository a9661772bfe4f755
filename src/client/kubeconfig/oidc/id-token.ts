import { decodeBase64Url, decodeUtf8Lossy, isJsonObject, parsedJson } from '../../../foundation/index.js';

/**
 * Returns when an ID token expires, in milliseconds since the epoch; undefined for a text that is not one. Nothing is
 * verified: that is the server's part.
 */
export function expiryOf(token: string): number | undefined {
  const [, payload = '', signature] = token.split('.');
  const bytes = signature === undefined ? undefined : decodeBase64Url(payload);
  const claims = bytes === undefined ? undefined : parsedJson(decodeUtf8Lossy(bytes));
  const expiry = isJsonObject(claims) ? claims['exp'] : undefined;
  return typeof expiry === 'number' ? expiry * 1000 : undefined;
}
