/**
 * Converts private keys to PKCS #8 (RFC 5208) from PKCS #1 (RFC 8017) and SEC 1 (RFC 5915).
 *
 * @module
 */
import { DerReader, type DerFailure } from './der-reader.js';
import { derInteger, derOctetString, derSequence, derValue, type Der } from './der-writer.js';
import { constructedContextTag, DerTag } from './der.js';

/** `AlgorithmIdentifier` of RSA keys: 1.2.840.113549.1.1.1 with NULL. */
const RSA = derSequence(
  derValue(DerTag.objectIdentifier, Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01)),
  derValue(DerTag.null),
);
/** Object identifier of elliptic curve keys, 1.2.840.10045.2.1. */
const ELLIPTIC_CURVE = derValue(DerTag.objectIdentifier, Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01));

/**
 * Returns the PKCS #8 form of the private key in a PEM block; undefined when the label is not that of a private key.
 *
 * @param failure creates the error for a malformed key
 */
export function privateKeyAsPkcs8(label: string, der: Uint8Array, failure: DerFailure): Der | undefined {
  if (label === 'PRIVATE KEY') return new Uint8Array(der);
  if (label === 'RSA PRIVATE KEY') return pkcs8(RSA, der);
  if (label === 'EC PRIVATE KEY') return pkcs8(derSequence(ELLIPTIC_CURVE, curveOf(der, failure)), der);
  return undefined;
}

/** `PrivateKeyInfo ::= SEQUENCE { version, privateKeyAlgorithm, privateKey OCTET STRING }` */
function pkcs8(algorithm: Der, key: Uint8Array): Der {
  return derSequence(derInteger(0), algorithm, derOctetString(key));
}

/** `ECPrivateKey ::= SEQUENCE { version, privateKey, parameters [0] OPTIONAL, publicKey [1] OPTIONAL }` */
function curveOf(ecPrivateKey: Uint8Array, failure: DerFailure): Uint8Array {
  const problem = 'unexpected DER';
  const fields = new DerReader(ecPrivateKey, failure).enter(DerTag.sequence, problem).rest(problem);
  const parameters = fields.find(({ tag }) => tag === constructedContextTag(0));
  if (parameters === undefined) throw failure('the key does not name its curve');
  return parameters.content;
}
