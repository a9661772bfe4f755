/**
 * As much of DER (ITU-T X.690) as it takes to find a public key in what it came in, and to put one form of a key into another.
 *
 * @module
 */

/** Tags that keys are made of. */
export const DER_TAGS = { integer: 0x02, bitString: 0x03, octetString: 0x04, sequence: 0x30, context0: 0xa0 } as const;

/** One element: its tag, what is in it, and all of its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/**
 * The elements that stand one after the other in some bytes.
 *
 * @throws RangeError when the bytes do not end where the last element does
 */
export function readDer(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let start = 0; start < bytes.length;) {
    const { contentStart, end } = extent(bytes, start);
    elements.push({
      tag: bytes[start] ?? 0,
      content: bytes.subarray(contentStart, end),
      whole: bytes.subarray(start, end),
    });
    start = end;
  }
  return elements;
}

/**
 * The elements inside of the one element that the bytes are.
 *
 * @throws RangeError when they are not one element with this tag, or what is inside is no DER
 */
export function readDerIn(bytes: Uint8Array, tag: number): DerElement[] {
  const [element, ...rest] = readDer(bytes);
  if (element?.tag !== tag || rest.length > 0) throw new RangeError('unexpected DER');
  return readDer(element.content);
}

/** An element of a tag with these contents, one after the other. */
export function writeDer(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let at = head.length;
  for (const content of contents) {
    bytes.set(content, at);
    at += content.length;
  }
  return bytes;
}

function extent(bytes: Uint8Array, start: number): { readonly contentStart: number; readonly end: number } {
  const first = bytes[start + 1] ?? 0;
  // A length of more than three bytes is longer than any key; 0x80 itself is the indefinite form, which is no DER.
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (first === 0x80 || lengthBytes > 3) throw new RangeError('unexpected length in DER');
  let length = lengthBytes === 0 ? first : 0;
  for (let index = 0; index < lengthBytes; index += 1) length = length * 0x100 + (bytes[start + 2 + index] ?? 0);
  const contentStart = start + 2 + lengthBytes;
  if (contentStart + length > bytes.length) throw new RangeError('DER ends early');
  return { contentStart, end: contentStart + length };
}
