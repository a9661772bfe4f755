/**
 * The claims of service-account tokens: those of every token (RFC 7519 section 4.1), and a private one with what the token is
 * bound to (KEP-1205, KEP-4193). Its name is the dialect's.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import type { Dialect } from '../names/dialect.js';
import { InvalidTokenError } from './json-web-token.js';

/** An object as a token names it. */
export interface ClaimedObject {
  readonly name: string;
  readonly uid: string;
}

/** A node as a token names it. It has no uid when the node was not there when the token was made. */
export interface ClaimedNode {
  readonly name: string;
  readonly uid?: string | undefined;
}

/** What a token is bound to: it lasts no longer than each of these. */
export interface TokenBinding {
  readonly namespace: string;
  readonly serviceAccount: ClaimedObject;
  readonly pod?: ClaimedObject | undefined;
  readonly secret?: ClaimedObject | undefined;
  readonly node?: ClaimedNode | undefined;
}

/** The claims that every token may have. Times are in seconds since the epoch. */
export interface RegisteredClaims {
  readonly issuer: string;
  /** Empty when the token names none. */
  readonly subject: string;
  /** Empty when the token names none. */
  readonly audiences: readonly string[];
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  readonly id: string | undefined;
}

/** The claims of a token that was asked for. */
export interface ServiceAccountClaims extends RegisteredClaims, TokenBinding {
  readonly expiry: number;
  /** From then on the use of the token should be noticed: it was to end, and was extended. Seconds since the epoch. */
  readonly warnAfter: number | undefined;
}

/** The claims of a token of old, which lies in a Secret and has no end. */
export interface LegacyServiceAccountClaims extends RegisteredClaims {
  readonly namespace: string;
  readonly serviceAccount: ClaimedObject;
  readonly secretName: string;
}

/** What the claims of a new token are made of. */
export interface NewServiceAccountClaims extends TokenBinding {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Unique among all tokens. */
  readonly id: string;
  /** Milliseconds since the epoch; the claims have whole seconds. */
  readonly nowMs: number;
  /** How long the token lasts. */
  readonly lifetimeSeconds: number;
  /** After how many seconds its use should be noticed; default never. */
  readonly warnAfterSeconds?: number | undefined;
}

/** Issuer of legacy tokens. */
export function legacyIssuer(dialect: Dialect): string {
  return `${dialect.product}/serviceaccount`;
}

/**
 * The payload of a new token, its members sorted by name as the production system writes them.
 *
 * @throws TypeError when it is bound to a Secret and to something else
 */
