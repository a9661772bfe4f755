/**
 * Who asks: authenticators are plain functions, and compose.
 *
 * An authenticator answers with a user, with an error when there are credentials of its kind and they are bad, or with
 * nothing when the request carries none that it knows.
 *
 * @module
 */
import { ApiError, errors } from '../meta/api-error.js';
import type { UserInfo } from '../meta/object.js';

/** A client certificate as the TLS layer verified it. */
export interface AuthCertificate {
  /** The leaf first, DER. */
  readonly chain: readonly Uint8Array[];
  /** Whether the chain ends in an authority that the listener trusts. */
  readonly authorized: boolean;
}

/** What authenticators look at. The server's own request fits. */
export interface AuthRequest {
  /** Decoded path, for rules that depend on it. */
  readonly path: string;
  readonly headers: {
    get(name: string): string | undefined;
    getAll(name: string): readonly string[];
    names(): Iterable<string>;
  };
  readonly peer: {
    readonly address: string | undefined;
    readonly tls: boolean;
    readonly certificate?: () => AuthCertificate | undefined;
  };
  readonly signal: AbortSignal;
  /** Adds a `Warning` header to the answer. */
  warn?(text: string): void;
}

/** A user, a refusal, or no opinion. */
export type AuthResult =
  | {
      readonly user: UserInfo;
      /** Audiences for which the credential is good, where it says so. */
      readonly audiences?: readonly string[] | undefined;
    }
  | { readonly error: Error }
  | undefined;

/** Says who sent a request. */
export type Authenticator = (request: AuthRequest) => AuthResult | Promise<AuthResult>;

/** What a token authenticator may need besides the token. A signal costs something to make: it is looked up where it is needed. */
export interface TokenRequest extends Pick<AuthRequest, 'signal' | 'warn'>, Partial<Pick<AuthRequest, 'peer'>> {
  /** Audiences of which the token must be for one; undefined: those of the API server itself. */
  readonly audiences?: readonly string[];
}

/** Says whose token it is. */
export type TokenAuthenticator = (token: string, request: TokenRequest) => AuthResult | Promise<AuthResult>;

/** Name of the user of a request without credentials. */
export const ANONYMOUS_USER = 'system:anonymous';
/** Group of everybody who has proved who they are. */
export const AUTHENTICATED_GROUP = 'system:authenticated';
/** Group of everybody who has not. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

const isRefusal = (result: AuthResult): result is { readonly error: Error } =>
  result !== undefined && 'error' in result;
const isPromise = (result: AuthResult | Promise<AuthResult>): result is Promise<AuthResult> =>
  result instanceof Promise;

/** A step of a union: one authenticator with its arguments bound, by index, so that no closure is made for each. */
function firstOf(
  count: number,
  ask: (index: number) => AuthResult | Promise<AuthResult>,
  failOnError: boolean,
): AuthResult | Promise<AuthResult> {
  const failures: Error[] = [];
  for (let index = 0; index < count; index += 1) {
    const result = ask(index);
    if (isPromise(result)) return firstOfRest(result, index + 1, { count, ask, failOnError, failures });
    if (isRefusal(result)) {
      failures.push(result.error);
      if (failOnError) break;
    } else if (result !== undefined) return result;
  }
  return summary(failures);
}

/** A search in a union that has to wait. */
interface UnionSearch {
  readonly count: number;
  readonly ask: (index: number) => AuthResult | Promise<AuthResult>;
  readonly failOnError: boolean;
  /** Refusals so far. */
  readonly failures: Error[];
}

async function firstOfRest(
  pending: Promise<AuthResult>,
  next: number,
  { count, ask, failOnError, failures }: UnionSearch,
): Promise<AuthResult> {
  let result = await pending;
  for (let index = next; ; index += 1) {
    if (isRefusal(result)) {
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

/** How a union treats refusals. */
export interface UnionOptions {
  /** The first refusal ends the search. By default a later authenticator may still know the user. */
  readonly failOnError?: boolean;
}

/** Asks one authenticator after the other until one knows the user. Stays synchronous as long as they do. */
export function unionAuthenticators(
  authenticators: readonly Authenticator[],
  options: UnionOptions = {},
): Authenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return (request) =>
    firstOf(authenticators.length, (index) => authenticators[index]?.(request), options.failOnError ?? false);
}

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

/** Adds the group {@link AUTHENTICATED_GROUP} to every user that is not the anonymous one. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  return (request) => {
    const result = authenticator(request);
    return isPromise(result) ? result.then(addAuthenticatedGroup) : addAuthenticatedGroup(result);
  };
}

/** {@link withAuthenticatedGroup} for tokens, where a token that nobody knows is an error as in a request. */
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
  if (result === undefined || isRefusal(result)) return result;
  const { user } = result;
  if (
    user.username === ANONYMOUS_USER ||
    user.groups.includes(AUTHENTICATED_GROUP) ||
    user.groups.includes(UNAUTHENTICATED_GROUP)
  )
    return result;
  return { ...result, user: { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] } };
}

/**
 * The usual whole: the first of `authenticators` that knows the user, with {@link AUTHENTICATED_GROUP} added; then
 * `anonymous`, if given, but only for a request that no authenticator refused: a bad token is never an anonymous request.
 */
export function composeAuthentication(
  authenticators: readonly Authenticator[],
  anonymous?: Authenticator,
): Authenticator {
  const known = withAuthenticatedGroup(unionAuthenticators(authenticators));
  return anonymous === undefined ? known : unionAuthenticators([known, anonymous], { failOnError: true });
}

/**
 * The user that an authenticator found.
 *
 * @throws ApiError 401 Unauthorized when there is none, or the credentials are bad. The answer never says which; the
 * reason is the error's `cause`, for the log. 429 where an authenticator tells the client to wait
 */
export function requireUser(result: AuthResult): UserInfo {
  if (result !== undefined && !isRefusal(result)) return result.user;
  const wait = result === undefined ? undefined : toldToWait(result.error);
  if (wait !== undefined) throw wait;
  const refusal = errors.unauthorized();
  if (result !== undefined) refusal.cause = result.error;
  throw refusal;
}

/** The 429 among refusals, which several authenticators may have given. */
function toldToWait(error: Error): ApiError | undefined {
  if (error instanceof ApiError) return error.code === 429 ? error : undefined;
  if (!(error instanceof AggregateError)) return undefined;
  for (const each of error.errors) {
    const found = each instanceof Error ? toldToWait(each) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
