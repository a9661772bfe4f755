/**
 * The requirements on every authenticator, as a list of cases for any test framework.
 *
 * @module
 */
import { deepFrozen, messageOf, type UserInfo } from '../../foundation/index.js';
import type { AuthCertificate, Authenticator, AuthRequest, AuthResult } from '../../security/index.js';
import { check, equal } from '../assert.js';
import type { ContractCase } from '../storage-contract/index.js';
import { attempted, boundCases, type SuiteCase, type SuiteOptions } from './suite.js';

/** A request for an authenticator. */
export interface CredentialRequest {
  /** Header fields, names in lower case; a list is repeated fields. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Default `/api/v1/pods`. */
  readonly path?: string | undefined;
  /** Address of the client; default `127.0.0.1`. */
  readonly address?: string | undefined;
  /** Default true. */
  readonly tls?: boolean | undefined;
  readonly certificate?: AuthCertificate | undefined;
}

/** A request with credentials that are valid, and whose they are. */
export interface ValidCredential extends CredentialRequest {
  readonly name: string;
  /** The user that the authenticator must find. Absent fields are not compared. */
  readonly user: { readonly [Name in keyof UserInfo]?: UserInfo[Name] | undefined };
}

/** A request with credentials that are not valid. */
export interface InvalidCredential extends CredentialRequest {
  readonly name: string;
}

/** Options of {@link authenticatorCases}. */
export interface AuthenticatorCasesOptions extends SuiteOptions {
  /** Creates the authenticator. Called once for each case. */
  create(): Authenticator | Promise<Authenticator>;
  /** Credentials that are valid: at least two, of different users. */
  readonly valid: readonly ValidCredential[];
  /** Credentials of the same kind that are not valid: unknown, expired, forged, malformed. At least one. */
  readonly invalid: readonly InvalidCredential[];
  /** The result of a request without credentials: no opinion, unless the authenticator accepts everybody. */
  readonly withoutCredentials?: ValidCredential['user'] | undefined;
}

interface Context extends AuthenticatorCasesOptions {
  readonly authenticate: Authenticator;
}

/** Creates the request that an authenticator gets. */
export function authRequest(request: CredentialRequest = {}): AuthRequest {
  const { headers = {}, path = '/api/v1/pods', address = '127.0.0.1', tls = true, certificate } = request;
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  return {
    path,
    headers: {
      get: (name) => fields.get(name)?.join(', '),
      getAll: (name) => fields.get(name) ?? [],
      names: () => fields.keys(),
    },
    peer: { address, tls, ...(certificate === undefined ? {} : { certificate: () => certificate }) },
    signal: new AbortController().signal,
    warn: () => undefined,
  };
}

const userOf = (result: AuthResult): UserInfo | undefined =>
  result !== undefined && 'user' in result ? result.user : undefined;

const ask = (context: Context, { name, ...request }: InvalidCredential): Promise<AuthResult> =>
  attempted(name, () => context.authenticate(authRequest(request)));

function checkUser(user: UserInfo | undefined, expected: ValidCredential['user'], name: string): void {
  if (user === undefined) throw new Error(`${name}: the credential is not accepted`);
  for (const [field, value] of Object.entries(expected))
    equal(user[field as keyof UserInfo], value, `${name}: ${field}`);
}

