/**
 * The claims of service account tokens: the registered ones (RFC 7519 section 4.1), and a private one with the objects
 * that the token is bound to (KEP-1205, KEP-4193). The dialect sets its name.
 *
 * @module
 */
import { isJsonObject, type Dialect, type JsonObject, type JsonValue } from '../../foundation/index.js';
import { InvalidTokenError } from './json-web-token.js';

/** An object in the claims of a token. */
export interface ClaimedObject {
  readonly name: string;
  readonly uid: string;
}

/** A node in the claims of a token. It has no uid when it did not exist at the creation of the token. */
export interface ClaimedNode {
  readonly name: string;
  readonly uid?: string | undefined;
}

/** The objects that a token is bound to. It is valid only as long as each of them exists. */
export interface TokenBinding {
  readonly namespace: string;
  readonly serviceAccount: ClaimedObject;
  readonly pod?: ClaimedObject | undefined;
  readonly secret?: ClaimedObject | undefined;
  readonly node?: ClaimedNode | undefined;
}

/** The registered claims. Times are in seconds since the epoch. */
export interface RegisteredClaims {
  readonly issuer: string;
  /** Empty when the claim is missing. */
  readonly subject: string;
  /** Empty when the claim is missing. */
  readonly audiences: readonly string[];
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  readonly id: string | undefined;
}

/** The claims of a requested token. */
export interface ServiceAccountClaims extends RegisteredClaims, TokenBinding {
  readonly expiry: number;
  /**
   * Time from which the use of the token is reported, because its expiry was extended. Seconds since the epoch;
   * undefined for never.
   */
  readonly warnAfter: number | undefined;
}

/** The objects that a legacy token names. */
export interface LegacyTokenBinding {
  readonly namespace: string;
  readonly serviceAccount: ClaimedObject;
  /** Name of the Secret with the token. */
  readonly secretName: string;
}

/** The claims of a legacy token, which is stored in a Secret and has no expiry. */
export interface LegacyServiceAccountClaims extends RegisteredClaims, LegacyTokenBinding {}

/** The data of a new token's claims. */
export interface NewServiceAccountClaims extends TokenBinding {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Unique among all tokens. */
  readonly id: string;
  /** Current time in milliseconds since the epoch; the claims contain whole seconds. */
  readonly nowMs: number;
  /** Lifetime of the token, in seconds. */
  readonly lifetimeSeconds: number;
  /** Number of seconds after which its use is reported; default never. */
  readonly warnAfterSeconds?: number | undefined;
}

/** Returns the issuer of legacy tokens. */
export function legacyIssuer(dialect: Dialect): string {
  return `${dialect.product}/serviceaccount`;
}

/**
 * Returns the payload of a new token, with its members sorted by name as in Kubernetes.
 *
 * @throws TypeError when it is bound to a Secret and to another object
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

/**
 * Returns the payload of a legacy token, which is stored in a Secret and does not expire, with its members sorted by
 * name as in Kubernetes.
 */
export function makeLegacyServiceAccountClaims(
  { namespace, serviceAccount, secretName }: LegacyTokenBinding,
  dialect: Dialect,
): JsonObject {
  const claim = `${dialect.labelDomain}/serviceaccount`;
  return {
    iss: legacyIssuer(dialect),
    [`${claim}/namespace`]: namespace,
    [`${claim}/secret.name`]: secretName,
    [`${claim}/service-account.name`]: serviceAccount.name,
    [`${claim}/service-account.uid`]: serviceAccount.uid,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
  };
}

const reference = ({ name, uid }: ClaimedObject): { name: string; uid: string } => ({ name, uid });

/** Returns whether a payload contains the dialect's private claim. */
export function hasServiceAccountClaims(payload: JsonObject, dialect: Dialect): boolean {
  return payload[dialect.tokenClaim] !== undefined;
}

/**
 * Reads the claims of a requested token.
 *
 * @throws InvalidTokenError when a required claim is missing or a claim has the wrong type. `exp` is required, unlike
 * in Kubernetes' own check
 */
export function readServiceAccountClaims(payload: JsonObject, dialect: Dialect): ServiceAccountClaims {
  // Written out, as in readRegisteredClaims: object spread would cost more here than everything else except the
  // signature.
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
    // Zero means never, as in Kubernetes.
    warnAfter: warnAfter === 0 ? undefined : warnAfter,
  };
}

/**
 * Reads the claims of a legacy token. The caller must check that its subject is the service account in the claims.
 *
 * @throws InvalidTokenError when a required claim is missing or a claim has the wrong type
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

/** Maximum difference between the clocks of the issuer and the verifier of a token, in milliseconds. */
export const CLOCK_LEEWAY_MS = 60_000;

/** Returns why a token is not valid at a time, in Kubernetes' text; undefined when it is valid. */
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

/** Reads a time in seconds; a fraction is truncated. Numbers beyond the exact range are invalid. */
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
