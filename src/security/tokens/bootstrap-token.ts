/**
 * Bootstrap tokens, which authenticate a joining machine: `<id>.<secret>`, six and sixteen characters of a-z and 0-9.
 * The id is public. A Secret stores each token, as in the contract's "Bootstrap token secret".
 *
 * @module
 */
import { decodeBase64Text, parseTime, type Entropy, type ObjectMeta } from '../../foundation/index.js';

/** The two parts of a token. */
export interface BootstrapToken {
  /** Public id; it identifies the Secret, the user, and the signatures. */
  readonly id: string;
  readonly secret: string;
}

/** The fields of a token's Secret that are read. */
export interface BootstrapTokenSecret {
  readonly metadata: Pick<ObjectMeta, 'name' | 'deletionTimestamp'>;
  readonly type?: string | undefined;
  /** Base64 values by key. */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** A key of a token's Secret. */
export type BootstrapTokenKey =
  | 'token-id'
  | 'token-secret'
  | 'description'
  | 'expiration'
  | 'usage-bootstrap-authentication'
  | 'usage-bootstrap-signing'
  | 'auth-extra-groups';

/** Group of all users with a bootstrap token. */
export const BOOTSTRAPPERS_GROUP = 'system:bootstrappers';

const NAME_PREFIX = 'bootstrap-token-';
const ID_LENGTH = 6;
const SECRET_LENGTH = 16;
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** Limit for random bytes: larger ones would favour the first characters. */
const UNBIASED_BYTES = 256 - (256 % CHARACTERS.length);

/** Parses a token; returns undefined when the form is invalid. */
export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * Parses a token that must be valid.
 *
 * @throws TypeError when the form is invalid; the message does not contain the token
 */
export function requireBootstrapToken(text: string): BootstrapToken {
  const token = parseBootstrapToken(text);
  if (token === undefined) throw new TypeError('not a bootstrap token: it must have the form [a-z0-9]{6}.[a-z0-9]{16}');
  return token;
}

/** Generates a token, `<id>.<secret>`. */
export function generateBootstrapToken(entropy: Entropy): string {
  return `${randomCharacters(entropy, ID_LENGTH)}.${randomCharacters(entropy, SECRET_LENGTH)}`;
}

function randomCharacters(entropy: Entropy, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of entropy.bytes(length - text.length))
      if (byte < UNBIASED_BYTES) text += CHARACTERS.charAt(byte % CHARACTERS.length);
  }
  return text;
}

/** Returns the name of a token's Secret. */
export function bootstrapTokenSecretName(id: string): string {
  return `${NAME_PREFIX}${id}`;
}

/** Returns the text of a key in a token's Secret; empty when the key is missing or its value is not base64. */
export function bootstrapTokenText(secret: BootstrapTokenSecret, key: BootstrapTokenKey): string {
  const value = secret.data?.[key];
  return (value === undefined ? undefined : decodeBase64Text(value)) ?? '';
}

/**
 * Returns the expiry of a token, in milliseconds since the epoch; the token is expired from then on. Infinity for a
 * token without expiry, -Infinity for an invalid `expiration`: such a token is never valid.
 */
export function bootstrapTokenExpiry(secret: BootstrapTokenSecret): number {
  const text = bootstrapTokenText(secret, 'expiration');
  return text === '' ? Infinity : (parseTime(text) ?? -Infinity);
}

/**
 * Returns the groups of a token's user, sorted and unique: {@link BOOTSTRAPPERS_GROUP} and the extra groups. Returns
 * undefined when an extra group is not allowed; such a token is invalid.
 */
export function bootstrapTokenGroups(secret: BootstrapTokenSecret): string[] | undefined {
  const text = bootstrapTokenText(secret, 'auth-extra-groups');
  const extra = text === '' ? [] : text.split(',');
  return extra.every((group) => EXTRA_GROUP.test(group))
    ? [...new Set([BOOTSTRAPPERS_GROUP, ...extra])].sort()
    : undefined;
}

/**
 * Returns the token of a Secret that may sign at a time: its name and id match, `usage-bootstrap-signing` is `true`,
 * and it is not expired.
 *
 * @param nowMs milliseconds since the epoch
 */
export function signingTokenOf(secret: BootstrapTokenSecret, nowMs: number): BootstrapToken | undefined {
  const id = bootstrapTokenText(secret, 'token-id');
  if (secret.metadata.name !== bootstrapTokenSecretName(id)) return undefined;
  if (bootstrapTokenText(secret, 'usage-bootstrap-signing') !== 'true' || bootstrapTokenExpiry(secret) <= nowMs)
    return undefined;
  return parseBootstrapToken(`${id}.${bootstrapTokenText(secret, 'token-secret')}`);
}
