/**
 * Distinguished names of subjects and issuers (RFC 5280 section 4.1.2.4).
 *
 * @module
 */
import { DerTag, type DerElement, type DerReader } from '../../../foundation/index.js';
import { Asn1Reader, readObjectIdentifier } from '../asn1/asn1-reader.js';
import { derReader } from '../asn1/der.js';
import { malformed } from '../x509-error.js';
import { textTypes } from './text-types.js';

/** Attribute types of a name. */
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

/** An attribute of a name. */
export interface NameAttribute {
  /** Object identifier in dots. */
  readonly type: string;
  /** Empty for a value that is not a string, which only the subject of a request can have. */
  readonly value: string;
}

/** A distinguished name. Lists keep the order of the name. */
export interface DistinguishedName {
  /** The encoded name. Two names are equal when these bytes are equal. */
  readonly raw: Uint8Array;
  /** All attributes. */
  readonly attributes: readonly NameAttribute[];
  /** The last common name, or empty. */
  readonly commonName: string;
  /** The last serial number attribute, or empty. Not the serial number of the certificate. */
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
 * Parses the name of a certificate.
 *
 * @throws X509Error when the name is malformed or a text is invalid for its type
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
 * Parses the subject of a certificate request as Go does: values that are not text are accepted and empty.
 *
 * @throws X509Error when the name is malformed or a text is invalid for its type
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
