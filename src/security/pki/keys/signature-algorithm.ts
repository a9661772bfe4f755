/**
 * Signature algorithms of certificates (RFC 3279, RFC 4055, RFC 5758, RFC 8410).
 *
 * @module
 */
import { constructedContextTag, DerTag, type DerReader } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import { X509Error } from '../x509-error.js';
import { isNull, parseAlgorithmIdentifier, type AlgorithmIdentifier } from './public-key.js';

/** Accepted hashes. */
export type SignatureHash = 'SHA-256' | 'SHA-384' | 'SHA-512';

/** A signature algorithm. */
export type SignatureAlgorithm =
  | { readonly name: string; readonly scheme: 'RSASSA-PKCS1-v1_5' | 'RSA-PSS' | 'ECDSA'; readonly hash: SignatureHash }
  | { readonly name: string; readonly scheme: 'Ed25519' }
  /** Known but insecure: its hash has practical collisions. */
  | {
      readonly name: string;
      readonly scheme: 'insecure';
      /**
       * SHA-1 scheme for certificate requests, where SHA-1 suffices to prove possession of the key. Undefined when
       * never accepted.
       */
      readonly proof?: 'RSASSA-PKCS1-v1_5' | 'ECDSA' | undefined;
    }
  | { readonly name: string; readonly scheme: 'unknown' };

const hashesByIdentifier: ReadonlyMap<string, readonly [SignatureHash, number]> = new Map([
  ['2.16.840.1.101.3.4.2.1', ['SHA-256', 32]],
  ['2.16.840.1.101.3.4.2.2', ['SHA-384', 48]],
  ['2.16.840.1.101.3.4.2.3', ['SHA-512', 64]],
]);
const MGF1 = '1.2.840.113549.1.1.8';
const RSA_PSS = '1.2.840.113549.1.1.10';
const ED25519 = '1.3.101.112';

const algorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map<string, SignatureAlgorithm>([
  ['1.2.840.113549.1.1.4', { name: 'MD5-RSA', scheme: 'insecure' }],
  ['1.2.840.113549.1.1.5', { name: 'SHA1-RSA', scheme: 'insecure', proof: 'RSASSA-PKCS1-v1_5' }],
  ['1.3.14.3.2.29', { name: 'SHA1-RSA', scheme: 'insecure', proof: 'RSASSA-PKCS1-v1_5' }],
  ['1.2.840.10040.4.3', { name: 'DSA-SHA1', scheme: 'insecure' }],
  ['1.2.840.10045.4.1', { name: 'ECDSA-SHA1', scheme: 'insecure', proof: 'ECDSA' }],
  ['1.2.840.113549.1.1.11', { name: 'SHA256-RSA', scheme: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }],
  ['1.2.840.113549.1.1.12', { name: 'SHA384-RSA', scheme: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' }],
  ['1.2.840.113549.1.1.13', { name: 'SHA512-RSA', scheme: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }],
  ['1.2.840.10045.4.3.2', { name: 'ECDSA-SHA256', scheme: 'ECDSA', hash: 'SHA-256' }],
  ['1.2.840.10045.4.3.3', { name: 'ECDSA-SHA384', scheme: 'ECDSA', hash: 'SHA-384' }],
  ['1.2.840.10045.4.3.4', { name: 'ECDSA-SHA512', scheme: 'ECDSA', hash: 'SHA-512' }],
]);

/**
 * Returns the signature algorithm of an identifier. Unsupported algorithms and parameters are `unknown` and never
 * verify.
 */
export function signatureAlgorithmOf({ identifier, parameters }: AlgorithmIdentifier): SignatureAlgorithm {
  const unknown: SignatureAlgorithm = { name: identifier, scheme: 'unknown' };
  if (identifier === RSA_PSS) return parameters === undefined ? unknown : (pssAlgorithm(parameters) ?? unknown);
  if (identifier === ED25519) return parameters === undefined ? { name: 'Ed25519', scheme: 'Ed25519' } : unknown;
  return algorithms.get(identifier) ?? unknown;
}

/**
 * Parses RSA-PSS parameters. As in Go: the same hash for message and mask, a salt of the hash's length, the default
 * trailer.
 */
function pssAlgorithm(parameters: Uint8Array): SignatureAlgorithm | undefined {
  try {
    const problem = 'x509: malformed parameters';
    const reader = derReader(parameters).enter(DerTag.sequence, problem);
    const field = (number: number): DerReader => reader.enter(constructedContextTag(number), problem);
    const hash = parseAlgorithmIdentifier(field(0).enter(DerTag.sequence, problem));
    const mask = parseAlgorithmIdentifier(field(1).enter(DerTag.sequence, problem));
    const maskHash = parseAlgorithmIdentifier(
      derReader(mask.parameters ?? new Uint8Array(0)).enter(DerTag.sequence, problem),
    );
    const salt = field(2).smallInteger(problem);
    const trailer = reader.done ? 1 : field(3).smallInteger(problem);
    reader.end(problem);
    const [name, length] = hashesByIdentifier.get(hash.identifier) ?? [];
    const plain = [hash, maskHash].every(
      (algorithm) => algorithm.parameters === undefined || isNull(algorithm.parameters),
    );
    const usual =
      plain && mask.identifier === MGF1 && maskHash.identifier === hash.identifier && salt === length && trailer === 1;
    return usual && name !== undefined
      ? { name: `${name.replace('-', '')}-RSAPSS`, scheme: 'RSA-PSS', hash: name }
      : undefined;
  } catch (error) {
    if (error instanceof X509Error) return undefined;
    throw error;
  }
}
