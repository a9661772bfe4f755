import { describe, expect, test } from 'vitest';
import { unionAuthenticators, type AuthResult } from '../../../src/security/authn/authenticator.js';
import {
  createRequestHeaderAuthenticator,
  type RequestHeaderAuthenticatorOptions,
} from '../../../src/security/authn/request-header/index.js';
import { createX509Authenticator } from '../../../src/security/authn/x509/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { authority, client, CN, intermediate, NOW, O, serverAuth } from '../pki/support/issue.js';
import { presented, requestWith } from './x509-request.js';

const frontProxy = authority('front proxy');
const users = authority('users');
const clock = createManualClock(NOW);
const proxy = presented(client('proxy', frontProxy));

type Fields = readonly (readonly [string, string])[];

function authenticator(
  options: Partial<RequestHeaderAuthenticatorOptions> = {},
): (fields: Fields, certificate?: typeof proxy) => Promise<AuthResult> {
  const authenticate = createRequestHeaderAuthenticator({
    certificateAuthorities: frontProxy.pem,
    allowedNames: ['proxy'],
    clock,
    ...options,
  });
  return async (fields, certificate = proxy) => authenticate(requestWith(certificate, fields));
}

const ask = authenticator();
const ADMIN: Fields = [
  ['X-Remote-User', 'admin'],
  ['X-Remote-Group', 'system:masters'],
];

describe('createRequestHeaderAuthenticator', () => {
  test('reads user, groups and extra', async () => {
    const fields: Fields = [
      ['X-Remote-User', 'alice'],
      ['X-Remote-Group', 'dev'],
      ['X-Remote-Group', ''],
      ['X-Remote-Group', 'a, b'],
      ['X-Remote-Extra-Scopes', 'one'],
      ['X-Remote-Extra-scopes', 'two'],
      ['X-Remote-Extra-Acme.com%2Fproject', 'x'],
      ['X-Remote-Extra-empty', ''],
    ];
    expect(await ask(fields)).toEqual({
      user: {
        username: 'alice',
        groups: ['dev', 'a, b'],
        extra: { scopes: ['one', 'two'], 'acme.com/project': ['x'], empty: [''] },
      },
    });
  });

  test('without a name header there is no user', async () => {
    expect(await ask([['X-Remote-Group', 'dev']])).toBeUndefined();
    expect(await ask([['X-Remote-User', '']])).toBeUndefined();
  });

  test('header names may be in any case; the first with a value is used', async () => {
    const own = authenticator({
      usernameHeaders: ['X-First', ' x-second '],
      groupHeaders: ['X-G1', 'x-g2'],
      extraHeaderPrefixes: ['X-E-', 'X-F-'],
    });
    expect(
      await own([
        ['x-second', 'b'],
        ['x-first', 'a'],
        ['x-g2', 'two'],
        ['x-g1', 'one'],
        ['x-f-k', '2'],
        ['x-e-k', '1'],
        ...ADMIN,
      ]),
    ).toEqual({ user: { username: 'a', groups: ['one', 'two'], extra: { k: ['1', '2'] } } });
    expect(
      await own([
        ['x-first', ''],
        ['x-second', 'b'],
      ]),
    ).toEqual({ user: { username: 'b', groups: [] } });
    expect(await own(ADMIN)).toBeUndefined();
    expect(() => authenticator({ usernameHeaders: [' '] })).toThrow('empty header " "');
  });

  test.each([
    ['%', '%'],
    ['%zz', '%zz'],
    ['a%2', 'a%2'],
    ['%c3%bc', 'ü'],
    ['%ff', '\ufffd'],
    ['%41B', 'ab'],
    ['', ''],
    ['__proto__', '__proto__'],
    ['a%25b', 'a%b'],
  ])('the key of x-remote-extra-%s is %j', async (encoded, key) => {
    const result = await ask([
      ['X-Remote-User', 'a'],
      [`X-Remote-Extra-${encoded}`, 'v'],
    ]);
    const extra = result !== undefined && 'user' in result ? result.user.extra : undefined;
    expect(Object.entries(extra ?? {})).toEqual([[key, ['v']]]);
  });

  test('octets of a field are UTF-8', async () => {
    const wire = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
    expect(
      await ask([
        ['X-Remote-User', wire('jürgen')],
        ['X-Remote-Group', wire('группа')],
        ['X-Remote-Extra-k', wire('日')],
      ]),
    ).toEqual({
      user: { username: 'jürgen', groups: ['группа'], extra: { k: ['日'] } },
    });
    // Not UTF-8: it must not become the name of an existing user.
    expect(await ask([['X-Remote-User', 'j\u00fcrgen']])).toEqual({ user: { username: 'j\ufffdrgen', groups: [] } });
    // Passed in without a transport.
    expect(await ask([['X-Remote-User', '日ü']])).toEqual({ user: { username: '日ü', groups: [] } });
  });

  test('a proxy certificate may use an intermediate, and any name if none is required', async () => {
    const between = intermediate('between', frontProxy);
    const other = presented(client('other', between), between);
    expect(await authenticator({ allowedNames: [] })(ADMIN, other)).toEqual({
      user: { username: 'admin', groups: ['system:masters'] },
    });
    const unsaid = createRequestHeaderAuthenticator({ certificateAuthorities: frontProxy.pem, clock });
    expect(await unsaid(requestWith(other, ADMIN))).toEqual({
      user: { username: 'admin', groups: ['system:masters'] },
    });
  });

  test('any other certificate is rejected, and a later authenticator may accept it', async () => {
    const alice = presented(client([O('dev'), CN('alice')], users));
    const fields = requestWith(alice, ADMIN);
    const proxyUsers = createRequestHeaderAuthenticator({ certificateAuthorities: frontProxy.pem, clock });
    const certificates = createX509Authenticator({ certificateAuthorities: users.pem, clock });
    expect(await proxyUsers(fields)).toEqual({
      error: expect.objectContaining({ message: 'x509: certificate signed by unknown authority' }) as Error,
    });
    expect(await unionAuthenticators([proxyUsers, certificates])(fields)).toEqual({
      user: { username: 'alice', groups: ['dev'] },
    });
  });

  test("without authorities no certificate is a proxy's", async () => {
    expect(await authenticator({ certificateAuthorities: () => '' })(ADMIN)).toBeUndefined();
  });
});

