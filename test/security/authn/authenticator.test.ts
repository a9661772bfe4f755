import { describe, expect, it } from 'vitest';
import {
  anonymousAuthenticator,
  composeAuthentication,
  requireUser,
  unionTokenAuthenticators,
  type Authenticator,
  type AuthResult,
} from '../../../src/security/index.js';
import { unionAuthenticators, withAuthenticatedGroup } from '../../../src/security/authn/authenticator.js';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { request } from './request.js';

const user = (username: string, ...groups: string[]): AuthResult => ({ user: { username, groups } });
const accepts =
  (username: string): Authenticator =>
  () =>
    user(username);
const acceptsLater =
  (username: string): Authenticator =>
  () =>
    Promise.resolve(user(username));
const refuses =
  (message: string): Authenticator =>
  () => ({ error: new Error(message) });
const rejectsLater =
  (message: string): Authenticator =>
  () =>
    Promise.resolve({ error: new Error(message) });
const noOpinion: Authenticator = () => undefined;
const noOpinionLater: Authenticator = () => Promise.resolve(undefined);

const outcome = (result: AuthResult): string =>
  result === undefined ? 'nobody' : 'error' in result ? `error ${result.error.message}` : result.user.username;

describe('unionAuthenticators', () => {
  it.each<[string, Authenticator[], string, string]>([
    ['no authenticator', [], 'nobody', 'nobody'],
    ['the first that accepts', [noOpinion, accepts('a'), accepts('b')], 'a', 'a'],
    ['the first that accepts, asynchronously', [noOpinionLater, acceptsLater('a'), accepts('b')], 'a', 'a'],
    ['one that accepts after one that rejects', [refuses('x'), accepts('a')], 'a', 'error x'],
    [
      'one that accepts after one that rejects, asynchronously',
      [rejectsLater('x'), noOpinion, acceptsLater('a')],
      'a',
      'error x',
    ],
    ['a refusal', [noOpinion, refuses('x'), noOpinionLater], 'error x', 'error x'],
    ['several refusals', [refuses('x'), rejectsLater('y'), refuses('x')], 'error [x, y]', 'error x'],
    ['none that accepts', [noOpinion, noOpinionLater], 'nobody', 'nobody'],
  ])('%s', async (_, authenticators, expected, failing) => {
    expect(outcome(await unionAuthenticators(authenticators)(request()))).toBe(expected);
    expect(outcome(await unionAuthenticators(authenticators, { failOnError: true })(request()))).toBe(failing);
    const tokens = authenticators.map((authenticator) => () => authenticator(request()));
    expect(outcome(await unionTokenAuthenticators(tokens)('t', new AbortController()))).toBe(expected);
  });

  it('is synchronous as long as its members are', () => {
    expect(unionAuthenticators([noOpinion, accepts('a')])(request())).not.toBeInstanceOf(Promise);
    expect(unionAuthenticators([noOpinionLater, accepts('a')])(request())).toBeInstanceOf(Promise);
  });
});

describe('withAuthenticatedGroup', () => {
  it.each([
    ['a user', user('a', 'dev'), ['dev', 'system:authenticated']],
    ['a user who has the group', user('a', 'system:authenticated', 'dev'), ['system:authenticated', 'dev']],
    ['the anonymous user', user('system:anonymous', 'system:unauthenticated'), ['system:unauthenticated']],
    ['an unauthenticated user', user('a', 'system:unauthenticated'), ['system:unauthenticated']],
  ])('%s', async (_, result, groups) => {
    for (const authenticator of [() => result, () => Promise.resolve(result)]) {
      expect(await withAuthenticatedGroup(authenticator)(request())).toMatchObject({ user: { groups } });
    }
  });

  it('makes the result of a credential that nobody can change once, and others each time', async () => {
    const groups = ['dev'];
    const open = { user: Object.freeze({ username: 'a', groups }) };
    const authenticate = withAuthenticatedGroup(() => Object.freeze(open));
    expect(await authenticate(request())).toMatchObject({ user: { groups: ['dev', 'system:authenticated'] } });
    groups.push('ops');
    expect(await authenticate(request())).toMatchObject({ user: { groups: ['dev', 'ops', 'system:authenticated'] } });
    const fixed = Object.freeze({ user: Object.freeze({ username: 'a', groups: Object.freeze([...groups]) }) });
    const known = withAuthenticatedGroup(() => fixed);
    expect(known(request())).toBe(known(request()));
  });
});

describe('composeAuthentication', () => {
  const anonymous = anonymousAuthenticator();
  it('accepts the anonymous user if no authenticator rejects the request', async () => {
    expect(await composeAuthentication([noOpinion, noOpinionLater], anonymous)(request())).toEqual({
      user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    });
  });

  it('does not turn a bad credential into the anonymous user', async () => {
    expect(
      outcome(await composeAuthentication([noOpinion, refuses('invalid bearer token')], anonymous)(request())),
    ).toBe('error invalid bearer token');
  });

  it('yields no user without authenticators and anonymous access', async () => {
    expect(await composeAuthentication([])(request())).toBeUndefined();
  });

  it('can limit anonymous access to some paths', async () => {
    const authenticate = composeAuthentication([], anonymousAuthenticator({ paths: ['/livez'] }));
    expect(outcome(await authenticate(request({}, '/livez')))).toBe('system:anonymous');
    expect(outcome(await authenticate(request({}, '/livez/ping')))).toBe('nobody');
  });
});

describe('requireUser', () => {
  it('returns the user', () => {
    expect(requireUser(user('a'))).toEqual({ username: 'a', groups: [] });
  });

  it.each([[undefined], [{ error: new Error('token has expired') }]])('answers only Unauthorized', (result) => {
    try {
      requireUser(result);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      expect((error as ApiError).status).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      });
      expect((error as ApiError).cause).toBe(result?.error);
    }
  });
});
