const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes bytes in base32 (RFC 4648 section 6) in lower case and without padding, as names of objects contain it. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = ((bits & 0x1f) << 8) | byte;
    count += 8;
    for (; count >= 5; count -= 5) text += DIGITS[(bits >> (count - 5)) & 0x1f] ?? '';
  }
  return count === 0 ? text : text + (DIGITS[(bits << (5 - count)) & 0x1f] ?? '');
}
