/**
 * The signature algorithms of service account tokens (RFC 7518 section 3.1). Each belongs to one key type, so the key
 * determines the algorithm and a token's header is never trusted.
 *
 * @module
 */
import {
  encodeHex,
  type HostHash,
  type WebKeyParameters,
  type WebSignatureParameters,
} from '../../foundation/index.js';

/** The properties of an algorithm. */
interface AlgorithmFacts {
  /** DER of the AlgorithmIdentifier of its keys, in hexadecimal (RFC 3279 section 2.3.1, RFC 5480 section 2.1.1). */
  readonly keyType: string;
  readonly hash: HostHash;
  /** Length of every signature in bytes; undefined when it depends on the key. */
  readonly signatureBytes: number | undefined;
  /** WebCrypto parameters of the keys and their signatures. */
  readonly webKey: WebKeyParameters;
  readonly webSignature: WebSignatureParameters;
}

function ecdsa(namedCurve: string, keyType: string, bits: 256 | 384 | 512, signatureBytes: number): AlgorithmFacts {
  return {
    keyType,
    hash: `sha${bits}`,
    signatureBytes,
    webKey: { name: 'ECDSA', namedCurve },
    webSignature: { name: 'ECDSA', hash: `SHA-${bits}` },
  };
}

const RSA = 'RSASSA-PKCS1-v1_5';

/** All algorithms, by their name in a header. */
export const signingAlgorithms: Readonly<Record<SigningAlgorithm, AlgorithmFacts>> = {
  RS256: {
    keyType: '300d06092a864886f70d0101010500',
    hash: 'sha256',
    signatureBytes: undefined,
    webKey: { name: RSA, hash: 'SHA-256' },
    webSignature: RSA,
  },
  ES256: ecdsa('P-256', '301306072a8648ce3d020106082a8648ce3d030107', 256, 64),
  ES384: ecdsa('P-384', '301006072a8648ce3d020106052b81040022', 384, 96),
  ES512: ecdsa('P-521', '301006072a8648ce3d020106052b81040023', 512, 132),
};

/** Name of an algorithm. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** Returns the properties of an algorithm. */
export function algorithmFacts(algorithm: SigningAlgorithm): AlgorithmFacts {
  return signingAlgorithms[algorithm];
}

/**
 * Returns whether a name is that of a supported algorithm; false for `none` and for algorithms with a shared secret.
 */
export function isSigningAlgorithm(name: unknown): name is SigningAlgorithm {
  return typeof name === 'string' && Object.hasOwn(signingAlgorithms, name);
}

const byKeyType: ReadonlyMap<string, SigningAlgorithm> = new Map(
  Object.entries(signingAlgorithms).flatMap(([name, { keyType }]) =>
    isSigningAlgorithm(name) ? [[keyType, name] as const] : [],
  ),
);

/** Returns the algorithm of a key type; undefined when the type is not supported. */
export function algorithmOfKeyType(algorithmIdentifier: Uint8Array): SigningAlgorithm | undefined {
  return byKeyType.get(encodeHex(algorithmIdentifier));
}
