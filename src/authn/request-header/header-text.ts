/**
 * Texts in header fields. On the wire a field is octets, and transports hand each of them over as one character; user names are
 * written there in UTF-8.
 *
 * @module
 */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text that the octets of a field spell in UTF-8. What is no UTF-8 becomes U+FFFD, so that it equals no name that anybody has. */
export function headerText(value: string): string {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code > 0xff) return value;
    if (code > 0x7f) return decodeFrom(value);
  }
  return value;
}

/** A text with a character that is no octet was not on the wire, and is what it is. */
function decodeFrom(value: string): string {
  const octets = new Uint8Array(value.length);
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code > 0xff) return value;
    octets[index] = code;
  }
  return utf8.decode(octets);
}

/** Takes the percent-encoding off; a text that is not well encoded stands for itself, as in production. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return text;
  return headerText(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
}
