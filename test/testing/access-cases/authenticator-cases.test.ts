import { afterAll, describe, expect, test } from 'vitest';
import {
  anonymousAuthenticator,
  bearerTokenAuthenticator,
  createStaticTokenAuthenticator,
  type Authenticator,
} from '../../../src/security/index.js';
import { createRequestHeaderAuthenticator } from '../../../src/security/authn/request-header/index.js';
import { createX509Authenticator } from '../../../src/security/authn/x509/index.js';
import { createManualClock, seededEntropy, startTestServer } from '../../../src/entries/testing.js';
import { authenticatorCases, authRequest, type AuthenticatorCasesOptions } from '../../../src/entries/suites.js';
import type { ApiServer } from '../../../src/entries/index.js';
import { ServiceAccount, TokenRequest } from '../../../src/kinds/builtin/index.js';
import { ask } from '../../server/ask.js';
import { authority, client, CN, NOW, O } from '../../security/pki/support/issue.js';
import { presented } from '../../security/authn/x509-request.js';
import { brokenOnes, passes } from './support.js';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const alice = { username: 'alice', groups: ['dev'] };
const bob = { username: 'bob', groups: [] };
const tokens = [
  { token: 'alice-secret-1', user: alice },
  { token: 'bob-secret-22', user: bob },
];
const options = (create: AuthenticatorCasesOptions['create']): AuthenticatorCasesOptions => ({
  create,
  valid: [
    { name: 'the token of alice', ...bearer('alice-secret-1'), user: alice },
    { name: 'the token of bob', ...bearer('bob-secret-22'), user: bob },
  ],
  invalid: [{ name: 'an unknown token', ...bearer('mallory-secret') }],
});

passes('static tokens', () =>
  authenticatorCases(options(() => bearerTokenAuthenticator(createStaticTokenAuthenticator(tokens, seededEntropy(0))))),
);

const root = authority('root');
const stranger = authority('stranger');
const clock = createManualClock(NOW);
passes('client certificates', () =>
  authenticatorCases({
    create: () => createX509Authenticator({ certificateAuthorities: root.pem, clock }),
    valid: [
      { name: 'alice', certificate: presented(client([O('dev'), CN('alice')], root)), user: alice },
      { name: 'bob', certificate: presented(client('bob', root)), user: bob },
    ],
    invalid: [{ name: 'another authority', certificate: presented(client('alice', stranger)) }],
  }),
);

const proxy = presented(client('proxy', root));
passes('an authenticating proxy', () =>
  authenticatorCases({
    create: () =>
      createRequestHeaderAuthenticator({
        certificateAuthorities: root.pem,
        clock,
        usernameHeaders: ['X-Remote-User'],
        groupHeaders: ['X-Remote-Group'],
        extraHeaderPrefixes: ['X-Remote-Extra-'],
      }),
    valid: [
      {
        name: 'alice',
        certificate: proxy,
        headers: { 'x-remote-user': 'alice', 'x-remote-group': ['dev', 'ops'] },
        user: { username: 'alice', groups: ['dev', 'ops'] },
      },
      {
        name: 'bob',
        certificate: proxy,
        headers: { 'x-remote-user': 'bob', 'x-remote-extra-a': '1' },
        user: { username: 'bob', extra: { a: ['1'] } },
      },
    ],
    invalid: [
      { name: 'no proxy', headers: { 'x-remote-user': 'alice' } },
      {
        name: 'another proxy',
        certificate: presented(client('proxy', stranger)),
        headers: { 'x-remote-user': 'alice' },
      },
    ],
  }),
);

passes('anonymous requests, after tokens', () => {
  const authenticate = bearerTokenAuthenticator(createStaticTokenAuthenticator(tokens, seededEntropy(0)));
  const anonymous = anonymousAuthenticator();
  return authenticatorCases({
    ...options(() => async (request) => (await authenticate(request)) ?? anonymous(request)),
    withoutCredentials: { username: 'system:anonymous' },
  });
});

/** Asks a whole server who a request is from, by a SelfSubjectReview. */
const asking =
  (server: ApiServer): Authenticator =>
  async ({ headers }) => {
    const { body, status } = await ask(server, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      token: '',
      headers: { authorization: headers.get('authorization') ?? '' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
    });
    const answer = JSON.parse(String(body));
    if (status === 201) return { user: answer.status.userInfo };
    return status === 401 ? { error: new Error(answer.message) } : undefined;
  };
const whole = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
afterAll(() => whole.close());
const accounts = whole.client.resource(ServiceAccount).namespace('default');
const tokenOf = async (name: string): Promise<string> => {
  await accounts.create({ metadata: { name } });
  return (await accounts.perform(name, TokenRequest, { spec: { audiences: [] } })).status?.token ?? '';
};
const [robotToken, otherToken] = [await tokenOf('robot'), await tokenOf('other')];
const [header = '', payload = '', signature = ''] = robotToken.split('.');

passes('a server with tokens of service accounts', () =>
  authenticatorCases({
    create: () => asking(whole.server),
    valid: [
      { name: 'robot', ...bearer(robotToken), user: { username: 'system:serviceaccount:default:robot' } },
      { name: 'other', ...bearer(otherToken), user: { username: 'system:serviceaccount:default:other' } },
      { name: 'alice', ...bearer('alice-secret-1'), user: { username: 'alice' } },
    ],
    invalid: [
      { name: 'the signature of another token', ...bearer([header, payload, otherToken.split('.')[2]].join('.')) },
      { name: 'no signature', ...bearer(`${header}.${payload}.`) },
      { name: 'no algorithm', ...bearer([btoa('{"alg":"none"}').replaceAll('=', ''), payload, ''].join('.')) },
      { name: 'the claims of another token', ...bearer([header, otherToken.split('.')[1], signature].join('.')) },
    ],
  }),
);

