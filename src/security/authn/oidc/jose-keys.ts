import type { JSONWebKeySet, LocalJWKSet } from 'jose';
import { ownMember } from '../../../foundation/index.js';
import { parseJsonObject } from './document.js';

/** Keys for the verification of tokens. */
export interface VerificationKeys {
  /** Returns whether one of the keys signed the token. */
  verifies(compact: string): Promise<boolean>;
}

/**
 * Maximum number of keys that a token without `kid` is tried with: each takes a quarter of a millisecond, and anyone can
 * send such tokens. With several keys, a token must name its own (OpenID Connect Core, section 10.1).
 */
const MAX_TRIED = 8;

let library: Promise<typeof import('jose')> | undefined;

/** Loads jose on first use. */
const jose = (): Promise<typeof import('jose')> => (library ??= import('jose'));

/**
 * Parses a JSON Web Key Set (RFC 7517 section 5). A key applies to a token when its type fits the token's algorithm and
 * its `kid`, `alg`, `use`, `key_ops` and `crv`, if present, fit too. Key parameters in the token (`jku`, `jwk`, `x5u`,
 * `x5c`) are ignored. A token without `kid` is tried with the first {@link MAX_TRIED} keys that fit.
 *
 * @throws Error when the text is not a key set, or has too many keys
 */
export async function readKeySet(
  text: string,
  algorithms: readonly string[],
  maxKeys: number,
): Promise<VerificationKeys> {
  const set = checkKeySet(parseJsonObject(text, 'the key set'), maxKeys);
  const { createLocalJWKSet } = await jose();
  const keys = createLocalJWKSet(set);
  return { verifies: (compact) => verifies(compact, keys, algorithms) };
}

function checkKeySet(document: Record<string, unknown>, maxKeys: number): JSONWebKeySet {
  const keys = ownMember(document, 'keys');
  if (!Array.isArray(keys) || !keys.every(isKey)) throw new Error('the key set has no list of keys');
  if (keys.length > maxKeys) throw new Error(`the key set has more than ${maxKeys} keys`);
  return { keys };
}

function isKey(value: unknown): value is JSONWebKeySet['keys'][number] {
  return typeof value === 'object' && value !== null && 'kty' in value && typeof value.kty === 'string';
}

async function verifies(compact: string, keys: LocalJWKSet, algorithms: readonly string[]): Promise<boolean> {
  const { compactVerify, errors } = await jose();
  const options = { algorithms: [...algorithms] };
  try {
    await compactVerify(compact, keys, options);
    return true;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return false;
    let left = MAX_TRIED;
    for await (const key of error) {
      left -= 1;
      const verified = await compactVerify(compact, key, options).then(
        () => true,
        () => false,
      );
      if (verified || left === 0) return verified;
    }
    return false;
  }
}
