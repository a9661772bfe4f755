/**
 * Verifies signatures with WebCrypto, which exists on every platform and does not block the thread that serves
 * requests. Fast algorithms are verified synchronously when the host supports it.
 *
 * @module
 */
import { DerTag, isDerInteger } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import { X509Error } from '../x509-error.js';
import { hostVerification } from './host-p256.js';
import { coordinateOctets, type EllipticCurve, type PublicKey, type PublicKeyFacts } from './public-key.js';
import type { SignatureAlgorithm } from './signature-algorithm.js';

/** Signed bytes and their signature. */
export interface SignedBytes {
  readonly signed: Uint8Array;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Uint8Array;
}

/** The WebCrypto parameters to import a key and verify a signature with it. */
interface Method {
  readonly key: RsaHashedImportParams | EcKeyImportParams | Algorithm;
  /**
   * Octets of the point at the end of an elliptic curve key. Importing only the point takes a third of the time. Other
   * keys are imported whole.
   */
  readonly pointOctets?: number | undefined;
  /** Synchronous verification by the host, if it supports it. @param point point of the key */
  readonly synchronous?: typeof hostVerification | undefined;
  readonly verify: AlgorithmIdentifier | RsaPssParams | EcdsaParams;
  /** Converts the signature to the form of WebCrypto; undefined when it is invalid. */
  readonly signature: (der: Uint8Array) => Uint8Array<ArrayBuffer> | undefined;
  /** Go's text for a wrong signature. */
  readonly wrong: string;
}

/** Maximum size of an RSA key, as in Go's TLS. Larger keys would allow denial of service. */
const MAX_RSA_BITS = 8192;

const UNIMPLEMENTED = 'x509: cannot verify signature: algorithm unimplemented';

/**
 * Verifies a signature.
 *
 * @returns the error, or undefined when the signature is valid
 */
export function checkSignature(what: SignedBytes, publicKey: PublicKey): Promise<X509Error | undefined> {
  return check(what, publicKey, methodOf(what.signatureAlgorithm, publicKey.facts));
}

/**
 * Verifies the signature of a certificate request, which proves possession of the key. As in Go, SHA-1 is accepted: a
 * collision would be for the same key.
 *
 * @returns the error, or undefined when the signature is valid
 */
export function checkRequestSignature(
  request: SignedBytes & { readonly publicKey: PublicKey },
): Promise<X509Error | undefined> {
  const { signatureAlgorithm, publicKey } = request;
  const { name, scheme } = signatureAlgorithm;
  const proof = scheme === 'insecure' ? signatureAlgorithm.proof : undefined;
  return check(
    request,
    publicKey,
    methodOf(proof === undefined ? signatureAlgorithm : { name, scheme: proof, hash: 'SHA-1' }, publicKey.facts),
  );
}

/** @param method the parameters, or the error text when verification is not possible */
async function check(what: SignedBytes, publicKey: PublicKey, method: Method | string): Promise<X509Error | undefined> {
  if (typeof method === 'string') return refusal(method);
  const signature = method.signature(what.signature);
  if (signature === undefined) return refusal(method.wrong);
  try {
    return (await verify(method, publicKey, signature, what.signed)) ? undefined : refusal(method.wrong);
  } catch (error) {
    // The point is not on its curve, or the platform does not support the key or the algorithm.
    return refusal(error instanceof Error && error.name === 'NotSupportedError' ? UNIMPLEMENTED : method.wrong);
  }
}

/** @throws Error when the key is invalid or the platform does not support the algorithm */
async function verify(
  method: Method,
  { raw }: PublicKey,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array,
): Promise<boolean> {
  const { pointOctets } = method;
  const bytes = new Uint8Array(pointOctets === undefined ? raw : raw.subarray(-pointOctets));
  const verifySynchronously = method.synchronous?.(bytes);
  if (verifySynchronously !== undefined) return verifySynchronously(signed, signature);
  const key = await crypto.subtle.importKey(pointOctets === undefined ? 'spki' : 'raw', bytes, method.key, false, [
    'verify',
  ]);
  return crypto.subtle.verify(method.verify, key, signature, new Uint8Array(signed));
}