describe('the cases', () => {
  const find = (request: Parameters<Authenticator>[0]) =>
    tokens.find(({ token }) => `Bearer ${token}` === request.headers.get('authorization'))?.user;
  const copy = (request: Parameters<Authenticator>[0]) => structuredClone(find(request));
  let last: ReturnType<typeof find>;
  const broken: readonly (readonly [string, string, Authenticator])[] = [
    ['knows nobody', 'finds the user of each valid credential', () => undefined],
    [
      'returns other groups',
      'finds the user of each valid credential',
      (request) => {
        const user = find(request);
        return user && { user: { ...user, groups: ['ops'] } };
      },
    ],
    [
      'returns no groups',
      'returns users with a name, a list of groups, and lists of extra values',
      (request) => {
        const user = find(request);
        return user && { user: { username: user.username } as never };
      },
    ],
    [
      'returns texts as extra',
      'returns users with a name, a list of groups, and lists of extra values',
      (request) => {
        const user = copy(request);
        return user && { user: { ...user, extra: { a: 'b' } as never } };
      },
    ],
    [
      'accepts everything',
      'accepts no invalid credential',
      (request) => ({ user: copy(request) ?? { username: 'guest', groups: [] } }),
    ],
    [
      'throws',
      'returns an error for an invalid credential, or no opinion, and does not throw',
      (request) => {
        const user = copy(request);
        if (user === undefined) throw new Error('no');
        return { user };
      },
    ],
    [
      'returns a text as error',
      'returns an error for an invalid credential, or no opinion, and does not throw',
      (request) => {
        const user = copy(request);
        return user ? { user } : { error: 'no' as never };
      },
    ],
    [
      'tells the token',
      'tells no credential in its errors',
      (request) => {
        const user = copy(request);
        return user ? { user } : { error: new Error(`wrong: ${request.headers.get('authorization')}`) };
      },
    ],
    [
      'lets everybody in',
      'has no opinion on a request without credentials',
      (request) =>
        request.headers.get('authorization') === undefined ? { user: { username: 'guest', groups: [] } } : undefined,
    ],
    [
      'takes any scheme',
      'has no opinion on, or refuses, credentials of another kind',
      (request) => {
        const user = copy(request);
        return user
          ? { user }
          : request.headers.get('authorization')?.startsWith('Unknown')
            ? { user: structuredClone(alice) }
            : undefined;
      },
    ],
    [
      'compares the beginning',
      'accepts no credential that has a character more or less',
      (request) => {
        const user = tokens.find(({ token }) =>
          request.headers.get('authorization')?.startsWith(`Bearer ${token}`),
        )?.user;
        return user && { user: structuredClone(user) };
      },
    ],
    [
      'mixes users up',
      'keeps the users of concurrent requests apart',
      async (request) => {
        last = copy(request);
        await Promise.resolve();
        return last && { user: last };
      },
    ],
    [
      'remembers that somebody was accepted',
      'accepts no invalid credential after, or beside, a valid one',
      (request) => {
        last = copy(request) ?? last;
        return last && { user: structuredClone(last) };
      },
    ],
    [
      'shares its users',
      'returns the same user again when a caller has changed the first one',
      (() => {
        const shared = structuredClone(tokens);
        return (request: Parameters<Authenticator>[0]) => {
          const user = shared.find(({ token }) => `Bearer ${token}` === request.headers.get('authorization'))?.user;
          return user && { user };
        };
      })(),
    ],
    [
      'changes the request',
      'changes nothing in the request',
      (request) => {
        Object.assign(request.peer, { address: 'here' });
        const user = copy(request);
        return user && { user };
      },
    ],
  ];
  brokenOnes(
    authenticatorCases(options(() => () => undefined)).map(({ name }) => name),
    broken,
    (authenticate) => {
      last = undefined;
      return authenticatorCases(options(() => authenticate));
    },
  );

  test('refuse what tests too little', () => {
    const create = () => () => undefined;
    expect(() => authenticatorCases({ ...options(create), valid: [] })).toThrow('credentials of at least two users');
    expect(() => authenticatorCases({ ...options(create), invalid: [] })).toThrow('the option invalid');
    expect(() => authenticatorCases({ ...options(create), skip: [{ test: 'x', reason: 'y' }] })).toThrow(
      'skip of an unknown case: x',
    );
  });

  test('skip a case with a reason', async () => {
    const name = 'tells no credential in its errors';
    const cases = authenticatorCases({ ...options(() => () => undefined), skip: [{ test: name, reason: 'none' }] });
    const found = cases.find((one) => one.name === name);
    expect(found?.skipped).toBe('none');
    await found?.run();
  });

  test('make requests as the server does', () => {
    const { headers, peer } = authRequest({ headers: { 'X-A': ['1', '2'] } });
    expect([headers.get('x-a'), headers.getAll('x-a'), [...headers.names()], peer.tls]).toEqual([
      '1, 2',
      ['1', '2'],
      ['x-a'],
      true,
    ]);
  });
});
