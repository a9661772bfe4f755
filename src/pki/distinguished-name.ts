/**
 * Names of subjects and issuers (RFC 5280 section 4.1.2.4).
 *
 * @module
 */
import { DerReader, DerTag, objectIdentifierOf, type DerElement } from './der.js';
import { malformed } from './x509-error.js';

/** Types of the attributes of a name. */
export const NameAttributeType = { commonName: '2.5.4.3', organization: '2.5.4.10' } as const;

/** One thing that a name says. */
export interface NameAttribute {
  /** Object identifier in dots. */
  readonly type: string;
  readonly value: string;
}

/** A name. */
export interface DistinguishedName {
  /** As encoded: two names are the same when these bytes are. */
  readonly raw: Uint8Array;
  /** In the order of the name. */
  readonly attributes: readonly NameAttribute[];
  /** The last common name; empty when there is none. */
  readonly commonName: string;
  /** Every organization, in order. */
  readonly organizations: readonly string[];
}

const MALFORMED = 'x509: invalid RDNSequence';

/**
 * Reads a name.
 *
 * @throws X509Error when it is malformed, or a text in it is not what its type allows
 */
export function parseDistinguishedName({ raw, content }: DerElement): DistinguishedName {
  const attributes: NameAttribute[] = [];
  const names = new DerReader(content);
  while (!names.done) {
    const set = names.enter(DerTag.set, MALFORMED);
    while (!set.done) attributes.push(readAttribute(set.enter(DerTag.sequence, `${MALFORMED}: invalid attribute`)));
  }
  const valuesOf = (type: string): string[] => attributes.filter((attribute) => attribute.type === type).map(({ value }) => value);
  return { raw, attributes, commonName: valuesOf(NameAttributeType.commonName).at(-1) ?? '', organizations: valuesOf(NameAttributeType.organization) };
}

function readAttribute(reader: DerReader): NameAttribute {
  const typeProblem = `${MALFORMED}: invalid attribute type`;
  const type = objectIdentifierOf(reader.element(DerTag.objectIdentifier, typeProblem).content, typeProblem);
  const { tag, content } = reader.any(`${MALFORMED}: invalid attribute value`);
  const decode = textTypes.get(tag);
  const value = decode?.(content);
  if (value instanceof Error || value === undefined) {
    throw malformed(`${MALFORMED}: invalid attribute value: ${value === undefined ? `unsupported string type: ${tag}` : value.message}`);
  }
  return { type, value };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Every octet is the character of that number. */
function latin1(content: Uint8Array): string {
  let text = '';
  for (const octet of content) text += String.fromCharCode(octet);
  return text;
}

function textOf(allowed: RegExp, name: string): (content: Uint8Array) => string | Error {
  return (content) => {
    const text = latin1(content);
    return allowed.test(text) ? text : new Error(`invalid ${name}`);
  };
}

function utf8Text(content: Uint8Array): string | Error {
  try {
    return utf8.decode(content);
  } catch {
    return new Error('invalid UTF-8 string');
  }
}

/** UCS-2: no halves of pairs, and none of the numbers that are no characters. A zero at the end is dropped, as in production. */
function bmpText(content: Uint8Array): string | Error {
  const invalid = new Error('invalid BMPString');
  if (content.length % 2 !== 0) return invalid;
  let text = '';
  for (let index = 0; index < content.length; index += 2) {
    const code = ((content[index] ?? 0) << 8) | (content[index + 1] ?? 0);
    if ((code >= 0xd800 && code <= 0xdfff) || (code >= 0xfdd0 && code <= 0xfdef) || code >= 0xfffe) return invalid;
    text += String.fromCharCode(code);
  }
  return text.endsWith('\0') ? text.slice(0, -1) : text;
}

/** How the types of texts are read. `*` and `&` are not in the printable set, and are found in it. */
const textTypes: ReadonlyMap<number, (content: Uint8Array) => string | Error> = new Map([
  [DerTag.printableString, textOf(/^[-A-Za-z0-9 '()+,./:=?*&]*$/, 'PrintableString')],
  [DerTag.utf8String, utf8Text],
  // What the type means has been forgotten; everybody writes Latin-1 in it.
  [DerTag.t61String, latin1],
  [DerTag.bmpString, bmpText],
   
  [DerTag.ia5String, textOf(/^[\x00-\x7f]*$/, 'IA5String')],
  [DerTag.numericString, textOf(/^[0-9 ]*$/, 'NumericString')],
]);