export function makeServiceAccountClaims(claims: NewServiceAccountClaims, dialect: Dialect): JsonObject {
  const { namespace, serviceAccount, pod, secret, node, warnAfterSeconds } = claims;
  if (secret !== undefined && (pod !== undefined || node !== undefined))
    throw new TypeError('a token can only be bound to one type of object');
  const now = Math.floor(claims.nowMs / 1000);
  const binding = {
    namespace,
    ...(node && { node: node.uid === undefined ? { name: node.name } : reference({ name: node.name, uid: node.uid }) }),
    ...(pod && { pod: reference(pod) }),
    ...(secret && { secret: reference(secret) }),
    serviceaccount: reference(serviceAccount),
    ...(warnAfterSeconds !== undefined && { warnafter: now + warnAfterSeconds }),
  };
  const payload: JsonObject = {
    aud: claims.audiences,
    exp: now + claims.lifetimeSeconds,
    iat: now,
    iss: claims.issuer,
    jti: claims.id,
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    [dialect.tokenClaim]: binding,
  };
  return Object.fromEntries(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const reference = ({ name, uid }: ClaimedObject): { name: string; uid: string } => ({ name, uid });

/** True for the payload of a token whose private claim is the dialect's. */
export function hasServiceAccountClaims(payload: JsonObject, dialect: Dialect): boolean {
  return payload[dialect.tokenClaim] !== undefined;
}

/**
 * Reads the claims of a token that was asked for.
 *
 * @throws InvalidTokenError when one that must be there is not, or one has the wrong type. `exp` must be there, although the
 *   production system's own check goes without
 */
export function readServiceAccountClaims(payload: JsonObject, dialect: Dialect): ServiceAccountClaims {
  // Written out, as it is in readRegisteredClaims: objects that are spread cost more here than everything else but the signature.
  const { issuer, subject, audiences, expiry, notBefore, issuedAt, id } = readRegisteredClaims(payload);
  if (expiry === undefined) throw missing('exp');
  const binding = payload[dialect.tokenClaim];
  if (!isJsonObject(binding)) throw missing(dialect.tokenClaim);
  const { pod, secret, node, warnafter } = binding;
  const warnAfter = readTime(warnafter, 'warnafter');
  return {
    issuer,
    subject,
    audiences,
    expiry,
    notBefore,
    issuedAt,
    id,
    namespace: readName(binding['namespace'], 'namespace'),
    serviceAccount: readReference(binding['serviceaccount'], 'serviceaccount'),
    pod: isPresent(pod) ? readReference(pod, 'pod') : undefined,
    secret: isPresent(secret) ? readReference(secret, 'secret') : undefined,
    node: isPresent(node) ? readNode(node) : undefined,
    // Zero says never, as in the production system.
    warnAfter: warnAfter === 0 ? undefined : warnAfter,
  };
}

/**
 * Reads the claims of a legacy token. That its subject is the account which it names is for the caller to check.
 *
 * @throws InvalidTokenError when one that must be there is not, or one has the wrong type
 */
export function readLegacyServiceAccountClaims(payload: JsonObject, dialect: Dialect): LegacyServiceAccountClaims {
  const registered = readRegisteredClaims(payload);
  if (registered.subject === '') throw missing('sub');
  const claim = (name: string): JsonValue | undefined => payload[`${dialect.labelDomain}/serviceaccount/${name}`];
  return {
    ...registered,
    namespace: readName(claim('namespace'), 'namespace'),
    secretName: readName(claim('secret.name'), 'secretName'),
    serviceAccount: {
      name: readName(claim('service-account.name'), 'serviceAccountName'),
      uid: readName(claim('service-account.uid'), 'serviceAccountUID'),
    },
  };
}

/** How far the clocks of who made a token and who checks it may be apart, in milliseconds. */
export const CLOCK_LEEWAY_MS = 60_000;

/** Why a token does not hold at a time, in the production system's words; undefined when it does. */
export function timeProblem({ expiry, notBefore, issuedAt }: RegisteredClaims, nowMs: number): string | undefined {
  if (notBefore !== undefined && nowMs + CLOCK_LEEWAY_MS < notBefore * 1000)
    return 'service account token is not valid yet';
  if (expiry !== undefined && nowMs - CLOCK_LEEWAY_MS > expiry * 1000) return 'service account token has expired';
  if (issuedAt !== undefined && nowMs + CLOCK_LEEWAY_MS < issuedAt * 1000)
    return 'service account token is issued in the future';
  return undefined;
}

function readRegisteredClaims({ iss, sub, aud, exp, nbf, iat, jti }: JsonObject): RegisteredClaims {
  const id = readText(jti, 'jti');
  return {
    issuer: readText(iss, 'iss'),
    subject: readText(sub, 'sub'),
    audiences: readAudiences(aud),
    expiry: readTime(exp, 'exp'),
    notBefore: readTime(nbf, 'nbf'),
    issuedAt: readTime(iat, 'iat'),
    id: id === '' ? undefined : id,
  };
}

const isPresent = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;
const missing = (name: string): InvalidTokenError => new InvalidTokenError(`${name} claim is missing`);
const malformed = (name: string): InvalidTokenError => new InvalidTokenError(`${name} claim is malformed`);

function readText(value: JsonValue | undefined, name: string): string {
  if (!isPresent(value)) return '';
  if (typeof value !== 'string') throw malformed(name);
  return value;
}

function readName(value: JsonValue | undefined, name: string, member = ''): string {
  if (typeof value !== 'string' && isPresent(value)) throw malformed(name + member);
  if (typeof value !== 'string' || value === '') throw missing(name + member);
  return value;
}

/** A time in seconds; a fraction is cut off. Larger numbers than are exact are no times. */
function readTime(value: JsonValue | undefined, name: string): number | undefined {
  if (!isPresent(value)) return undefined;
  if (typeof value !== 'number' || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw malformed(name);
  return Math.trunc(value);
}

function readAudiences(value: JsonValue | undefined): readonly string[] {
  if (!isPresent(value)) return [];
  if (typeof value === 'string') return [value];
  if (!isStringList(value)) throw malformed('aud');
  return value;
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function readReference(value: JsonValue | undefined, name: string): ClaimedObject {
  if (!isPresent(value)) throw missing(name);
  if (!isJsonObject(value)) throw malformed(name);
  return { name: readName(value['name'], name, ' name'), uid: readName(value['uid'], name, ' uid') };
}

function readNode(value: JsonValue | undefined): ClaimedNode {
  if (!isJsonObject(value)) throw malformed('node');
  const uid = readText(value['uid'], 'node uid');
  return { name: readName(value['name'], 'node name'), uid: uid === '' ? undefined : uid };
}
