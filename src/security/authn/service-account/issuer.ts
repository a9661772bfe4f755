import {
  ApiError,
  errors,
  formatTime,
  groupName,
  systemGroup,
  whenReady,
  type Clock,
  type Dialect,
  type Duration,
  type Entropy,
} from '../../../foundation/index.js';
import { makeServiceAccountClaims, signJsonWebToken, type TokenSigner } from '../../tokens/index.js';
import { bindTo, type ReferencedBinding } from './bound-object.js';
import { credentialId } from './bound-token.js';
import type { ServiceAccountLookup, ServiceAccountObject } from './lookup.js';
import {
  DEFAULT_EXPIRATION_SECONDS,
  longestExpirationSeconds,
  validateExpiration,
  type BoundObjectReference,
  type TokenRequestSpec,
  type TokenRequestStatus,
} from './token-request.js';

/** Options of {@link createServiceAccountTokenIssuer}. */
export interface ServiceAccountTokenIssuerOptions {
  /** Returns the signing key for every token, so that it can be created late and replaced. */
  readonly signer: () => TokenSigner | Promise<TokenSigner>;
  /** The `iss` of the tokens. */
  readonly issuer: string;
  /** Audiences of the API server: the default of a request. */
  readonly audiences: readonly string[];
  readonly lookup: ServiceAccountLookup;
  /** Maximum lifetime of a token, whatever the request: one hour to 2^32 seconds. Default: the maximum of a request. */
  readonly maxExpiration?: Duration | undefined;
  /**
   * Whether to extend a pod's token for the API server with the lifetime 3607 seconds, the value for injected tokens,
   * to a year. The token is marked after the requested time. Default true.
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
  readonly spec?: TokenRequestSpec | undefined;
  /** Receives warnings for the client. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Called for a valid request, before its bound object is looked up. Throws to refuse. */
  readonly admit?: ((spec: IssuedToken['spec']) => void | Promise<void>) | undefined;
}

/** A token, and its spec with defaults. */
export interface IssuedToken {
  readonly spec: {
    readonly audiences: readonly string[];
    readonly expirationSeconds: number;
    readonly boundObjectRef: BoundObjectReference | null;
  };
  readonly status: TokenRequestStatus;
  /** Credential id of the token, for the audit log. */
  readonly credentialId: string;
}

/** Issues tokens of service accounts. */
export interface ServiceAccountTokenIssuer {
  /**
   * Issues a token. The result is synchronous as long as key, lookup and admission are.
   *
   * @throws ApiError 404 when the account or bound object does not exist; 422 when the lifetime is out of range; 400
   *   and 409 when the token cannot be bound to the object; 500 when it cannot be signed
   */
  issue(request: IssueRequest): IssuedToken | Promise<IssuedToken>;
}

/** Lifetime of injected pod tokens, in seconds: an unusual number that marks them. */
const INJECTED_EXPIRATION_SECONDS = 3607;
const EXTENDED_EXPIRATION_SECONDS = 365 * 24 * 60 * 60;

/**
 * Creates the token issuer behind TokenRequest (identity-resources.md, "TokenRequest"; KEP-1205).
 *
 * @throws RangeError when `maxExpiration` is out of range; Error when it is not a duration
 */
export function createServiceAccountTokenIssuer(options: ServiceAccountTokenIssuerOptions): ServiceAccountTokenIssuer {
  if ('maxExpirationSeconds' in options)
    throw new TypeError(
      'createServiceAccountTokenIssuer: the option maxExpirationSeconds is maxExpiration now: milliseconds, or a string such as "24h"',
    );
  const maxSeconds = longestExpirationSeconds(options.maxExpiration);
  return { issue: (request) => issue(request, options, maxSeconds) };
}

function issue(
  request: IssueRequest,
  options: ServiceAccountTokenIssuerOptions,
  maxSeconds: number,
): IssuedToken | Promise<IssuedToken> {
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
      return whenReady(binding, (bound) =>
        make(shortened(asked, request, maxSeconds), account, bound, request, options),
      );
    });
  });
}

type AskedSpec = IssuedToken['spec'];

function shortened(spec: AskedSpec, { warn }: IssueRequest, max: number): AskedSpec {
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
    // An extended token reports its requested expiry, so that clients replace it then.
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
