/**
 * The types of WebCrypto that are part of what users see, read off the value: their names belong to the DOM library, which a
 * program for Node need not have.
 *
 * @module
 */

/** A key of the platform's WebCrypto (`CryptoKey`). */
export type WebKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A private key and its public key (`CryptoKeyPair`). */
export interface WebKeyPair {
  readonly privateKey: WebKey;
  readonly publicKey: WebKey;
}

/** What keys are imported as: RSA with a hash, or a named curve. */
export type WebKeyParameters =
  { readonly name: string; readonly hash: string } | { readonly name: string; readonly namedCurve: string };

/** What a signature is made with: a name, for ECDSA with a hash. */
export type WebSignatureParameters = string | { readonly name: string; readonly hash: string };