describe('attacks', () => {
  test.each(['X-Remote-User', 'x-remote-user', 'X-REMOTE-USER', 'x-ReMoTe-UsEr'])(
    '%s without the certificate',
    async (name) => {
      const authenticate = createRequestHeaderAuthenticator({ certificateAuthorities: frontProxy.pem, clock });
      expect(await authenticate(requestWith(undefined, [[name, 'admin']]))).toBeUndefined();
    },
  );

  test('duplicate headers: the first name is used', async () => {
    expect(
      await ask([
        ['X-Remote-User', 'alice'],
        ['x-remote-user', 'admin'],
      ]),
    ).toEqual({ user: { username: 'alice', groups: [] } });
    expect(
      await ask([
        ['X-Remote-User', ''],
        ['X-Remote-User', 'admin'],
      ]),
    ).toBeUndefined();
  });

  test('names with underscores are different names', async () => {
    expect(
      await ask([
        ['X_Remote_User', 'admin'],
        ['X-Remote_User', 'admin'],
      ]),
    ).toBeUndefined();
    expect(
      await ask([
        ['X-Remote-User', 'alice'],
        ['X_Remote_Group', 'system:masters'],
        ['X_Remote_Extra_scopes', 'all'],
      ]),
    ).toEqual({ user: { username: 'alice', groups: [] } });
  });

  test.each([
    [
      'with a name that is not allowed',
      presented(client('kubelet', frontProxy)),
      'x509: subject with cn=kubelet is not in the allowed list',
    ],
    [
      'with an allowed name in different letter case',
      presented(client('Proxy', frontProxy)),
      'x509: subject with cn=Proxy is not in the allowed list',
    ],
    [
      'with an allowed name and a NUL',
      presented(client('proxy\0', frontProxy)),
      'x509: subject with cn=proxy\0 is not in the allowed list',
    ],
    [
      'with an allowed name before another one',
      presented(client([CN('proxy'), CN('other')], frontProxy)),
      'x509: subject with cn=other is not in the allowed list',
    ],
    [
      'without a name',
      presented(client([O('proxy')], frontProxy)),
      'x509: subject with cn= is not in the allowed list',
    ],
    [
      'with an allowed name from the authority of users',
      presented(client('proxy', users)),
      'x509: certificate signed by unknown authority',
    ],
    [
      'for servers',
      presented(client('proxy', frontProxy, { extensions: [serverAuth] })),
      'x509: certificate specifies an incompatible key usage',
    ],
    [
      'that has expired',
      presented(client('proxy', frontProxy, { notAfter: NOW - 1000 })),
      'x509: certificate has expired or is not yet valid: current time 2030-01-01T00:00:00Z is after 2029-12-31T23:59:59Z',
    ],
  ])('a certificate %s', async (_name, certificate, message) => {
    expect(await ask(ADMIN, certificate)).toEqual({ error: expect.objectContaining({ message }) as Error });
  });

  test('the certificate of the proxy is not a user, unless its authority also signs users', async () => {
    const certificates = createX509Authenticator({ certificateAuthorities: users.pem, clock });
    expect(await certificates(requestWith(proxy, ADMIN))).toHaveProperty('error');
    const both = createX509Authenticator({ certificateAuthorities: users.pem + frontProxy.pem, clock });
    expect(await both(requestWith(proxy, ADMIN))).toEqual({ user: { username: 'proxy', groups: [] } });
  });
});