function refusal(message: string): X509Error {
  return new X509Error('InvalidSignature', message);
}

/** A SHA-1 algorithm, accepted for certificate requests only. */
interface WeakAlgorithm {
  readonly name: string;
  readonly scheme: 'RSASSA-PKCS1-v1_5' | 'ECDSA';
  readonly hash: 'SHA-1';
}

/** Returns the parameters, or the error text when verification is not possible. */
function methodOf(algorithm: SignatureAlgorithm | WeakAlgorithm, key: PublicKeyFacts): Method | string {
  const { scheme } = algorithm;
  if (scheme === 'insecure') return `x509: cannot verify signature: insecure algorithm ${algorithm.name}`;
  if (scheme === 'unknown' || key.algorithm === 'unknown') return UNIMPLEMENTED;
  const wanted = scheme === 'Ed25519' || scheme === 'ECDSA' ? scheme : 'RSA';
  if (key.algorithm !== wanted)
    return `x509: signature algorithm specifies an ${wanted} public key, but have public key of type ${key.algorithm}`;
  if (scheme === 'Ed25519')
    return {
      key: { name: scheme },
      verify: scheme,
      signature: (bytes) => new Uint8Array(bytes),
      wrong: 'x509: Ed25519 verification failure',
    };
  if (key.algorithm === 'ECDSA') return ellipticMethod(key.curve, algorithm.hash);
  return key.algorithm === 'RSA' ? rsaMethod(key, scheme, algorithm.hash) : UNIMPLEMENTED;
}

function rsaMethod(
  { modulusBits, exponent }: PublicKeyFacts & { algorithm: 'RSA' },
  scheme: string,
  hash: string,
): Method | string {
  if (modulusBits > MAX_RSA_BITS) return `x509: RSA key of ${modulusBits} bits is larger than ${MAX_RSA_BITS}`;
  if (exponent < 2) return 'crypto/rsa: public exponent too small';
  const verify = scheme === 'RSA-PSS' ? { name: scheme, saltLength: Number(hash.slice(-3)) / 8 } : { name: scheme };
  return {
    key: { name: scheme, hash },
    verify,
    signature: (bytes) => new Uint8Array(bytes),
    wrong: 'crypto/rsa: verification error',
  };
}

function ellipticMethod(curve: EllipticCurve, hash: string): Method | string {
  // No WebCrypto implementation supports it.
  if (curve === 'P-224') return UNIMPLEMENTED;
  const octets = coordinateOctets[curve];
  return {
    key: { name: 'ECDSA', namedCurve: curve },
    pointOctets: 1 + 2 * octets,
    ...(curve === 'P-256' && hash === 'SHA-256' ? { synchronous: hostVerification } : {}),
    verify: { name: 'ECDSA', hash },
    signature: (der) => plainSignature(der, octets),
    wrong: 'x509: ECDSA verification failure',
  };
}

/**
 * Converts an ECDSA signature (RFC 3279 section 2.2.3) to the form of WebCrypto: both numbers in full length,
 * concatenated.
 */
function plainSignature(der: Uint8Array, octets: number): Uint8Array<ArrayBuffer> | undefined {
  const plain = new Uint8Array(2 * octets);
  try {
    const outer = derReader(der);
    const reader = outer.enter(DerTag.sequence, '');
    for (const end of [octets, 2 * octets]) {
      const { content } = reader.element(DerTag.integer, '');
      const digits = content[0] === 0 ? content.subarray(1) : content;
      if (!isDerInteger(content) || (content[0] ?? 0) >= 0x80 || digits.length > octets) return undefined;
      plain.set(digits, end - digits.length);
    }
    reader.end('');
    outer.end('');
    return plain;
  } catch (error) {
    if (error instanceof X509Error) return undefined;
    throw error;
  }
}
