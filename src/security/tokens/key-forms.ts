/**
 * Converts keys from their input forms to the internal ones: PKCS#8 (RFC 5208) for private keys, SubjectPublicKeyInfo
 * (RFC 5280 section 4.1) for public keys.
 *
 * @module
 */
import {
  constructedContextTag,
  decodeHex,
  derBitString,
  DerReader,
  derSequence,
  DerTag,
  ownMember,
  parsePem,
  privateKeyAsPkcs8,
  type DerElement,
  type PemBlock,
} from '../../foundation/index.js';
import { algorithmFacts, algorithmOfKeyType, type SigningAlgorithm } from './signing-algorithms.js';

/** The bytes of a key in an internal form, and the algorithm of its signatures. */
export interface KeyForm {
  readonly algorithm: SigningAlgorithm;
  readonly der: Uint8Array;
}

/** Maximum length of a text, in characters: a thousand of the longest keys. */
const MAX_LENGTH = 1 << 20;

/**
 * Returns the PEM blocks of a text that may contain a key. Blocks with headers are encrypted and left out.
 *
 * @throws RangeError when the text exceeds 1 MiB
 */
export function keyBlocks(text: string): PemBlock[] {
  return parsePem(text, { maxLength: MAX_LENGTH }).blocks.filter(({ headers }) => headers.size === 0);
}

const RSA_KEY_TYPE = decodeHex(algorithmFacts('RS256').keyType) ?? Uint8Array.of();

/** Converts a public key to a SubjectPublicKeyInfo, by its PEM label. */
const publicForms: Readonly<Record<string, (der: Uint8Array) => Uint8Array>> = {
  'PUBLIC KEY': (der) => der,
  'RSA PUBLIC KEY': (der) => derSequence(RSA_KEY_TYPE, derBitString(der)),
  CERTIFICATE: keyOfCertificate,
};

/**
 * Returns the private key in a PEM block; undefined when the label is not that of a private key.
 *
 * @throws RangeError when it is neither an RSA key nor a key on P-256, P-384 or P-521
 */
export function privateKeyForm(label: string, der: Uint8Array): KeyForm | undefined {
  const form = privateKeyAsPkcs8(label, der, malformed);
  return form && { der: form, algorithm: algorithmOf(fieldsOf(form)[1]?.raw) };
}

/**
 * Returns the public key in a PEM block; undefined when the label is not that of a public key.
 *
 * @throws RangeError as {@link privateKeyForm} does
 */
export function publicKeyForm(label: string, der: Uint8Array): KeyForm | undefined {
  if (!Object.hasOwn(publicForms, label)) return undefined;
  const form = ownMember(publicForms, label)?.(der) ?? der;
  return { der: form, algorithm: algorithmOf(fieldsOf(form)[0]?.raw) };
}

function algorithmOf(keyType: Uint8Array | undefined): SigningAlgorithm {
  const algorithm = keyType && algorithmOfKeyType(keyType);
  if (algorithm === undefined)
    throw new RangeError('the key is neither an RSA key nor an ECDSA key on P-256, P-384 or P-521');
  return algorithm;
}

/** `TBSCertificate ::= SEQUENCE { version [0] OPTIONAL, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, … }` */
function keyOfCertificate(der: Uint8Array): Uint8Array {
  const [certificate] = fieldsOf(der);
  const fields = reader(certificate?.content ?? new Uint8Array()).rest(MALFORMED);
  const key = fields[fields[0]?.tag === constructedContextTag(0) ? 6 : 5];
  if (key === undefined) throw new RangeError('the certificate has no key');
  return key.raw;
}

const MALFORMED = 'unexpected DER';
const malformed = (problem: string): Error => new RangeError(problem);
const reader = (bytes: Uint8Array): DerReader => new DerReader(bytes, malformed);

/** Returns the elements of a SEQUENCE. @throws RangeError when the bytes are not a well-formed SEQUENCE */
function fieldsOf(der: Uint8Array): DerElement[] {
  return reader(der).enterOnly(DerTag.sequence, MALFORMED).rest(MALFORMED);
}
