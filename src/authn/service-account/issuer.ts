import { ApiError, errors } from '../../meta/api-error.js';
import type { Clock, Entropy } from '../../meta/clock.js';
import { formatTime } from '../../meta/time.js';
import { groupName, systemGroup, type Dialect } from '../../names/dialect.js';
import { makeServiceAccountClaims, signJsonWebToken, type TokenSigner } from '../../tokens/index.js';
import { bindTo, type ReferencedBinding } from './bound-object.js';
import { credentialId } from './bound-token.js';
import type { ServiceAccountLookup, ServiceAccountObject } from './lookup.js';
import {
  checkLongestExpiration,
  DEFAULT_EXPIRATION_SECONDS,
  MAX_EXPIRATION_SECONDS,
  validateExpiration,
  type BoundObjectReference,
  type TokenRequestSpec,
  type TokenRequestStatus,
} from './token-request.js';
import { whenReady } from './when-ready.js';

/** Options of {@link createServiceAccountTokenIssuer}. */
export interface ServiceAccountTokenIssuerOptions {
  /** The key; asked for at every token, so that it may be made late and replaced. */
  readonly signer: () => TokenSigner | Promise<TokenSigner>;
  /** What the tokens have as `iss`. */
  readonly issuer: string;
  /** Audiences of the API server: those of a token for which nobody names others. */
  readonly audiences: readonly string[];
  readonly lookup: ServiceAccountLookup;
  /** Longest time that a token lasts, whatever is asked for: 3600 to 2^32. Default: what may be asked for. */
  readonly maxExpirationSeconds?: number | undefined;
  /**
   * Whether a token of a pod for the API server that is asked for exactly 3607 seconds, which is what pods are given without
   * asking, lasts a year instead, and is marked after those seconds. Default true.
   */
  readonly extendExpiration?: boolean | undefined;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** A request for a token. */
export interface IssueRequest {
  readonly namespace: string;
  /** Name of the account. */
  readonly name: string;
  readonly spec?: TokenRequestSpec;
  /** Told what a person should know about the answer. */
  readonly warn?: (text: string) => void;
  /** Called once the request is known to be valid, before anything is looked up that it names. Throws to refuse. */
  readonly admit?: (spec: IssuedToken['spec']) => void | Promise<void>;
}

/** A token, and what was asked for with the defaults filled in. */
export interface IssuedToken {
  readonly spec: {
    readonly audiences: readonly string[];
    readonly expirationSeconds: number;
    readonly boundObjectRef: BoundObjectReference | null;
  };
  readonly status: TokenRequestStatus;
  /** What the token is called where its use is written down, for the audit log. */
  readonly credentialId: string;
}

/** Makes tokens of service accounts. */
export interface ServiceAccountTokenIssuer {
  /**
   * Makes a token. Stays synchronous as long as key, look-up and admission do.
   *
   * @throws ApiError 404 when there is no such account, or no such object as the token is to be bound to; 422 when the time is
   *   out of bounds; 400 and 409 when it cannot be bound to the object; 500 when it cannot be signed
   */
  issue(request: IssueRequest): IssuedToken | Promise<IssuedToken>;
}

/** What a pod is given a token for, when it did not ask: a number that nobody chooses by chance. */
const INJECTED_EXPIRATION_SECONDS = 3607;
const EXTENDED_EXPIRATION_SECONDS = 365 * 24 * 60 * 60;

/**
 * Makes tokens of service accounts: what is done for a TokenRequest (identity-resources.md, "TokenRequest"; KEP-1205).
 *
 * @throws RangeError when `maxExpirationSeconds` is out of bounds
 */
export function createServiceAccountTokenIssuer(options: ServiceAccountTokenIssuerOptions): ServiceAccountTokenIssuer {
  checkLongestExpiration(options.maxExpirationSeconds);
  return { issue: (request) => issue(request, options) };
}

function issue(request: IssueRequest, options: ServiceAccountTokenIssuerOptions): IssuedToken | Promise<IssuedToken> {
  const {
    namespace,
    name,
    spec: { audiences = [], expirationSeconds = DEFAULT_EXPIRATION_SECONDS, boundObjectRef = null } = {},
  } = request;
  const { lookup, dialect } = options;
  return whenReady(lookup.serviceAccount(namespace, name), (account) => {
    if (account === undefined) throw errors.notFound({ group: '', resource: 'serviceaccounts' }, name);
    const problems = validateExpiration(expirationSeconds);
    if (problems.length > 0)
      throw errors.invalid(
        { group: groupName(systemGroup('authentication'), dialect), kind: 'TokenRequest' },
        '',
        problems,
      );
    const asked = {
      audiences: audiences.length > 0 ? audiences : options.audiences,
      expirationSeconds,
      boundObjectRef,
    };
    return whenReady(request.admit?.(asked), () => {
      const binding = boundObjectRef === null ? {} : bindTo(boundObjectRef, { namespace, account: name, lookup });
      return whenReady(binding, (bound) => make(shortened(asked, request, options), account, bound, request, options));
    });
  });
}

type AskedSpec = IssuedToken['spec'];

function shortened(spec: AskedSpec, { warn }: IssueRequest, options: ServiceAccountTokenIssuerOptions): AskedSpec {
  const { maxExpirationSeconds: max = MAX_EXPIRATION_SECONDS } = options;
  if (spec.expirationSeconds <= max) return spec;
  warn?.(`requested expiration of ${spec.expirationSeconds} seconds shortened to ${max} seconds`);
  return { ...spec, expirationSeconds: max };
}

function make(
  spec: AskedSpec,
  account: ServiceAccountObject,
  bound: ReferencedBinding,
  { namespace, name }: IssueRequest,
  options: ServiceAccountTokenIssuerOptions,
): IssuedToken | Promise<IssuedToken> {
  const { issuer, clock, entropy, dialect } = options;
  const { audiences, expirationSeconds } = spec;
  const nowMs = clock.now();
  const id = entropy.uuid();
  const isLong = isExtended(spec, bound, options);
  const times = isLong
    ? { lifetimeSeconds: EXTENDED_EXPIRATION_SECONDS, warnAfterSeconds: expirationSeconds }
    : { lifetimeSeconds: expirationSeconds };
  const serviceAccount = { name, uid: account.metadata.uid ?? '' };
  const claims = makeServiceAccountClaims(
    { issuer, audiences, id, nowMs, namespace, serviceAccount, ...bound, ...times },
    dialect,
  );
  return whenReady(sign(claims, options), (token) => ({
    spec,
    // An extended token says that it ends when it was asked to: it is to be replaced then.
    status: { token, expirationTimestamp: formatTime(nowMs + expirationSeconds * 1000) },
    credentialId: credentialId(id),
  }));
}

function isExtended(
  { audiences, expirationSeconds }: AskedSpec,
  { pod }: ReferencedBinding,
  options: ServiceAccountTokenIssuerOptions,
): boolean {
  const { extendExpiration = true, audiences: own } = options;
  return (
    extendExpiration &&
    pod !== undefined &&
    expirationSeconds === INJECTED_EXPIRATION_SECONDS &&
    audiences.every((audience) => own.includes(audience))
  );
}

function sign(
  claims: Parameters<typeof signJsonWebToken>[1],
  { signer }: ServiceAccountTokenIssuerOptions,
): string | Promise<string> {
  try {
    const token = whenReady(signer(), (key) => signJsonWebToken(key, claims));
    return typeof token === 'string' ? token : token.catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function failed(cause: unknown): never {
  throw cause instanceof ApiError ? cause : errors.internal('failed to generate token', { cause });
}
