/**
 * Checks of an ID token without a key (OpenID Connect Core, section 3.1.3.7; RFC 7519), in the order and words of
 * Kubernetes. They come first because they are cheap, and an invalid token then causes no request to the provider.
 *
 * @module
 */
import {
  decodeBase64Url,
  decodeValidUtf8,
  goQuote,
  ownMember,
  stringOrEmpty,
  wrapError,
} from '../../../foundation/index.js';
import type { Claims } from '../configuration/types.js';
import { parseJsonObject } from './document.js';

/** A parsed token. Nothing in it is trusted yet. */
export interface UntrustedToken {
  readonly compact: string;
  readonly issuer: string;
  readonly claims: Claims;
}

/** Maximum time that a token's `nbf` can be ahead of the server's clock, in milliseconds. `exp` has no leeway. */
export const NOT_BEFORE_LEEWAY_MS = 60_000;

/** One provider uses two issuer names (OpenID Connect Core, section 15.6.2). */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([['accounts.google.com', 'https://accounts.google.com']]);

/**
 * Parses a token in compact form.
 *
 * @throws Error when it is not such a token; the message shows nothing of it
 */
export function parseToken(compact: string): UntrustedToken {
  const [, payload = '', ...rest] = compact.split('.');
  if (rest.length !== 1) throw new Error('malformed token');
  const claims = parseJsonObject(decodeText(payload), 'the payload of the token');
  const issuer = ownMember(claims, 'iss');
  if (issuer !== undefined && typeof issuer !== 'string') throw new Error('the issuer of the token is not a string');
  return { compact, claims, issuer: OTHER_NAMES.get(issuer ?? '') ?? issuer ?? '' };
}

function decodeText(part: string): string {
  const bytes = decodeBase64Url(part);
  if (bytes === undefined) throw new Error('malformed base64url');
  const text = decodeValidUtf8(bytes);
  if (text === undefined) throw new Error('invalid UTF-8');
  return text;
}

/** The requirements of a token. */
export interface TokenTerms {
  /** At least one must be in `aud`. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Checks a token.
 *
 * @throws Error in the words of Kubernetes for the first violated rule
 */
export function checkToken(token: UntrustedToken, terms: TokenTerms): void {
  checkAudience(token.claims, terms.audiences);
  checkTimes(token.claims, terms.now);
  checkAlgorithm(token.compact, terms.algorithms);
}

/** Formats a list like `%q` in Go. */
const quoted = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

function checkAudience(claims: Claims, audiences: readonly string[]): void {
  const offered = stringsOf(ownMember(claims, 'aud'));
  if (audiences.some((audience) => offered.includes(audience))) return;
  const [only = ''] = audiences;
  throw new Error(
    audiences.length === 1
      ? `oidc: expected audience ${goQuote(only)} got ${quoted(offered)}`
      : `oidc: expected audience in ${quoted([...audiences].sort())} got ${quoted(offered)}`,
  );
}

/** Returns a string or list of strings as a list. */
function stringsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  if (!list.every((item) => typeof item === 'string'))
    throw new Error('oidc: failed to unmarshal claims: "aud" must be a string or a list of strings');
  return list;
}

function checkTimes(claims: Claims, now: number): void {
  // A token without `exp` is always expired.
  const expiry = timeOf(claims, 'exp');
  if (expiry === undefined) throw new Error('oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)');
  if (expiry < now) throw new Error(`oidc: token is expired (Token Expiry: ${shownTime(expiry)})`);
  const notBefore = timeOf(claims, 'nbf');
  if (notBefore !== undefined && now + NOT_BEFORE_LEEWAY_MS < notBefore) {
    throw new Error(`oidc: current time ${shownTime(now)} before the nbf (not before) time: ${shownTime(notBefore)}`);
  }
}

/** Returns a NumericDate (RFC 7519 section 2) in milliseconds; fractions of seconds are dropped. */
function timeOf(claims: Claims, name: string): number | undefined {
  const seconds = ownMember(claims, name);
  if (seconds === undefined || seconds === null) return undefined;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds))
    throw new Error(`oidc: failed to unmarshal claims: ${goQuote(name)} must be a number`);
  return Math.trunc(seconds) * 1000;
}

function shownTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime())
    ? `${ms / 1000} s`
    : date
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, ' +0000 UTC');
}

function checkAlgorithm(compact: string, algorithms: readonly string[]): void {
  let header: Record<string, unknown>;
  try {
    header = parseJsonObject(decodeText(compact.slice(0, compact.indexOf('.'))), 'the header');
  } catch (error) {
    throw wrapError('oidc: malformed jwt', error);
  }
  const algorithm = ownMember(header, 'alg');
  if (typeof algorithm !== 'string' || !algorithms.includes(algorithm)) {
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${quoted(algorithms)} got ${goQuote(stringOrEmpty(algorithm))}`,
    );
  }
  // No extension is supported, so a critical one (RFC 7515 section 4.1.11) makes the token invalid.
  if (Object.hasOwn(header, 'crit'))
    throw new Error('oidc: malformed jwt: critical header parameters are not supported');
}
