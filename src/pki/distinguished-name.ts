/**
 * Names of subjects and issuers (RFC 5280 section 4.1.2.4).
 *
 * @module
 */
import { Asn1Reader, readObjectIdentifier } from './asn1-reader.js';
import type { DerReader } from '../encoding/der-reader.js';
import { type DerElement, DerTag } from '../encoding/der.js';
import { derReader } from './der.js';
import { textTypes } from './text-types.js';
import { malformed } from './x509-error.js';

/** Types of the attributes of a name. */
export const NameAttributeType = {
  commonName: '2.5.4.3',
  serialNumber: '2.5.4.5',
  country: '2.5.4.6',
  locality: '2.5.4.7',
  province: '2.5.4.8',
  streetAddress: '2.5.4.9',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  postalCode: '2.5.4.17',
} as const;

/** One thing that a name says. */
export interface NameAttribute {
  /** Object identifier in dots. */
  readonly type: string;
  /** Empty for a value that is no text, which only the subject of a request can have. */
  readonly value: string;
}

/** A name. What it lists is in its order. */
export interface DistinguishedName {
  /** As encoded: two names are the same when these bytes are. */
  readonly raw: Uint8Array;
  /** Everything that the name says. */
  readonly attributes: readonly NameAttribute[];
  /** The last common name; empty when there is none. */
  readonly commonName: string;
  /** The last serial number (of a device, say: that of a certificate is another); empty when there is none. */
  readonly serialNumber: string;
  readonly countries: readonly string[];
  readonly organizations: readonly string[];
  readonly organizationalUnits: readonly string[];
  readonly localities: readonly string[];
  readonly provinces: readonly string[];
  readonly streetAddresses: readonly string[];
  readonly postalCodes: readonly string[];
}

const MALFORMED = 'x509: invalid RDNSequence';

/**
 * Reads the name of a certificate.
 *
 * @throws X509Error when it is malformed, or a text in it is not what its type allows
 */
export function parseDistinguishedName({ raw, content }: DerElement): DistinguishedName {
  const attributes: NameAttribute[] = [];
  const names = derReader(content);
  while (!names.done) {
    const set = names.enter(DerTag.set, MALFORMED);
    while (!set.done) attributes.push(readAttribute(set.enter(DerTag.sequence, `${MALFORMED}: invalid attribute`)));
  }
  return nameOf(raw, attributes);
}

function readAttribute(reader: DerReader): NameAttribute {
  const type = reader.objectIdentifier(`${MALFORMED}: invalid attribute type`);
  const { tag, content } = reader.any(`${MALFORMED}: invalid attribute value`);
  const textType = textTypes.get(tag);
  const value = textType?.decode(content);
  if (value === undefined)
    throw malformed(
      `${MALFORMED}: invalid attribute value: ${textType === undefined ? `unsupported string type: ${tag}` : `invalid ${textType.name}`}`,
    );
  return { type, value };
}

/**
 * Reads the subject of a request for a certificate, as production does: values that are no texts are let pass, and say nothing.
 *
 * @throws X509Error when it is malformed, or a text in it is not what its type allows
 */
export function parseRequestedName({ raw }: DerElement): DistinguishedName {
  const attributes: (NameAttribute & { readonly isText: boolean })[] = [];
  for (const set of new Asn1Reader(raw).enter(DerTag.sequence, 'RDNSequence').list(DerTag.set)) {
    for (const { content } of new Asn1Reader(set.content).list(DerTag.sequence))
      attributes.push(readRequestedAttribute(new Asn1Reader(content)));
  }
  return {
    ...nameOf(
      raw,
      attributes.filter(({ isText }) => isText),
    ),
    attributes: attributes.map(({ type, value }) => ({ type, value })),
  };
}

function readRequestedAttribute(reader: Asn1Reader): NameAttribute & { readonly isText: boolean } {
  const type = readObjectIdentifier(reader);
  const { tag, content } = reader.any();
  const textType = textTypes.get(tag);
  if (textType === undefined) return { type, value: '', isText: false };
  const value = textType.decode(content);
  if (value === undefined) throw malformed(textType.problem);
  return { type, value, isText: true };
}

type NameLists = Omit<DistinguishedName, 'raw' | 'attributes' | 'commonName' | 'serialNumber'>;

function nameOf(raw: Uint8Array, attributes: readonly NameAttribute[]): DistinguishedName {
  const lists = {
    countries: [],
    organizations: [],
    organizationalUnits: [],
    localities: [],
    provinces: [],
    streetAddresses: [],
    postalCodes: [],
  } as Record<keyof NameLists, string[]>;
  let commonName = '';
  let serialNumber = '';
  for (const { type, value } of attributes) {
    if (type === NameAttributeType.commonName) commonName = value;
    else if (type === NameAttributeType.serialNumber) serialNumber = value;
    else {
      const list = listTypes.get(type);
      if (list !== undefined) lists[list].push(value);
    }
  }
  return { raw, attributes, commonName, serialNumber, ...lists };
}

const listTypes: ReadonlyMap<string, keyof NameLists> = new Map<string, keyof NameLists>([
  [NameAttributeType.country, 'countries'],
  [NameAttributeType.organization, 'organizations'],
  [NameAttributeType.organizationalUnit, 'organizationalUnits'],
  [NameAttributeType.locality, 'localities'],
  [NameAttributeType.province, 'provinces'],
  [NameAttributeType.streetAddress, 'streetAddresses'],
  [NameAttributeType.postalCode, 'postalCodes'],
]);
