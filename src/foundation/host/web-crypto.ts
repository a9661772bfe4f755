/**
 * The types of WebCrypto in the public API, derived from the value: their names belong to the DOM library, which a
 * program for Node may not have.
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

/** The algorithm of an imported key: RSA with a hash, or a named curve. */
export type WebKeyParameters =
  { readonly name: string; readonly hash: string } | { readonly name: string; readonly namedCurve: string };

/** The algorithm of a signature: a name, and for ECDSA a hash. */
export type WebSignatureParameters = string | { readonly name: string; readonly hash: string };
