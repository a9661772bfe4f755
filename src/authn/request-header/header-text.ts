/**
 * Decodes header values. Transports hand over each octet as one character; user names are UTF-8.
 *
 * @module
 */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns the UTF-8 text of a header value. Invalid UTF-8 becomes U+FFFD, which no real name contains. */
export function headerText(value: string): string {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code > 0xff) return value;
    if (code > 0x7f) return decodeFrom(value);
  }
  return value;
}

/** A text with a character above 0xff was not decoded from octets and stays as it is. */
function decodeFrom(value: string): string {
  const octets = new Uint8Array(value.length);
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code > 0xff) return value;
    octets[index] = code;
  }
  return utf8.decode(octets);
}

/** Decodes percent-encoding. As in Kubernetes, an invalid encoding leaves the text as it is. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return text;
  return headerText(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
}
