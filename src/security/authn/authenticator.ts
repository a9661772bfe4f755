/**
 * Authentication. Authenticators are plain functions that compose. An authenticator returns a user, an error for
 * invalid credentials of its kind, or undefined when the request has no such credentials.
 *
 * @module
 */
import { ApiError, errors, type UserInfo } from '../../foundation/index.js';

/** A client certificate, as verified by the TLS layer. */
export interface AuthCertificate {
  /** DER certificates, leaf first. */
  readonly chain: readonly Uint8Array[];
  /** True when the chain ends in an authority that the listener trusts. */
  readonly authorized: boolean;
}

/** The parts of a request that authenticators read. The server's own request type fits. */
export interface AuthRequest {
  /** Decoded path, for path-dependent rules. */
  readonly path: string;
  readonly headers: {
    get(name: string): string | undefined;
    getAll(name: string): readonly string[];
    names(): Iterable<string>;
  };
  readonly peer: {
    readonly address: string | undefined;
    readonly tls: boolean;
    readonly certificate?: (() => AuthCertificate | undefined) | undefined;
  };
  readonly signal: AbortSignal;
  /** Adds a `Warning` header to the response. */
  warn?(text: string): void;
  /** Adds an annotation to the audit events of the request. */
  annotate?(key: string, value: string): void;
}

/** A user, an error, or no opinion. */
export type AuthResult =
  | {
      readonly user: UserInfo;
      /** Audiences of the credential, when known. */
      readonly audiences?: readonly string[] | undefined;
    }
  | { readonly error: Error }
  | undefined;

/** Authenticates a request. */
export type Authenticator = (request: AuthRequest) => AuthResult | Promise<AuthResult>;

/** Context of a token. Creating a signal is expensive, so it must be read only when needed. */
export interface TokenContext {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The remote end of the connection; undefined for a token that a client has posted for a review. */
  readonly peer?: AuthRequest['peer'] | undefined;
  /** Adds a `Warning` header to the response. */
  warn?(text: string): void;
  /** Adds an annotation to the audit events of the request. */
  annotate?(key: string, value: string): void;
  /** Wanted audiences; the token must be for one of them. Undefined: those of the API server. */
  readonly audiences?: readonly string[] | undefined;
}

/** Authenticates a token. */
export type TokenAuthenticator = (token: string, request: TokenContext) => AuthResult | Promise<AuthResult>;

/** Name of the user of a request without credentials. */
export const ANONYMOUS_USER = 'system:anonymous';
/** Group of all authenticated users. */
export const AUTHENTICATED_GROUP = 'system:authenticated';
/** Group of all unauthenticated users. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

const isFailure = (result: AuthResult): result is { readonly error: Error } =>
  result !== undefined && 'error' in result;
const isPromise = (result: AuthResult | Promise<AuthResult>): result is Promise<AuthResult> =>
  result instanceof Promise;

/** Runs authenticators by index, so that no closure is created per authenticator. */
function firstOf(
  count: number,
  ask: (index: number) => AuthResult | Promise<AuthResult>,
  failOnError: boolean,
): AuthResult | Promise<AuthResult> {
  let failures: Error[] | undefined;
  for (let index = 0; index < count; index += 1) {
    const result = ask(index);
    if (isPromise(result)) return firstOfRest(result, index + 1, { count, ask, failOnError, failures: failures ?? [] });
    if (isFailure(result)) {
      (failures ??= []).push(result.error);
      if (failOnError) break;
    } else if (result !== undefined) return result;
  }
  return failures === undefined ? undefined : summary(failures);
}

/** State of an asynchronous search. */
interface UnionSearch {
  readonly count: number;
  readonly ask: (index: number) => AuthResult | Promise<AuthResult>;
  readonly failOnError: boolean;
  /** Errors so far. */
  readonly failures: Error[];
}

async function firstOfRest(
  pending: Promise<AuthResult>,
  next: number,
  { count, ask, failOnError, failures }: UnionSearch,
): Promise<AuthResult> {
  let result = await pending;
  for (let index = next; ; index += 1) {
    if (isFailure(result)) {
      failures.push(result.error);
      if (failOnError) break;
    } else if (result !== undefined) return result;
    if (index >= count) break;
    result = await ask(index);
  }
  return summary(failures);
}

function summary(failures: readonly Error[]): AuthResult {
  const [first] = failures;
  if (first === undefined) return undefined;
  return {
    error:
      failures.length === 1
        ? first
        : new AggregateError(failures, `[${[...new Set(failures.map((failure) => failure.message))].join(', ')}]`),
  };
}

/** Options of a union. */
export interface UnionOptions {
  /** True when the first error ends the search. By default a later authenticator can still accept the request. */
  readonly failOnError?: boolean | undefined;
}

/**
 * Returns an authenticator that tries several in order until one finds a user. The result is synchronous as long as the
 * authenticators are.
 */
