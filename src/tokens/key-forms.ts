/**
 * The forms in which keys come, and the two in which they are worked with: PKCS#8 (RFC 5208) for private keys,
 * SubjectPublicKeyInfo (RFC 5280 section 4.1) for public ones.
 *
 * @module
 */
import { DER_TAGS, readDer, readDerIn, writeDer } from './der.js';
import { algorithmFacts, algorithmOfKeyType, type SigningAlgorithm } from './signing-algorithms.js';

/** A key's bytes in one of the two forms, and the algorithm of its signatures. */
export interface KeyForm {
  readonly algorithm: SigningAlgorithm;
  readonly der: Uint8Array;
}

const ZERO = new Uint8Array([DER_TAGS.integer, 1, 0]);
/** Object identifier of all keys on elliptic curves, 1.2.840.10045.2.1. */
const EC_PUBLIC_KEY = new Uint8Array([0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]);
const RSA_KEY_TYPE = Uint8Array.from(algorithmFacts('RS256').keyType.match(/../g) ?? [], (hex) => parseInt(hex, 16));

/** How a private key of each label becomes PKCS#8. */
const privateForms: Readonly<Record<string, (der: Uint8Array) => Uint8Array>> = {
  'PRIVATE KEY': (der) => der,
  'RSA PRIVATE KEY': (der) => pkcs8(RSA_KEY_TYPE, der),
  'EC PRIVATE KEY': (der) => pkcs8(writeDer(DER_TAGS.sequence, EC_PUBLIC_KEY, curveOf(der)), der),
};

/** How a public key of each label becomes a SubjectPublicKeyInfo. */
const publicForms: Readonly<Record<string, (der: Uint8Array) => Uint8Array>> = {
  'PUBLIC KEY': (der) => der,
  'RSA PUBLIC KEY': (der) =>
    writeDer(DER_TAGS.sequence, RSA_KEY_TYPE, writeDer(DER_TAGS.bitString, new Uint8Array(1), der)),
  CERTIFICATE: keyOfCertificate,
};

/**
 * The private key in a PEM block; undefined when the block's label says that there is none.
 *
 * @throws RangeError when it is no RSA key, and on none of the curves P-256, P-384 and P-521
 */
export function privateKeyForm(label: string, der: Uint8Array): KeyForm | undefined {
  if (!Object.hasOwn(privateForms, label)) return undefined;
  const form = privateForms[label]?.(der) ?? der;
  return { der: form, algorithm: algorithmOf(readDerIn(form, DER_TAGS.sequence)[1]?.whole) };
}

/**
 * The public key in a PEM block; undefined when the block's label says that there is none.
 *
 * @throws RangeError as {@link privateKeyForm} does
 */
export function publicKeyForm(label: string, der: Uint8Array): KeyForm | undefined {
  if (!Object.hasOwn(publicForms, label)) return undefined;
  const form = publicForms[label]?.(der) ?? der;
  return { der: form, algorithm: algorithmOf(readDerIn(form, DER_TAGS.sequence)[0]?.whole) };
}

function algorithmOf(keyType: Uint8Array | undefined): SigningAlgorithm {
  const algorithm = keyType && algorithmOfKeyType(keyType);
  if (algorithm === undefined)
    throw new RangeError('the key is neither an RSA key nor an ECDSA key on P-256, P-384 or P-521');
  return algorithm;
}

/** `PrivateKeyInfo ::= SEQUENCE { version, privateKeyAlgorithm, privateKey OCTET STRING }` */
function pkcs8(keyType: Uint8Array, key: Uint8Array): Uint8Array {
  return writeDer(DER_TAGS.sequence, ZERO, keyType, writeDer(DER_TAGS.octetString, key));
}

/** `ECPrivateKey ::= SEQUENCE { version, privateKey, parameters [0] OPTIONAL, publicKey [1] OPTIONAL }` (RFC 5915) */
function curveOf(ecPrivateKey: Uint8Array): Uint8Array {
  const parameters = readDerIn(ecPrivateKey, DER_TAGS.sequence).find(({ tag }) => tag === DER_TAGS.context0);
  if (parameters === undefined) throw new RangeError('the key does not say on which curve it is');
  return parameters.content;
}

/** `TBSCertificate ::= SEQUENCE { version [0] OPTIONAL, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, … }` */
function keyOfCertificate(der: Uint8Array): Uint8Array {
  const [certificate] = readDerIn(der, DER_TAGS.sequence);
  const fields = readDer(certificate?.content ?? new Uint8Array());
  const key = fields[fields[0]?.tag === DER_TAGS.context0 ? 6 : 5];
  if (key === undefined) throw new RangeError('the certificate has no key');
  return key.whole;
}
