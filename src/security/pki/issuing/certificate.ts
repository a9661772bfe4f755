/**
 * Creates certificates as Go 1.22 does (`x509.CreateCertificate`), except that every certificate has a subject key
 * identifier, as RFC 5280 section 4.2.1.2 recommends.
 *
 * @module
 */
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  Certificate,
  Extensions,
  Name,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Time,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import { DerTag, equalBytes, type Der, type Entropy } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import type { CertificateExtension } from '../asn1/extensions.js';
import type { CertificateTemplate } from '../certificate-template.js';
import type { Signing } from '../keys/signing.js';
import { parseDistinguishedName } from '../names/distinguished-name.js';
import { malformed } from '../x509-error.js';
import { alternativeNamesExtension } from './alternative-names.js';
import {
  authorityKeyExtension,
  basicConstraintsExtension,
  extendedKeyUsageExtension,
  keyUsageExtension,
  subjectKeyExtension,
  written,
} from './extensions.js';
import { checkAttributes, subjectName } from './subject.js';

/** The issuer of a certificate. */
export interface Issuer {
  /** DER of the name; undefined for a self-signed certificate. */
  readonly name?: Uint8Array | undefined;
  readonly keyIdentifier?: Uint8Array | undefined;
  readonly signing: Signing;
}

/**
 * Encodes and signs a certificate.
 *
 * @param entropy source of the serial number
 * @throws X509Error when a name, time, number or key cannot be encoded
 */
export async function encodeCertificate(template: CertificateTemplate, issuer: Issuer, entropy: Entropy): Promise<Der> {
  const subject = subjectOf(template);
  const subjectDer = new Uint8Array(AsnConvert.serialize(subject));
  const { algorithm, sign } = issuer.signing;
  const extensions = extensionsOf(template, subjectDer, issuer).map(written);
  const signature = new AlgorithmIdentifier({
    algorithm: algorithm.identifier,
    // NULL for RSA; absent for others (RFC 4055, RFC 5758, RFC 8410).
    ...(algorithm.name.startsWith('RSA') ? { parameters: null } : {}),
  });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumberOf(template, entropy).buffer,
    signature,
    issuer: issuer.name === undefined ? subject : AsnConvert.parse(new Uint8Array(issuer.name), Name),
    validity: validityOf(template),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(new Uint8Array(template.publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const signed = new Uint8Array(AsnConvert.serialize(tbsCertificate));
  const signatureValue = (await sign(signed)).slice().buffer;
  return new Uint8Array(
    AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm: signature, signatureValue })),
  );
}

/** Maximum length of a serial number, in octets (RFC 5280 section 4.1.2.2). */
const MAX_SERIAL_NUMBER_OCTETS = 20;

/** Returns the octets of the serial number: the given one, or 16 random octets that form a positive number. */
function serialNumberOf({ serialNumber }: CertificateTemplate, entropy: Entropy): Uint8Array<ArrayBuffer> {
  if (serialNumber === undefined) {
    const octets = new Uint8Array(entropy.bytes(16));
    octets[0] = ((octets[0] ?? 0) & 0x7f) | 0x40;
    return octets;
  }
  const first = serialNumber.findIndex((octet) => octet !== 0);
  if (first < 0) throw malformed('x509: serial number must be positive');
  const digits = serialNumber.subarray(first);
  // A leading one bit would make the number negative.
  const octets = Uint8Array.from((digits[0] ?? 0) < 0x80 ? digits : [0, ...digits]);
  if (octets.length > MAX_SERIAL_NUMBER_OCTETS)
    throw malformed(`x509: serial number is longer than ${MAX_SERIAL_NUMBER_OCTETS} octets`);
  return octets;
}

function validityOf({ notBefore, notAfter }: CertificateTemplate): Validity {
  const validity = new Validity();
  validity.notBefore = timeOf(notBefore);
  validity.notAfter = timeOf(notAfter);
  return validity;
}

/**
 * Returns a time in whole seconds: UTCTime from 1950 to 2049, GeneralizedTime otherwise (RFC 5280 section 4.1.2.5).
 *
 * @throws X509Error when the year does not have four digits
 */
function timeOf(ms: number): Time {
  const date = new Date(Math.floor(ms / 1000) * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw malformed('asn1: structure error: cannot represent time as GeneralizedTime');
  return new Time(year >= 1950 && year < 2050 ? { utcTime: date } : { generalTime: date });
}

/** Returns the subject. @throws X509Error when it cannot be parsed or encoded, or has too many attributes */
function subjectOf({ subject }: CertificateTemplate): Name {
  if (!(subject instanceof Uint8Array)) return subjectName(subject);
  const name = parseDistinguishedName(derReader(subject).only(DerTag.sequence, 'x509: malformed subject'));
  checkAttributes(name.attributes.length);
  return AsnConvert.parse(new Uint8Array(name.raw), Name);
}

function extensionsOf(
  template: CertificateTemplate,
  subject: Uint8Array,
  { name, keyIdentifier }: Issuer,
): CertificateExtension[] {
  const {
    keyUsages = [],
    extendedKeyUsages = [],
    alternativeNames = {},
    isCertificateAuthority = false,
    maxPathLength,
    extensions = [],
  } = template;
  const isSelfIssued = name === undefined || equalBytes(name, subject);
  const generated = [
    keyUsageExtension(keyUsages),
    extendedKeyUsageExtension(extendedKeyUsages),
    basicConstraintsExtension(isCertificateAuthority, maxPathLength),
    subjectKeyExtension(template.publicKey),
    keyIdentifier === undefined || isSelfIssued ? undefined : authorityKeyExtension(keyIdentifier),
    // Names are critical when the subject is empty (RFC 5280 section 4.2.1.6).
    alternativeNamesExtension(alternativeNames, equalBytes(subject, EMPTY_NAME)),
  ].filter((extension) => extension !== undefined);
  return [...generated.filter(({ type }) => !extensions.some((given) => given.type === type)), ...extensions];
}

const EMPTY_NAME = Uint8Array.of(DerTag.sequence, 0);
