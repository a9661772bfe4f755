/** Writes DER, and malformed DER: the certificates of the tests are assembled byte by byte. */

const bytesOf = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** A value with a tag. */
export function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const inner = bytesOf(content);
  return bytesOf([Uint8Array.of(tag), lengthOf(inner.length), inner]);
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const octets = Buffer.from(length.toString(16).padStart(length > 0xffff ? 6 : length > 0xff ? 4 : 2, '0'), 'hex');
  return Uint8Array.of(0x80 | octets.length, ...octets);
}

export const sequence = (...items: readonly Uint8Array[]): Uint8Array => der(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Uint8Array => der(0x31, ...items);
export const boolean = (value: boolean): Uint8Array => der(0x01, Uint8Array.of(value ? 0xff : 0));
export const octets = (value: Uint8Array): Uint8Array => der(0x04, value);
export const bits = (value: Uint8Array, unused = 0): Uint8Array => der(0x03, Uint8Array.of(unused), value);
export const nothing = (): Uint8Array => der(0x05);
export const utf8 = (text: string): Uint8Array => der(0x0c, Buffer.from(text, 'utf8'));
export const explicit = (number: number, ...content: readonly Uint8Array[]): Uint8Array =>
  der(0xa0 | number, ...content);
export const implicit = (number: number, content: Uint8Array): Uint8Array => der(0x80 | number, content);

/** A non-negative integer. */
export function integer(value: bigint | number): Uint8Array {
  const digits = value.toString(16);
  const content = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return der(0x02, (content[0] ?? 0) >= 0x80 ? Buffer.concat([Uint8Array.of(0), content]) : content);
}

export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const content = [40 * first + second, ...rest].flatMap((number) => {
    const septets = [number & 0x7f];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return der(0x06, Uint8Array.from(content));
}

/** UTCTime up to 2049, GeneralizedTime from then on. */
export function time(ms: number): Uint8Array {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return Number(text.slice(0, 4)) < 2050 ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}
