/**
 * Creates certificates as Go 1.22 does (`x509.CreateCertificate`), except that every certificate has a subject key
 * identifier, as RFC 5280 section 4.2.1.2 recommends.
 *
 * @module
 */
import { DerTag, encodeHex, equalBytes, type Der, type Entropy, type WebKey } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import type { CertificateTemplate } from '../certificate-template.js';
import { signingAlgorithmOf } from '../keys/signing.js';
import { parseDistinguishedName } from '../names/distinguished-name.js';
import { malformed } from '../x509-error.js';
import { alternativeNamesExtension } from './alternative-names.js';
import {
  basicConstraintsExtension,
  extendedKeyUsageExtension,
  givenExtension,
  keyUsageExtension,
  subjectKeyExtension,
  type LibraryExtension,
} from './extensions.js';
import { loadX509, type X509Library } from './library.js';
import { checkAttributes, encodeSubjectNames } from './subject.js';

/** The issuer of a certificate. */
export interface Issuer {
  /** DER of the name; undefined for a self-signed certificate. */
  readonly name?: Uint8Array;
  readonly keyIdentifier?: Uint8Array | undefined;
  readonly key: WebKey;
}

/**
 * Encodes and signs a certificate.
 *
 * @param entropy source of the serial number
 * @throws X509Error when a name, time, number or key cannot be encoded; TypeError when the key cannot sign certificates
 */
export async function encodeCertificate(template: CertificateTemplate, issuer: Issuer, entropy: Entropy): Promise<Der> {
  const signingAlgorithm = signingAlgorithmOf(issuer.key);
  const x509 = await loadX509();
  const subject = subjectOf(x509, template);
  const subjectDer = new Uint8Array(subject.toArrayBuffer());
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: encodeHex(serialNumberOf(template, entropy)),
      issuer: issuer.name === undefined ? subject : new x509.Name(new Uint8Array(issuer.name)),
      subject,
      notBefore: timeOf(template.notBefore),
      notAfter: timeOf(template.notAfter),
      publicKey: new Uint8Array(template.publicKey),
      extensions: extensionsOf(x509, template, subjectDer, issuer),
      signingKey: issuer.key,
      signingAlgorithm,
    },
    crypto,
  );
  return new Uint8Array(certificate.rawData);
}

/** Maximum length of a serial number, in octets (RFC 5280 section 4.1.2.2). */
const MAX_SERIAL_NUMBER_OCTETS = 20;

/** Returns the serial number: the given one, or exactly 16 random octets that form a positive number. */
function serialNumberOf({ serialNumber }: CertificateTemplate, entropy: Entropy): Uint8Array {
  if (serialNumber === undefined) {
    const octets = entropy.bytes(16);
    octets[0] = ((octets[0] ?? 0) & 0x7f) | 0x40;
    return octets;
  }
  const digits = serialNumber.subarray(serialNumber.findIndex((octet) => octet !== 0));
  if (serialNumber.every((octet) => octet === 0)) throw malformed('x509: serial number must be positive');
  // A leading one bit takes another octet, because it would make the number negative.
  if (digits.length + ((digits[0] ?? 0) >> 7) > MAX_SERIAL_NUMBER_OCTETS)
    throw malformed(`x509: serial number is longer than ${MAX_SERIAL_NUMBER_OCTETS} octets`);
  return serialNumber;
}

/**
 * Returns a time in whole seconds.
 *
 * @throws X509Error before 1950, which the library would write as a year of the next century, and after 9999
 */
function timeOf(ms: number): Date {
  const date = new Date(Math.floor(ms / 1000) * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 1950 && year <= 9999))
    throw malformed('asn1: structure error: cannot represent time as GeneralizedTime');
  return date;
}

/** Returns the subject. @throws X509Error when it cannot be parsed or encoded, or has too many attributes */
function subjectOf(x509: X509Library, { subject }: CertificateTemplate): InstanceType<X509Library['Name']> {
  if (!(subject instanceof Uint8Array)) return encodeSubjectNames(x509, subject);
  const name = parseDistinguishedName(derReader(subject).only(DerTag.sequence, 'x509: malformed subject'));
  checkAttributes(name.attributes.length);
  return new x509.Name(new Uint8Array(name.raw));
}

function extensionsOf(
  x509: X509Library,
  template: CertificateTemplate,
  subject: Uint8Array,
  { name, keyIdentifier }: Issuer,
): LibraryExtension[] {
  const {
    keyUsages = [],
    extendedKeyUsages = [],
    alternativeNames = {},
    isCertificateAuthority = false,
    maxPathLength,
    extensions = [],
  } = template;
  // Names are critical when the subject is empty (RFC 5280 section 4.2.1.6).
  const names = alternativeNamesExtension(alternativeNames, equalBytes(subject, EMPTY_NAME));
  const isSelfIssued = name === undefined || equalBytes(name, subject);
  const generated = [
    keyUsageExtension(x509, keyUsages),
    extendedKeyUsageExtension(x509, extendedKeyUsages),
    basicConstraintsExtension(x509, isCertificateAuthority, maxPathLength),
    subjectKeyExtension(x509, template.publicKey),
    keyIdentifier === undefined || isSelfIssued
      ? undefined
      : new x509.AuthorityKeyIdentifierExtension(encodeHex(keyIdentifier)),
    names && givenExtension(x509, names),
  ].filter((extension) => extension !== undefined);
  return [
    ...generated.filter(({ type }) => !extensions.some((given) => given.type === type)),
    ...extensions.map((extension) => givenExtension(x509, extension)),
  ];
}

const EMPTY_NAME = Uint8Array.of(DerTag.sequence, 0);
