import { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } from '@peculiar/asn1-x509';
import { compareBytes, DerTag, encodeUtf8 } from '../../../foundation/index.js';
import { NameAttributeType } from '../names/distinguished-name.js';
import type { SubjectNames } from '../names/subject-names.js';
import { malformed, X509Error } from '../x509-error.js';

/**
 * Returns a name as Go writes it (`pkix.Name`), in the order of the fields above. Several values of one type form a DER set,
 * which is sorted by length and then by octets.
 *
 * @throws X509Error when a string is not valid Unicode, or there are too many
 */
export function subjectName(names: SubjectNames): Name {
  const {
    country,
    organization,
    organizationalUnit,
    locality,
    province,
    streetAddress,
    postalCode,
    commonName,
    serialNumber,
  } = NameAttributeType;
  const one = (text: string | undefined): readonly string[] => (text === undefined || text === '' ? [] : [text]);
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    [country, names.countries],
    [organization, names.organizations],
    [organizationalUnit, names.organizationalUnits],
    [locality, names.localities],
    [province, names.provinces],
    [streetAddress, names.streetAddresses],
    [postalCode, names.postalCodes],
    [commonName, one(names.commonName)],
    [serialNumber, one(names.serialNumber)],
  ];
  checkAttributes(parts.reduce((sum, [, values = []]) => sum + values.length, 0));
  return new Name(parts.flatMap(([type, values = []]) => (values.length === 0 ? [] : [attributeSet(type, values)])));
}

function attributeSet(type: string, values: readonly string[]): RelativeDistinguishedName {
  return new RelativeDistinguishedName(
    inOrder(values).map((value) => new AttributeTypeAndValue({ type, value: new AttributeValue(value) })),
  );
}

/** Maximum number of attributes. The library takes a tenth of a millisecond for each, in one turn. */
const MAX_ATTRIBUTES = 100;

/** Checks the number of attributes in a subject to write. @throws X509Error when there are too many */
export function checkAttributes(number: number): void {
  if (number > MAX_ATTRIBUTES)
    throw new X509Error('Limit', `x509: a subject of ${number} attributes, more than ${MAX_ATTRIBUTES}`);
}

/** Returns the values of an attribute in the order of their encodings, as DER demands; the library keeps the given one. */
function inOrder(values: readonly string[]): DirectoryString['value'][] {
  return values
    .map(directoryString)
    .sort(compareEncodings)
    .map(({ value }) => value);
}

/** A string as the library takes it, and what determines its place in a set. */
interface DirectoryString {
  readonly value: { readonly printableString: string } | { readonly utf8String: string };
  readonly tag: number;
  readonly bytes: Uint8Array;
}

/** Returns a string with the type that Go gives it: PrintableString if possible, otherwise UTF8String. */
function directoryString(text: string): DirectoryString {
  const bytes = encodeUtf8(text);
  if (/^[-A-Za-z0-9 '()+,./:=?]*$/.test(text))
    return { value: { printableString: text }, tag: DerTag.printableString, bytes };
  if (/[\ud800-\udfff]/u.test(text)) throw malformed('asn1: string not valid UTF-8');
  return { value: { utf8String: text }, tag: DerTag.utf8String, bytes };
}

/** Compares the encodings of two values, as DER demands for a set. */
function compareEncodings(a: DirectoryString, b: DirectoryString): number {
  return a.bytes.length - b.bytes.length || a.tag - b.tag || compareBytes(a.bytes, b.bytes);
}
