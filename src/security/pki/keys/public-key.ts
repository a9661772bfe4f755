/**
 * Parses public keys (RFC 5280 section 4.1.2.7, RFC 3279, RFC 5480, RFC 8410).
 *
 * @module
 */
import { DerTag, equalBytes, isDerInteger, type DerElement, type DerReader } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import { malformed } from '../x509-error.js';

/** Curves of ECDSA keys. */
export type EllipticCurve = 'P-224' | 'P-256' | 'P-384' | 'P-521';

/** The kind of a key, and `unknown` for unsupported keys. */
export type PublicKeyFacts =
  | { readonly algorithm: 'RSA'; readonly modulusBits: number; readonly exponent: number }
  | { readonly algorithm: 'ECDSA'; readonly curve: EllipticCurve }
  | { readonly algorithm: 'Ed25519' }
  | { readonly algorithm: 'unknown'; readonly identifier: string };

/** A public key. */
export interface PublicKey {
  /** DER `SubjectPublicKeyInfo`. Two keys are equal when these bytes are equal. */
  readonly raw: Uint8Array;
  readonly facts: PublicKeyFacts;
}

/** An algorithm and its parameters. */
export interface AlgorithmIdentifier {
  /** Object identifier in dots. */
  readonly identifier: string;
  /** DER of the parameters, with tag and length; undefined when absent. */
  readonly parameters: Uint8Array | undefined;
}

/** Object identifiers of key types. */
export const KeyType = {
  rsa: '1.2.840.113549.1.1.1',
  ellipticCurve: '1.2.840.10045.2.1',
  ed25519: '1.3.101.112',
} as const;

/** DER of NULL. */
const NULL = Uint8Array.of(DerTag.null, 0);

/** Returns true when the parameters are NULL. */
export function isNull(parameters: Uint8Array | undefined): boolean {
  return parameters !== undefined && equalBytes(parameters, NULL);
}

/** Parses the content of an `AlgorithmIdentifier`. @throws X509Error when it is malformed */
export function parseAlgorithmIdentifier(reader: DerReader): AlgorithmIdentifier {
  const identifier = reader.objectIdentifier('x509: malformed OID');
  const parameters = reader.done ? undefined : reader.any('x509: malformed parameters').raw;
  reader.end('x509: malformed parameters');
  return { identifier, parameters };
}

/**
 * Parses a `SubjectPublicKeyInfo`. Accepts only one encoding of each key, so keys can be compared as bytes.
 *
 * @throws X509Error when it is malformed or the curve is unknown
 */
export function parsePublicKey({ raw, content }: DerElement): PublicKey {
  const reader = derReader(content);
  const algorithm = parseAlgorithmIdentifier(
    reader.enter(DerTag.sequence, 'x509: malformed public key algorithm identifier'),
  );
  const problem = 'x509: malformed subjectPublicKey';
  const { bytes, unusedBits } = reader.bitString(problem);
  reader.end('x509: malformed spki');
  if (unusedBits !== 0) throw malformed(problem);
  return {
    raw,
    facts: keyTypes.get(algorithm.identifier)?.(algorithm, bytes) ?? {
      algorithm: 'unknown',
      identifier: algorithm.identifier,
    },
  };
}

const keyTypes: ReadonlyMap<string, (algorithm: AlgorithmIdentifier, key: Uint8Array) => PublicKeyFacts> = new Map<
  string,
  (algorithm: AlgorithmIdentifier, key: Uint8Array) => PublicKeyFacts
>([
  [KeyType.rsa, rsaKey],
  [KeyType.ellipticCurve, ellipticCurveKey],
  [KeyType.ed25519, ed25519Key],
]);

function rsaKey({ parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKeyFacts {
  if (!isNull(parameters)) throw malformed('x509: RSA key missing NULL parameters');
  const outer = derReader(key);
  const reader = outer.enter(DerTag.sequence, 'x509: invalid RSA public key');
  const { content: modulus } = reader.element(DerTag.integer, 'x509: invalid RSA modulus');
  const exponent = reader.smallInteger('x509: invalid RSA public exponent');
  reader.end('x509: invalid RSA public key');
  outer.end('x509: invalid RSA public key');
  if (!isDerInteger(modulus)) throw malformed('x509: invalid RSA modulus');
  if ((modulus[0] ?? 0) >= 0x80 || modulus.every((octet) => octet === 0))
    throw malformed('x509: RSA modulus is not a positive number');
  if (exponent < 1) throw malformed('x509: RSA public exponent is not a positive number');
  return { algorithm: 'RSA', modulusBits: bitLength(modulus), exponent };
}

function bitLength(positive: Uint8Array): number {
  const from = positive[0] === 0 ? 1 : 0;
  return (positive.length - from) * 8 - (Math.clz32(positive[from] ?? 0) - 24);
}

/** Octets of a coordinate of a point, and of each number of a signature. */
export const coordinateOctets: Readonly<Record<EllipticCurve, number>> = {
  'P-224': 28,
  'P-256': 32,
  'P-384': 48,
  'P-521': 66,
};

const curves: ReadonlyMap<string, EllipticCurve> = new Map([
  ['1.3.132.0.33', 'P-224'],
  ['1.2.840.10045.3.1.7', 'P-256'],
  ['1.3.132.0.34', 'P-384'],
  ['1.3.132.0.35', 'P-521'],
]);

/** Returns the curve with an object identifier, or undefined. */
export function curveOfIdentifier(identifier: string): EllipticCurve | undefined {
  return curves.get(identifier);
}

function ellipticCurveKey({ parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKeyFacts {
  const problem = 'x509: invalid ECDSA parameters';
  const identifier = derReader(parameters ?? new Uint8Array(0)).objectIdentifier(problem);
  const curve = curveOfIdentifier(identifier);
  if (curve === undefined) throw malformed('x509: unsupported elliptic curve');
  // Only uncompressed points. Use of the key verifies that the point is on the curve.
  if (key[0] !== 4 || key.length !== 1 + 2 * coordinateOctets[curve])
    throw malformed('x509: failed to unmarshal elliptic curve point');
  return { algorithm: 'ECDSA', curve };
}

function ed25519Key({ parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKeyFacts {
  if (parameters !== undefined) throw malformed('x509: Ed25519 key encoded with illegal parameters');
  if (key.length !== 32) throw malformed('x509: wrong Ed25519 public key size');
  return { algorithm: 'Ed25519' };
}
