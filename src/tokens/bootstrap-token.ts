/**
 * Bootstrap tokens, by which a machine that nobody knows yet introduces itself: `<id>.<secret>`, six and sixteen characters
 * of a-z and 0-9. The id is public. Each token is kept in a Secret, as the contract's "Bootstrap token secret" lays down.
 *
 * @module
 */
import { decodeBase64Text } from '../encoding/base64.js';
import type { Entropy } from '../meta/clock.js';
import type { ObjectMeta } from '../meta/object.js';
import { parseTime } from '../meta/time.js';

/** A token in its two parts. */
export interface BootstrapToken {
  /** Public: it names the Secret, the user, and the signatures. */
  readonly id: string;
  readonly secret: string;
}

/** What is read of the Secret of a token. */
export interface BootstrapTokenSecret {
  readonly metadata: Pick<ObjectMeta, 'name' | 'deletionTimestamp'>;
  readonly type?: string | undefined;
  /** Base64 by key. */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** A key of the Secret of a token. */
export type BootstrapTokenKey =
  | 'token-id'
  | 'token-secret'
  | 'description'
  | 'expiration'
  | 'usage-bootstrap-authentication'
  | 'usage-bootstrap-signing'
  | 'auth-extra-groups';

/** Group of everybody who comes with a bootstrap token. */
export const BOOTSTRAPPERS_GROUP = 'system:bootstrappers';

const NAME_PREFIX = 'bootstrap-token-';
const ID_LENGTH = 6;
const SECRET_LENGTH = 16;
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** Bytes from here on would make the first characters likelier than the last. */
const FAIR_BYTES = 256 - (256 % CHARACTERS.length);

/** The two parts of a token; undefined when the text has not the form of one. */
export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * {@link parseBootstrapToken}, where there must be one.
 *
 * @throws TypeError when the text has not the form of a token; it does not repeat the text
 */
export function requireBootstrapToken(text: string): BootstrapToken {
  const token = parseBootstrapToken(text);
  if (token === undefined) throw new TypeError('not a bootstrap token: it must have the form [a-z0-9]{6}.[a-z0-9]{16}');
  return token;
}

/** A new token, `<id>.<secret>`. */
export function generateBootstrapToken(entropy: Entropy): string {
  return `${randomCharacters(entropy, ID_LENGTH)}.${randomCharacters(entropy, SECRET_LENGTH)}`;
}

function randomCharacters(entropy: Entropy, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of entropy.bytes(length - text.length))
      if (byte < FAIR_BYTES) text += CHARACTERS.charAt(byte % CHARACTERS.length);
  }
  return text;
}

/** Name of the Secret of a token, by the token's id. */
export function bootstrapTokenSecretName(id: string): string {
  return `${NAME_PREFIX}${id}`;
}

/** The text under a key of a token's Secret; empty when the key is missing or its value is not base64. */
export function bootstrapTokenText(secret: BootstrapTokenSecret, key: BootstrapTokenKey): string {
  const value = secret.data?.[key];
  return (value === undefined ? undefined : decodeBase64Text(value)) ?? '';
}

/**
 * When a token ends, in milliseconds since the epoch: from that moment on it has expired. Infinity when it does not end, and
 * -Infinity when its `expiration` cannot be read: such a token is never good.
 */
export function bootstrapTokenExpiry(secret: BootstrapTokenSecret): number {
  const text = bootstrapTokenText(secret, 'expiration');
  return text === '' ? Infinity : (parseTime(text) ?? -Infinity);
}

/**
 * The groups of who comes with a token, sorted and each once: {@link BOOTSTRAPPERS_GROUP} and the extra ones. Undefined when
 * one of these is no group that a token may give: such a token gives none.
 */
export function bootstrapTokenGroups(secret: BootstrapTokenSecret): string[] | undefined {
  const text = bootstrapTokenText(secret, 'auth-extra-groups');
  const extra = text === '' ? [] : text.split(',');
  return extra.every((group) => EXTRA_GROUP.test(group))
    ? [...new Set([BOOTSTRAPPERS_GROUP, ...extra])].sort()
    : undefined;
}

/**
 * The token of a Secret, when it may sign at a time: its name and its id agree, `usage-bootstrap-signing` is `true`, and it
 * has not expired.
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
