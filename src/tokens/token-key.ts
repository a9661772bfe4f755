/**
 * Keys that sign tokens, and keys that check signatures.
 *
 * @module
 */
import type { SigningAlgorithm } from './signing-algorithms.js';

/** A public key: checks signatures. */
export interface TokenVerifier {
  /**
   * Name of the key in the header of a token (`kid`): SHA-256 of the DER of its SubjectPublicKeyInfo as base64url, so that the
   * same key has the same name everywhere.
   */
  readonly keyId: string;
  /** The only algorithm whose signatures it takes. */
  readonly algorithm: SigningAlgorithm;
  /** The key itself: PEM of its SubjectPublicKeyInfo. */
  readonly publicKeyPem: string;
  /**
   * Whether a signature is this key's. Answers at once where the platform can.
   *
   * @param signingInput any text, taken as UTF-8: in a token, header and payload as they stand there
   * @param signature base64url, as it stands in the token
   */
  verify(signingInput: string, signature: string): boolean | Promise<boolean>;
}

/** A private key: signs. Nothing that it shows of itself is secret. */
export interface TokenSigner {
  /** As {@link TokenVerifier.keyId}. */
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** What checks its signatures. */
  readonly publicKey: TokenVerifier;
  /**
   * The signature of some text, as base64url. Answers at once where the platform can.
   *
   * @param signingInput any text, taken as UTF-8: in a token, header and payload as they will stand there
   */
  sign(signingInput: string): string | Promise<string>;
}

/** How keys are made to work. */
export interface KeyOptions {
  /**
   * Whose cryptography is used: the host's own, which is synchronous, or WebCrypto, which every platform has. Default: the
   * host's where there is one.
   */
  readonly cryptography?: 'host' | 'web';
}
