/**
 * Encodes certificates as Go 1.22 does (`x509.CreateCertificate`), except that every certificate has a subject key
 * identifier, as RFC 5280 section 4.2.1.2 recommends.
 *
 * @module
 */
import { sha1 } from '@noble/hashes/legacy.js';
import {
  constructedContextTag,
  derBitString,
  derInteger,
  derSequence,
  DerTag,
  derValue,
  equalBytes,
  type Der,
  type Entropy,
} from '../../foundation/index.js';
import { derTime } from './asn1/der-writer.js';
import { derReader } from './asn1/der.js';
import {
  authorityKeyExtension,
  basicConstraintsExtension,
  encodeExtensions,
  extendedKeyUsageExtension,
  keyUsageExtension,
  subjectKeyExtension,
} from './asn1/extension-values.js';
import { ExtensionType, type CertificateExtension, type KeyUsage } from './asn1/extensions.js';
import { parsePublicKey } from './keys/public-key.js';
import type { Signing } from './keys/signing.js';
import { encodeAlternativeNames, type AlternativeNamesInput } from './names/alternative-names-input.js';
import { parseDistinguishedName } from './names/distinguished-name.js';
import { encodeSubjectNames, type SubjectNames } from './names/subject-names.js';
import { malformed } from './x509-error.js';

/** The contents of a certificate to issue. */
export interface CertificateTemplate {
  /** The subject: names, or a DER name that is used unchanged. */
  readonly subject: SubjectNames | Uint8Array;
  /** The subject's key: `SubjectPublicKeyInfo`, DER. */
  readonly publicKey: Uint8Array;
  /** Serial number: a positive big-endian number of at most 20 octets. Default: 16 random octets. */
  readonly serialNumber?: Uint8Array | undefined;
  /** Milliseconds since the epoch; truncated to seconds. */
  readonly notBefore: number;
  /** Milliseconds since the epoch, inclusive; truncated to seconds. */
  readonly notAfter: number;
  readonly keyUsages?: readonly KeyUsage[] | undefined;
  /** Object identifiers, or names of `ExtendedKeyUsage`. */
  readonly extendedKeyUsages?: readonly string[] | undefined;
  readonly alternativeNames?: AlternativeNamesInput | undefined;
  /** Whether the certificate can sign others. Default false. */
  readonly isCertificateAuthority?: boolean | undefined;
  /** Maximum number of authorities between this one and a certificate. Default: unlimited. */
  readonly maxPathLength?: number | undefined;
  /** Further extensions. They replace extensions of the same type from the fields above. */
  readonly extensions?: readonly CertificateExtension[] | undefined;
}

/** The issuer of a certificate. */
export interface Issuer {
  /** DER of the name; undefined for a self-signed certificate. */
  readonly name?: Uint8Array;
  readonly keyIdentifier?: Uint8Array | undefined;
  readonly signing: Signing;
}

const VERSION_3 = derValue(constructedContextTag(0), derInteger(2));

/**
 * Encodes and signs a certificate.
 *
 * @param entropy source of the serial number
 * @throws X509Error when a name, time, number or key cannot be encoded
 */
export async function encodeCertificate(
  template: CertificateTemplate,
  issuer: Issuer,
  entropy: Entropy,
): Promise<Uint8Array> {
  const { notBefore, notAfter, serialNumber = randomSerialNumber(entropy) } = template;
  const { algorithm, sign } = issuer.signing;
  const subject = subjectOf(template);
  const extensions = extensionsOf(template, subject, issuer);
  const signed = derSequence(
    VERSION_3,
    derSerialNumber(serialNumber),
    algorithm,
    issuer.name ?? subject,
    derSequence(derTime(notBefore), derTime(notAfter)),
    subject,
    template.publicKey,
    derValue(constructedContextTag(3), encodeExtensions(extensions)),
  );
  return derSequence(signed, algorithm, derBitString(await sign(signed)));
}

/** Returns a positive serial number of exactly 16 octets. */
function randomSerialNumber(entropy: Entropy): Uint8Array {
  const octets = entropy.bytes(16);
  octets[0] = ((octets[0] ?? 0) & 0x7f) | 0x40;
  return octets;
}

/** Maximum length of a serial number, in octets (RFC 5280 section 4.1.2.2). */
const MAX_SERIAL_NUMBER_OCTETS = 20;

function derSerialNumber(octets: Uint8Array): Der {
  const number = derInteger(octets);
  if (octets.every((octet) => octet === 0)) throw malformed('x509: serial number must be positive');
  if (number.length - 2 > MAX_SERIAL_NUMBER_OCTETS)
    throw malformed(`x509: serial number is longer than ${MAX_SERIAL_NUMBER_OCTETS} octets`);
  return number;
}

/** Returns the subject as DER. @throws X509Error when the name cannot be parsed */
function subjectOf({ subject }: CertificateTemplate): Uint8Array {
  if (!(subject instanceof Uint8Array)) return encodeSubjectNames(subject);
  return parseDistinguishedName(derReader(subject).only(DerTag.sequence, 'x509: malformed subject')).raw;
}

function extensionsOf(
  template: CertificateTemplate,
  subject: Uint8Array,
  { name, keyIdentifier }: Issuer,
): CertificateExtension[] {
  const {
    keyUsages = [],
    extendedKeyUsages = [],
    isCertificateAuthority = false,
    maxPathLength,
    extensions = [],
  } = template;
  const isSelfIssued = name === undefined || equalBytes(name, subject);
  const generated = [
    keyUsageExtension(keyUsages),
    extendedKeyUsageExtension(extendedKeyUsages),
    basicConstraintsExtension(isCertificateAuthority, maxPathLength),
    subjectKeyExtension(keyIdentifierOf(template.publicKey)),
    keyIdentifier === undefined || isSelfIssued ? undefined : authorityKeyExtension(keyIdentifier),
    alternativeNamesExtension(template, subject),
  ].filter((extension) => extension !== undefined);
  return [...generated.filter(({ type }) => !extensions.some((given) => given.type === type)), ...extensions];
}

/** Returns the extension; it is critical when the subject is empty (RFC 5280 section 4.2.1.6). */
function alternativeNamesExtension(
  { alternativeNames = {} }: CertificateTemplate,
  subject: Uint8Array,
): CertificateExtension | undefined {
  const value = encodeAlternativeNames(alternativeNames);
  return value && { type: ExtensionType.subjectAlternativeName, critical: equalBytes(subject, EMPTY_NAME), value };
}

const EMPTY_NAME = derSequence();

/**
 * Returns the SHA-1 of the key bits (RFC 5280 section 4.2.1.2, method 1). It is an identifier, not a proof.
 * Synchronous, because the round trip to WebCrypto takes longer than the hash.
 */
function keyIdentifierOf(publicKey: Uint8Array): Uint8Array {
  const element = derReader(publicKey).only(DerTag.sequence, 'x509: malformed spki');
  if (parsePublicKey(element).facts.algorithm === 'unknown') throw malformed('x509: unsupported public key type');
  const reader = derReader(element.content);
  reader.element(DerTag.sequence, '');
  return sha1(reader.bitString('').bytes);
}
