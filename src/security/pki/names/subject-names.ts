/**
 * Encodes subject names as Go does (`pkix.Name`).
 *
 * @module
 */
import { derSequence, derSetOf } from '../../../foundation/index.js';
import { derObjectIdentifier, derText } from '../asn1/der-writer.js';
import { NameAttributeType } from './distinguished-name.js';

/** A subject name to encode. A parsed {@link DistinguishedName} is accepted, too. */
export interface SubjectNames {
  readonly countries?: readonly string[];
  readonly organizations?: readonly string[];
  readonly organizationalUnits?: readonly string[];
  readonly localities?: readonly string[];
  readonly provinces?: readonly string[];
  readonly streetAddresses?: readonly string[];
  readonly postalCodes?: readonly string[];
  readonly commonName?: string;
  readonly serialNumber?: string;
}

/**
 * Encodes a name, in the order of the fields above. Several values of one type form a DER set, which is sorted by
 * length and then by octets.
 *
 * @throws X509Error when a text is not valid Unicode
 */
export function encodeSubjectNames(names: SubjectNames): Uint8Array {
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
  return derSequence(
    ...parts.flatMap(([type, values = []]) =>
      values.length === 0
        ? []
        : [derSetOf(values.map((value) => derSequence(derObjectIdentifier(type), derText(value))))],
    ),
  );
}
