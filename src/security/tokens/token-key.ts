/**
 * Keys that sign tokens and keys that verify signatures.
 *
 * @module
 */
import type { SigningAlgorithm } from './signing-algorithms.js';

/** A public key, which verifies signatures. */
export interface TokenVerifier {
  /**
   * Key id in the header of a token (`kid`): the SHA-256 of the DER of its SubjectPublicKeyInfo as base64url, so a key
   * has the same id everywhere.
   */
  readonly keyId: string;
  /** The only algorithm that the key accepts. */
  readonly algorithm: SigningAlgorithm;
  /** The key: its SubjectPublicKeyInfo in PEM. */
  readonly publicKeyPem: string;
  /**
   * Returns whether this key made a signature. Synchronous where the platform allows it.
   *
   * @param signingInput the signed string, in UTF-8: in a token, header and payload as they are in the token
   * @param signature base64url, as in the token
   */
  verify(signingInput: string, signature: string): boolean | Promise<boolean>;
}

/** A private key, which signs. Its public members contain no secret. */
export interface TokenSigner {
  /** See {@link TokenVerifier.keyId}. */
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** The key that verifies its signatures. */
  readonly publicKey: TokenVerifier;
  /**
   * Returns the signature of a string as base64url. Synchronous where the platform allows it.
   *
   * @param signingInput the signed string, in UTF-8: in a token, header and payload as they will be in the token
   */
  sign(signingInput: string): string | Promise<string>;
}

/** Options of keys. */
export interface KeyOptions {
  /**
   * The cryptography to use: the host's own, which is synchronous, or WebCrypto, which every platform has. Default: the
   * host's where it exists.
   */
  readonly cryptography?: 'host' | 'web' | undefined;
}