const cases: readonly SuiteCase<Context>[] = [
  {
    name: 'finds the user of each valid credential',
    async body(context) {
      for (const { user, ...credential } of context.valid)
        checkUser(userOf(await ask(context, credential)), user, credential.name);
    },
  },
  {
    name: 'returns users with a name, a list of groups, and lists of extra values',
    async body(context) {
      for (const { user: _, ...credential } of context.valid) {
        const user = userOf(await ask(context, credential));
        if (user === undefined) throw new Error(`${credential.name}: the credential is not accepted`);
        check(typeof user.username === 'string' && user.username !== '', `${credential.name}: a user name`);
        check(Array.isArray(user.groups), `${credential.name}: a list of groups`);
        check(
          user.groups.every((group) => typeof group === 'string' && group !== ''),
          `${credential.name}: group names`,
        );
        check(user.uid === undefined || typeof user.uid === 'string', `${credential.name}: a uid that is a string`);
        for (const [key, values] of Object.entries(user.extra ?? {}))
          check(
            Array.isArray(values) && values.every((value) => typeof value === 'string'),
            `${credential.name}: a list of strings in extra.${key}`,
          );
      }
    },
  },
  {
    name: 'accepts no invalid credential',
    async body(context) {
      for (const credential of context.invalid) {
        const user = userOf(await ask(context, credential));
        check(user === undefined, `${credential.name}: it is refused, not the user ${JSON.stringify(user?.username)}`);
      }
    },
  },
  {
    name: 'returns an error for an invalid credential, or no opinion, and does not throw',
    async body(context) {
      for (const credential of context.invalid) {
        const result = await ask(context, credential);
        check(
          result === undefined || 'user' in result || result.error instanceof Error,
          `${credential.name}: the result is undefined or has an Error`,
        );
      }
    },
  },
  {
    name: 'tells no credential in its errors',
    async body(context) {
      for (const credential of context.invalid) {
        const result = await ask(context, credential);
        if (result === undefined || 'user' in result) continue;
        const text = `${result.error.message} ${messageOf(result.error.cause)}`;
        for (const [name, value] of Object.entries(credential.headers ?? {}))
          for (const part of [value].flat().flatMap((one) => one.split(/[\s,]+/)))
            check(part.length < 8 || !text.includes(part), `${credential.name}: the error hides the value of ${name}`);
      }
    },
  },
  {
    name: 'has no opinion on a request without credentials',
    async body(context) {
      const result = await ask(context, { name: 'without credentials' });
      if (context.withoutCredentials === undefined) equal(result, undefined, 'the result');
      else checkUser(userOf(result), context.withoutCredentials, 'without credentials');
    },
  },
  {
    name: 'has no opinion on, or refuses, credentials of another kind',
    async body(context) {
      const others: readonly InvalidCredential[] = [
        { name: 'another scheme', headers: { authorization: 'Unknown abcdefgh' } },
        { name: 'an empty header', headers: { authorization: '' } },
        { name: 'a scheme alone', headers: { authorization: 'Bearer' } },
        { name: 'binary text', headers: { authorization: 'Bearer \u0000\u00ff\u0001' } },
        { name: 'a very long text', headers: { authorization: `Bearer ${'a'.repeat(100_000)}` } },
      ];
      const names = context.valid.map(({ user }) => user.username);
      for (const other of others) {
        const user = userOf(await ask(context, other));
        check(user === undefined || !names.includes(user.username), `${other.name}: it is not accepted`);
      }
    },
  },
  {
    name: 'accepts no credential that has a character more or less',
    async body(context) {
      for (const { user, name, headers = {}, ...request } of context.valid) {
        const { authorization } = headers;
        if (typeof authorization !== 'string') continue;
        const forged = [`${authorization}x`, authorization.slice(0, -1), authorization.replace(/ (.)/, ' x$1')];
        for (const text of forged) {
          const found = userOf(await ask(context, { ...request, name, headers: { ...headers, authorization: text } }));
          check(found?.username !== user.username || found === undefined, `${name}: a changed credential is refused`);
        }
      }
    },
  },
  {
    name: 'keeps the users of concurrent requests apart',
    async body(context) {
      const asked = Array.from({ length: 10 }, () => context.valid).flat();
      const results = await Promise.all(asked.map(({ user: _, ...credential }) => ask(context, credential)));
      for (const [index, { user, name }] of asked.entries()) checkUser(userOf(results[index]), user, name);
    },
  },
  {
    name: 'accepts no invalid credential after, or beside, a valid one',
    async body(context) {
      const all = [...context.valid.map(({ user: _, ...credential }) => credential), ...context.invalid];
      const results = await Promise.all(all.map((credential) => ask(context, credential)));
      for (const [index, credential] of context.invalid.entries())
        check(userOf(results[context.valid.length + index]) === undefined, `${credential.name}: it is refused`);
    },
  },
  {
    name: 'returns the same user again when a caller has changed the first one',
    async body(context) {
      for (const { user, ...credential } of context.valid) {
        const found = userOf(await ask(context, credential));
        try {
          // An authenticator may return frozen users; a change is then impossible.
          (found?.groups as string[]).push('system:masters');
          Object.assign(found ?? {}, { username: 'somebody-else' });
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
        const again = userOf(await ask(context, credential));
        checkUser(again, user, credential.name);
        check(
          again?.groups.includes('system:masters') !== true || user.groups?.includes('system:masters') === true,
          `${credential.name}: the groups of the next request are not changed`,
        );
      }
    },
  },
  {
    name: 'changes nothing in the request',
    async body(context) {
      for (const { user: _, name, ...request } of context.valid)
        await attempted(name, () => context.authenticate(deepFrozenRequest(request)));
    },
  },
];

function deepFrozenRequest(request: CredentialRequest): AuthRequest {
  const { signal, ...rest } = authRequest(request);
  return Object.freeze({ ...deepFrozen(rest), signal });
}

/**
 * Returns the cases that every authenticator must pass: no invalid, changed or missing credential is accepted; users are
 * well-formed and belong to their requests; errors tell no credential.
 *
 * ```
 * for (const { name, skipped, run } of authenticatorCases({ create, valid, invalid }))
 *   test.skipIf(skipped !== undefined)(name, run);
 * ```
 *
 * @throws TypeError for fewer than two valid credentials or without an invalid one; Error for an unknown skip
 */
export function authenticatorCases(options: AuthenticatorCasesOptions): ContractCase[] {
  const users = new Set(options.valid.map(({ user }) => user.username));
  if (users.size < 2 || users.has(undefined))
    throw new TypeError(
      'authenticatorCases: the option valid must have credentials of at least two users, with their username',
    );
  if (options.invalid.length === 0)
    throw new TypeError('authenticatorCases: the option invalid must have a credential');
  // The authenticator may return the very objects that the caller expects: changes of them must not change these.
  const valid = options.valid.map((credential) => ({ ...credential, user: structuredClone(credential.user) }));
  return boundCases(cases, options, async () => ({ ...options, valid, authenticate: await options.create() }));
}
