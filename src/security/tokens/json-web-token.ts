/**
 * JSON Web Tokens in the compact form (RFC 7515 section 7.1, RFC 7519): strict parsing, signing, and verification.
 *
 * @module
 */
import { decodeBase64UrlText, encodeBase64UrlText, type JsonObject } from '../../foundation/index.js';
import { parseClaims } from './json-claims.js';
import { isSigningAlgorithm, type SigningAlgorithm } from './signing-algorithms.js';
import type { TokenSigner, TokenVerifier } from './token-key.js';

/** Default maximum length of a token, in characters. */
export const MAX_TOKEN_LENGTH = 16_384;

/** A parsed token; nothing in it is verified. */
export interface JsonWebToken {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** The signed part: header and payload as in the token. */
  readonly signingInput: string;
  /** The signature as in the token. */
  readonly signature: string;
}

/** The error of an invalid token. The message states the reason and contains no secret part of the token. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
}

/**
 * Parses a token: three parts of base64url without padding, of which the first two are JSON objects in UTF-8 without
 * duplicate names.
 *
 * @param maxLength maximum length in characters
 * @returns undefined when the string does not have the form of a token
 */
export function parseJsonWebToken(token: string, maxLength: number = MAX_TOKEN_LENGTH): JsonWebToken | undefined {
  if (token.length > maxLength) return undefined;
  const headerEnd = token.indexOf('.');
  const payloadEnd = token.indexOf('.', headerEnd + 1);
  if (headerEnd < 0 || payloadEnd < 0) return undefined;
  const signature = token.slice(payloadEnd + 1);
  if (signature.includes('.')) return undefined;
  const payload = parsePart(token.slice(headerEnd + 1, payloadEnd));
  const header = payload && parsePart(token.slice(0, headerEnd));
  return header && { header, payload, signingInput: token.slice(0, payloadEnd), signature };
}

function parsePart(part: string): JsonObject | undefined {
  const text = decodeBase64UrlText(part);
  return text === undefined ? undefined : parseClaims(text);
}

/**
 * Finds the key that signed a token. The header's `kid` selects the keys; without it, every key is tried. The header is
 * trusted in nothing else: the algorithm is the key's, and keys in the token (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
 * Synchronous as long as the keys are.
 *
 * @throws InvalidTokenError when no key signed the token, the header has an unsupported algorithm or requires an
 * extension (`crit`); as a rejection when a key verifies asynchronously
 */
export function verifyJsonWebToken(
  token: JsonWebToken,
  keys: readonly TokenVerifier[],
): TokenVerifier | Promise<TokenVerifier> {
  const { algorithm, keyId } = readHeader(token.header);
  if (!keys.some((key) => keyId === undefined || key.keyId === keyId))
    throw new InvalidTokenError('invalid signature, no keys found');
  return tryKeys(token, keys, (key) => (keyId === undefined || key.keyId === keyId) && key.algorithm === algorithm, 0);
}

function tryKeys(
  token: JsonWebToken,
  keys: readonly TokenVerifier[],
  isCandidate: (key: TokenVerifier) => boolean,
  from: number,
): TokenVerifier | Promise<TokenVerifier> {
  for (let index = from; index < keys.length; index += 1) {
    const key = keys[index];
    if (key === undefined || !isCandidate(key)) continue;
    const verified = key.verify(token.signingInput, token.signature);
    if (verified === true) return key;
    if (verified !== false)
      return verified.then((isSigner) => (isSigner ? key : tryKeys(token, keys, isCandidate, index + 1)));
  }
  throw new InvalidTokenError('invalid signature');
}

function readHeader({ alg, kid, crit }: JsonObject): {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string | undefined;
} {
  if (crit !== undefined) throw new InvalidTokenError('unsupported crit header');
  if (!isSigningAlgorithm(alg)) throw new InvalidTokenError('unexpected signature algorithm');
  if (kid !== undefined && typeof kid !== 'string') throw new InvalidTokenError('kid header is not a string');
  return { algorithm: alg, keyId: kid === '' ? undefined : kid };
}

/**
 * Signs a token.
 *
 * @param payload claims, in the order in which they are written
 */
export function signJsonWebToken(signer: TokenSigner, payload: JsonObject): string | Promise<string> {
  const header = JSON.stringify({ alg: signer.algorithm, kid: signer.keyId });
  const signingInput = `${encodeBase64UrlText(header)}.${encodeBase64UrlText(JSON.stringify(payload))}`;
  const signature = signer.sign(signingInput);
  return typeof signature === 'string'
    ? `${signingInput}.${signature}`
    : signature.then((text) => `${signingInput}.${text}`);
}
