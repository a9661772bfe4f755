/**
 * Signatures, checked with WebCrypto: the work is done off the thread that serves requests, and every platform has it. What takes less
 * than the way there is done at once where the host can.
 *
 * @module
 */
import { isDerInteger } from '../encoding/der-values.js';
import { DerTag } from '../encoding/der.js';
import { derReader } from './der.js';
import { hostVerification } from './host-p256.js';
import type { EllipticCurve, PublicKey, PublicKeyFacts } from './public-key.js';
import type { SignatureAlgorithm } from './signature-algorithm.js';
import { X509Error } from './x509-error.js';

/** Something that was signed. */
export interface SignedBytes {
  readonly signed: Uint8Array;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Uint8Array;
}

/** How WebCrypto is to import a key and to use it. */
interface Method {
  readonly key: RsaHashedImportParams | EcKeyImportParams | Algorithm;
  /** Octets of the point that a key on a curve ends in. It is imported alone, which takes a third of the time; other keys are imported whole. */
  readonly pointOctets?: number;
  /** How the host checks by itself, where it can. @param point of the key */
  readonly atOnce?: typeof hostVerification;
  readonly verify: AlgorithmIdentifier | RsaPssParams | EcdsaParams;
  /** The signature as WebCrypto has it; undefined when it can be none. */
  readonly signature: (der: Uint8Array) => Uint8Array<ArrayBuffer> | undefined;
  /** Production's words for a wrong signature. */
  readonly wrong: string;
}

/** Largest RSA key, as in production's TLS: checking with larger ones is a way to keep a server busy. */
const MOST_RSA_BITS = 8192;

const UNIMPLEMENTED = 'x509: cannot verify signature: algorithm unimplemented';

/**
 * Checks a signature.
 *
 * @returns what is wrong with it; undefined when it is right
 */
export function checkSignature(what: SignedBytes, publicKey: PublicKey): Promise<X509Error | undefined> {
  return check(what, publicKey, methodOf(what.signatureAlgorithm, publicKey.facts));
}

/**
 * Checks that who made a request has the key that it is for. SHA-1 is taken, as in production: two requests with one signature
 * would be for one key.
 *
 * @returns what is wrong with the signature; undefined when it is right
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

/** @param method how to check, or why that cannot be done */
async function check(what: SignedBytes, publicKey: PublicKey, method: Method | string): Promise<X509Error | undefined> {
  if (typeof method === 'string') return refusal(method);
  const signature = method.signature(what.signature);
  if (signature === undefined) return refusal(method.wrong);
  try {
    return (await verify(method, publicKey, signature, what.signed)) ? undefined : refusal(method.wrong);
  } catch (error) {
    // A point that is not on its curve, a key that the platform does not take; or an algorithm that it does not have.
    return refusal(error instanceof Error && error.name === 'NotSupportedError' ? UNIMPLEMENTED : method.wrong);
  }
}

/** @throws Error for a key that is none, and what the platform has not */
async function verify(
  method: Method,
  { raw }: PublicKey,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array,
): Promise<boolean> {
  const { pointOctets } = method;
  const bytes = new Uint8Array(pointOctets === undefined ? raw : raw.subarray(-pointOctets));
  const atOnce = method.atOnce?.(bytes);
  if (atOnce !== undefined) return atOnce(signed, signature);
  const key = await crypto.subtle.importKey(pointOctets === undefined ? 'spki' : 'raw', bytes, method.key, false, [
    'verify',
  ]);
  return crypto.subtle.verify(method.verify, key, signature, new Uint8Array(signed));
}

function refusal(message: string): X509Error {
  return new X509Error('InvalidSignature', message);
}

/** SHA-1, where it is taken. */
interface WeakAlgorithm {
  readonly name: string;
  readonly scheme: 'RSASSA-PKCS1-v1_5' | 'ECDSA';
  readonly hash: 'SHA-1';
}

/** How to check, or why that cannot be done. */
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
  if (modulusBits > MOST_RSA_BITS) return `x509: RSA key of ${modulusBits} bits is larger than ${MOST_RSA_BITS}`;
  if (exponent < 2) return 'crypto/rsa: public exponent too small';
  const verify = scheme === 'RSA-PSS' ? { name: scheme, saltLength: Number(hash.slice(-3)) / 8 } : { name: scheme };
  return {
    key: { name: scheme, hash },
    verify,
    signature: (bytes) => new Uint8Array(bytes),
    wrong: 'crypto/rsa: verification error',
  };
}

/** Octets of each of the two numbers of a signature. */
const coordinateOctets: Readonly<Record<EllipticCurve, number>> = {
  'P-224': 28,
  'P-256': 32,
  'P-384': 48,
  'P-521': 66,
};

function ellipticMethod(curve: EllipticCurve, hash: string): Method | string {
  // Nobody's WebCrypto has it.
  if (curve === 'P-224') return UNIMPLEMENTED;
  const octets = coordinateOctets[curve];
  return {
    key: { name: 'ECDSA', namedCurve: curve },
    pointOctets: 1 + 2 * octets,
    ...(curve === 'P-256' && hash === 'SHA-256' ? { atOnce: hostVerification } : {}),
    verify: { name: 'ECDSA', hash },
    signature: (der) => plainSignature(der, octets),
    wrong: 'x509: ECDSA verification failure',
  };
}

/** The two numbers of a signature of ECDSA (RFC 3279 section 2.2.3) as WebCrypto wants them: each in full length, one after the other. */
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
