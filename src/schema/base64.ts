import { ScalarError } from './decode-error.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const INVALID = 0xff;
const PAD = 0x3d;
const VALUES = new Uint8Array(128).fill(INVALID);
for (let index = 0; index < ALPHABET.length; index += 1) VALUES[ALPHABET.charCodeAt(index)] = index;

const valueOf = (code: number): number => (code < 128 ? (VALUES[code] as number) : INVALID);

/** Bits that the last character of a group with one or two pads carries for nothing. */
function spareBits(text: string): number {
  const length = text.length;
  if (length === 0 || text.charCodeAt(length - 1) !== PAD) return 0;
  return text.charCodeAt(length - 2) === PAD
    ? valueOf(text.charCodeAt(length - 3)) & 0x0f
    : valueOf(text.charCodeAt(length - 2)) & 0x03;
}

/** True for base64 (RFC 4648 section 4) in its one form: padded, without line breaks, spare bits zero. */
function isCanonical(text: string): boolean {
  const length = text.length;
  if (length % 4 !== 0) return false;
  let end = length;
  if (length > 0 && text.charCodeAt(length - 1) === PAD)
    end = text.charCodeAt(length - 2) === PAD ? length - 2 : length - 1;
  for (let index = 0; index < end; index += 1) if (valueOf(text.charCodeAt(index)) === INVALID) return false;
  return spareBits(text) === 0;
}

function fail(characterIndex: number, text: string): never {
  // The production decoder counts bytes.
  let offset = 0;
  for (const character of text.slice(0, characterIndex)) {
    const code = character.codePointAt(0) as number;
    offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  throw new ScalarError('string', `illegal base64 data at input byte ${offset}`);
}

const isLineBreak = (code: number): boolean => code === 0x0a || code === 0x0d;

function nextIndex(text: string, index: number): number {
  while (index < text.length && isLineBreak(text.charCodeAt(index))) index += 1;
  return index;
}

/** Index after the padding that starts at `index`, in a group of which `have` characters were read. */
function endOfPadding(text: string, index: number, have: number): number {
  if (have < 2) fail(index, text);
  let next = nextIndex(text, index + 1);
  if (have === 2) {
    if (next === text.length) fail(text.length, text);
    if (text.charCodeAt(next) !== PAD) fail(next - 1, text);
    next = nextIndex(text, next + 1);
  }
  if (next < text.length) fail(next, text);
  return next;
}

function canonicalize(text: string): string {
  let digits = '';
  let index = 0;
  for (;;) {
    let have = 0;
    let last = 0;
    for (; have < 4; have += 1) {
      index = nextIndex(text, index);
      if (index === text.length) {
        if (have === 0) return digits;
        return fail(index - have, text);
      }
      const code = text.charCodeAt(index);
      if (code === PAD) {
        endOfPadding(text, index, have);
        const kept = ALPHABET[last & (have === 2 ? 0x30 : 0x3c)] as string;
        return digits.slice(0, -1) + kept + '='.repeat(4 - have);
      }
      last = valueOf(code);
      if (last === INVALID) fail(index, text);
      digits += text[index] as string;
      index += 1;
    }
  }
}

/**
 * Base64 text in its one form. Line breaks are skipped and spare bits cleared, as the production decoder and encoder do
 * between them.
 *
 * @throws ScalarError `illegal base64 data at input byte N`
 */
export function canonicalBase64(text: string): string {
  return isCanonical(text) ? text : canonicalize(text);
}
