/**
 * String types of names (X.680 section 41).
 *
 * @module
 */
import { decodeValidUtf8, DerTag, latin1 } from '../../../foundation/index.js';

/** A string type. */
export interface TextType {
  readonly name: string;
  /** Decodes a text. Returns undefined when it is invalid for the type. */
  readonly decode: (content: Uint8Array) => string | undefined;
  /** Go's text for an invalid value in a request. */
  readonly problem: string;
}

/** Decodes UCS-2. Surrogates and noncharacters are invalid. As in Go, a trailing zero is dropped. */
function bmpText(content: Uint8Array): string | undefined {
  if (content.length % 2 !== 0) return undefined;
  let text = '';
  for (let index = 0; index < content.length; index += 2) {
    const code = ((content[index] ?? 0) << 8) | (content[index + 1] ?? 0);
    if ((code >= 0xd800 && code <= 0xdfff) || (code >= 0xfdd0 && code <= 0xfdef) || code >= 0xfffe) return undefined;
    text += String.fromCharCode(code);
  }
  return text.endsWith('\0') ? text.slice(0, -1) : text;
}

function charactersOf(name: string, allowed: RegExp): TextType {
  const decode = (content: Uint8Array): string | undefined => {
    const text = latin1(content);
    return allowed.test(text) ? text : undefined;
  };
  return { name, decode, problem: `asn1: syntax error: ${name} contains invalid character` };
}

/** String types by tag. PrintableString accepts `*` and `&` as well, which occur in practice. */
export const textTypes: ReadonlyMap<number, TextType> = new Map([
  [DerTag.printableString, charactersOf('PrintableString', /^[-A-Za-z0-9 '()+,./:=?*&]*$/)],
  [DerTag.utf8String, { name: 'UTF-8 string', decode: decodeValidUtf8, problem: 'asn1: invalid UTF-8 string' }],
  // In practice T61String contains Latin-1.
  [DerTag.t61String, { name: 'T61String', decode: latin1, problem: '' }],
  [DerTag.bmpString, { name: 'BMPString', decode: bmpText, problem: 'invalid BMPString' }],
  [DerTag.ia5String, charactersOf('IA5String', /^[\x00-\x7f]*$/)],
  [DerTag.numericString, charactersOf('NumericString', /^[0-9 ]*$/)],
]);
