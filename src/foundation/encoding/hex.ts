/**
 * Base 16 (RFC 4648 section 8).
 *
 * @module
 */

const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const DIGIT_CODES = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** Returns the two hexadecimal digits of a byte, in lower case. */
export function hexOfByte(byte: number): string {
  return DIGITS[byte] ?? '';
}

/** Returns the character code of a hexadecimal digit, in lower case. */
export function hexCode(digit: number): number {
  return DIGIT_CODES[digit] as number;
}

/** Encodes bytes as hexadecimal digits in lower case. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += hexOfByte(byte);
  return text;
}

const HEX = /^(?:[0-9a-f]{2})*$/i;

/** Decodes hexadecimal digits in either case; undefined for other texts and for an odd number of digits. */
export function decodeHex(text: string): Uint8Array | undefined {
  if (!HEX.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index += 1)
    bytes[index] = Number.parseInt(text.slice(2 * index, 2 * index + 2), 16);
  return bytes;
}

/** Formats a number with at least `digits` hexadecimal digits in lower case, with leading zeros. */
export function hexNumber(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