export function unionAuthenticators(
  authenticators: readonly Authenticator[],
  options: UnionOptions = {},
): Authenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return (request) =>
    firstOf(authenticators.length, (index) => authenticators[index]?.(request), options.failOnError ?? false);
}

/** Most characters of a token: those of the header fields of a request in Kubernetes 1.31, which limits no review. */
export const MAX_TOKEN_CHARACTERS = 1024 * 1024;

/** Returns an authenticator that does not know tokens that are too long for a request: it does not look at them. */
export const withinTokenLimit =
  (authenticate: TokenAuthenticator): TokenAuthenticator =>
  (token, request) =>
    token.length > MAX_TOKEN_CHARACTERS ? undefined : authenticate(token, request);

/** {@link unionAuthenticators} for tokens. */
export function unionTokenAuthenticators(
  authenticators: readonly TokenAuthenticator[],
  options: UnionOptions = {},
): TokenAuthenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return (token, request) =>
    firstOf(authenticators.length, (index) => authenticators[index]?.(token, request), options.failOnError ?? false);
}

/** Adds the group {@link AUTHENTICATED_GROUP} to every user except the anonymous one. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  const addGroup = ofFrozenResults(addAuthenticatedGroup);
  return (request) => {
    const result = authenticator(request);
    return isPromise(result) ? result.then(addGroup) : addGroup(result);
  };
}

/** Returns whether nobody can change a result, its user or the user's groups. */
const isFixed = (result: NonNullable<AuthResult>): boolean =>
  Object.isFrozen(result) && 'user' in result && Object.isFrozen(result.user) && Object.isFrozen(result.user.groups);

/**
 * Returns a function of results that remembers what it returned for one that nobody can change: an authenticator returns
 * the same one for all requests with a token that it knows.
 */
export function ofFrozenResults(change: (result: AuthResult) => AuthResult): (result: AuthResult) => AuthResult {
  const known = new WeakMap<object, AuthResult>();
  return (result) => {
    if (result === undefined || isFailure(result)) return change(result);
    // First, because asking whether something is frozen takes longer. It stays frozen.
    const before = known.get(result);
    if (before !== undefined) return before;
    if (!isFixed(result)) return change(result);
    const changed = change(result);
    known.set(result, changed);
    return changed;
  };
}

/** {@link withAuthenticatedGroup} for tokens. As in a request, an unknown token is an error. */
export function withAuthenticatedTokenGroup(authenticate: TokenAuthenticator): TokenAuthenticator {
  return (token, request) => {
    const result = authenticate(token, request);
    return isPromise(result)
      ? result.then((found) => addAuthenticatedGroup(found ?? UNKNOWN_TOKEN))
      : addAuthenticatedGroup(result ?? UNKNOWN_TOKEN);
  };
}

const UNKNOWN_TOKEN: AuthResult = Object.freeze({ error: new Error('invalid bearer token') });

function addAuthenticatedGroup(result: AuthResult): AuthResult {
  if (result === undefined || isFailure(result)) return result;
  const { user } = result;
  if (
    user.username === ANONYMOUS_USER ||
    user.groups.includes(AUTHENTICATED_GROUP) ||
    user.groups.includes(UNAUTHENTICATED_GROUP)
  )
    return result;
  const groups = Object.freeze([...user.groups, AUTHENTICATED_GROUP]);
  return Object.freeze({ ...result, user: Object.freeze({ ...user, groups }) });
}

/**
 * Composes the standard authentication: the first of `authenticators` that finds a user, with {@link
 * AUTHENTICATED_GROUP} added, and then `anonymous`, if given. A request with invalid credentials is never anonymous.
 */
export function composeAuthentication(
  authenticators: readonly Authenticator[],
  anonymous?: Authenticator,
): Authenticator {
  const known = withAuthenticatedGroup(unionAuthenticators(authenticators));
  return anonymous === undefined ? known : unionAuthenticators([known, anonymous], { failOnError: true });
}

/**
 * Returns the authenticated user.
 *
 * @throws ApiError 401 Unauthorized without a user or with invalid credentials. The response does not distinguish
 *   these; the reason is the error's `cause`, for the log. 429 when an authenticator throttles the client
 */
export function requireUser(result: AuthResult): UserInfo {
  if (result !== undefined && !isFailure(result)) return result.user;
  const wait = result === undefined ? undefined : throttlingError(result.error);
  if (wait !== undefined) throw wait;
  const refusal = errors.unauthorized();
  if (result !== undefined) refusal.cause = result.error;
  throw refusal;
}

/** Finds a 429 among the errors of several authenticators. */
function throttlingError(error: Error): ApiError | undefined {
  if (error instanceof ApiError) return error.code === 429 ? error : undefined;
  if (!(error instanceof AggregateError)) return undefined;
  for (const each of error.errors) {
    const found = each instanceof Error ? throttlingError(each) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
