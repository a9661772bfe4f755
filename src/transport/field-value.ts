const encoder = new TextEncoder();

/**
 * A header value as the wire wants it: one character a byte. Characters beyond ASCII become their bytes of UTF-8, and
 * control characters spaces, as Go writes them; line breaks in particular must not begin another field.
 */
export function toFieldValue(value: string): string {
  return isPrintable(value) ? value : toBytes(value);
}

function isPrintable(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

function toBytes(value: string): string {
  let bytes = '';
  for (const byte of encoder.encode(value)) {
    bytes += (byte < 0x20 && byte !== 0x09) || byte === 0x7f ? ' ' : String.fromCharCode(byte);
  }
  return bytes;
}
