/**
 * The types of the texts that names are made of (X.680 section 41).
 *
 * @module
 */
import { decodeValidUtf8 } from '../encoding/utf8.js';
import { latin1 } from '../encoding/bytes.js';
import { DerTag } from '../encoding/der.js';

/** A type of texts. */
export interface TextType {
  readonly name: string;
  /** The text; undefined when it is not what the type allows. */
  readonly decode: (content: Uint8Array) => string | undefined;
  /** What production says of a wrong one in a request. */
  readonly problem: string;
}

/** UCS-2: no halves of pairs, and none of the numbers that are no characters. A zero at the end is dropped, as in production. */
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

/** How the types of texts are read, by tag. `*` and `&` are not in the printable set, and are found in it. */
export const textTypes: ReadonlyMap<number, TextType> = new Map([
  [DerTag.printableString, charactersOf('PrintableString', /^[-A-Za-z0-9 '()+,./:=?*&]*$/)],
  [DerTag.utf8String, { name: 'UTF-8 string', decode: decodeValidUtf8, problem: 'asn1: invalid UTF-8 string' }],
  // What the type means has been forgotten; everybody writes Latin-1 in it.
  [DerTag.t61String, { name: 'T61String', decode: latin1, problem: '' }],
  [DerTag.bmpString, { name: 'BMPString', decode: bmpText, problem: 'invalid BMPString' }],
  [DerTag.ia5String, charactersOf('IA5String', /^[\x00-\x7f]*$/)],
  [DerTag.numericString, charactersOf('NumericString', /^[0-9 ]*$/)],
]);
