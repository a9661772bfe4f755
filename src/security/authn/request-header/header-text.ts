/**
 * Decodes header values. Transports hand over each octet as one character; user names are UTF-8.
 *
 * @module
 */
import { decodeUtf8Lossy, isAscii, latin1Bytes } from '../../../foundation/index.js';

/**
 * Returns the UTF-8 text of a header value. Invalid UTF-8 becomes U+FFFD, which no real name contains. A text with a
 * character above 0xff was not decoded from octets and stays as it is.
 */
export function headerText(value: string): string {
  return isAscii(value) || /[^\0-\xff]/.test(value) ? value : decodeUtf8Lossy(latin1Bytes(value));
}

/** Decodes percent-encoding. As in Kubernetes, an invalid encoding leaves the text as it is. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return text;
  return headerText(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
}
