import hostCrypto from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AuthCertificate, AuthResult } from '../../../src/security/authn/authenticator.js';
import { createX509Authenticator, type X509AuthenticatorOptions } from '../../../src/security/authn/x509/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { der } from '../pki/support/der-writer.js';
import {
  attribute,
  authority,
  basicConstraints,
  client,
  clientAuth,
  CN,
  DAY,
  intermediate,
  issue,
  keyUsage,
  NOW,
  O,
  serverAuth,
  type Identity,
} from '../pki/support/issue.js';
import { presented, requestWith } from './x509-request.js';

const root = authority('root');
const middle = intermediate('middle', root);
const clock = createManualClock(NOW);

function authenticator(
  options: Partial<X509AuthenticatorOptions> = {},
): (certificate: AuthCertificate | undefined) => AuthResult | Promise<AuthResult> {
  const authenticate = createX509Authenticator({ certificateAuthorities: root.pem, clock, ...options });
  return (certificate) => authenticate(requestWith(certificate));
}

const ask = authenticator();
const errorOf = (result: AuthResult): string | undefined =>
  result !== undefined && 'error' in result ? result.error.message : undefined;
const UNKNOWN = 'x509: certificate signed by unknown authority';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('createX509Authenticator', () => {
  test('the common name is the user, and each organization a group', async () => {
    expect(await ask(presented(client([O('dev'), O('ops'), O('dev'), CN('alice')], root)))).toEqual({
      user: { username: 'alice', groups: ['dev', 'ops', 'dev'] },
    });
    expect(await ask(presented(client('bob', root)))).toEqual({ user: { username: 'bob', groups: [] } });
    expect(await ask(presented(client('carol', middle), middle))).toEqual({ user: { username: 'carol', groups: [] } });
  });

  test('a request without a certificate has no user', async () => {
    expect(ask(undefined)).toBeUndefined();
    expect(
      await createX509Authenticator({ certificateAuthorities: root.pem, clock })({
        ...requestWith(undefined),
        peer: { address: undefined, tls: false },
      }),
    ).toBeUndefined();
  });

  test('a certificate without a common name has no user', async () => {
    expect(await ask(presented(client([O('dev')], root)))).toBeUndefined();
  });

  test('a version 1 certificate is accepted', async () => {
    expect(await ask(presented(issue({ subject: 'old', by: root, version: undefined })))).toEqual({
      user: { username: 'old', groups: [] },
    });
  });

  test('the verdict of the TLS layer is ignored', async () => {
    expect(await ask({ ...presented(client('a', authority('other'))), authorized: true })).toHaveProperty('error');
    expect(await ask({ ...presented(client('a', root)), authorized: false })).toHaveProperty('user');
  });

  test('a refusal describes the certificate as Kubernetes does', async () => {
    const late = client('late', root, { serial: der(0x02, Uint8Array.of(0x12, 0x34)), notAfter: NOW - 1000 });
    const hex = (bytes: Uint8Array): string =>
      (Buffer.from(bytes).toString('hex').toUpperCase().match(/../g) ?? []).join(':');
    expect(errorOf(await ask(presented(late)))).toBe(
      `verifying certificate SN=4660, SKID=${hex(late.keyIdentifier)}, AKID=${hex(root.keyIdentifier)} failed: ` +
        'x509: certificate has expired or is not yet valid: current time 2030-01-01T00:00:00Z is after 2029-12-31T23:59:59Z',
    );
    expect(
      errorOf(
        await ask(
          presented(
            client('x', root, {
              withoutIdentifiers: true,
              extensions: [serverAuth],
              serial: der(0x02, Uint8Array.of(1)),
            }),
          ),
        ),
      ),
    ).toBe('verifying certificate SN=1, SKID=, AKID= failed: x509: certificate specifies an incompatible key usage');
  });

  test('users may be mapped in another way', async () => {
    const byKey = authenticator({
      userConversion: ([leaf]) =>
        leaf === undefined ? undefined : { username: `serial:${leaf.serialNumber}`, groups: ['machines'] },
    });
    expect(await byKey(presented(client('a', root, { serial: der(0x02, Uint8Array.of(7)) })))).toEqual({
      user: { username: 'serial:7', groups: ['machines'] },
    });
    const picky = authenticator({
      userConversion: () => {
        throw new Error('not one of ours');
      },
    });
    expect(await picky(presented(client('a', root)))).toEqual({ error: new Error('not one of ours') });
    expect(await authenticator({ userConversion: () => undefined })(presented(client('a', root)))).toBeUndefined();
  });

  test('unreadable authorities are an error at once', () => {
    expect(() => authenticator({ certificateAuthorities: '' })).toThrow('missing content for CA bundle');
    expect(() => authenticator({ certificateAuthorities: 'nothing' })).toThrow(
      'data does not contain any valid RSA or ECDSA certificates',
    );
    expect(() =>
      authenticator({ certificateAuthorities: () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }),
    ).toThrow('x509: malformed certificate');
  });
});

describe('changing authorities', () => {
  test('take effect with the next request, even on an open connection', async () => {
    const next = authority('next');
    let pem = root.pem;
    const changing = authenticator({ certificateAuthorities: () => pem });
    const [old, fresh] = [presented(client('a', root)), presented(client('b', next))];
    expect([await changing(old), await changing(fresh)]).toMatchObject([{ user: { username: 'a' } }, { error: {} }]);
    pem = next.pem;
    expect([await changing(old), await changing(fresh)]).toMatchObject([{ error: {} }, { user: { username: 'b' } }]);
    pem = root.pem + next.pem;
    expect([await changing(old), await changing(fresh)]).toMatchObject([
      { user: { username: 'a' } },
      { user: { username: 'b' } },
    ]);
  });

  test('leave the previous ones in force if they are unreadable, which is reported once', async () => {
    let pem = root.pem;
    const failures: string[] = [];
    const changing = authenticator({
      certificateAuthorities: () => pem,
      onReloadFailure: (error) => failures.push(error.message),
    });
    pem = 'half a file';
    const connection = presented(client('a', root));
    for (let time = 0; time < 3; time += 1) expect(await changing(connection)).toHaveProperty('user');
    expect(failures).toEqual(['data does not contain any valid RSA or ECDSA certificates']);
  });

  test('neither accept nor reject any certificate while there are none', async () => {
    let pem = '';
    const changing = authenticator({ certificateAuthorities: () => pem });
    const connection = presented(client('a', root));
    expect(changing(connection)).toBeUndefined();
    pem = root.pem;
    expect(await changing(connection)).toHaveProperty('user');
    pem = '';
    expect(changing(connection)).toBeUndefined();
  });
});

describe('the cache', () => {
  const verifications = (): { readonly count: number } => {
    // Verified by the host or by WebCrypto, whichever is faster.
    const spies = [vi.spyOn(hostCrypto, 'verify'), vi.spyOn(crypto.subtle, 'verify')];
    return {
      get count() {
        return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      },
    };
  };

  test('verifies a connection once, and then answers synchronously', async () => {
    const checked = verifications();
    const own = authenticator();
    const connection = presented(client('a', root));
    const first = await own(connection);
    expect(own(connection)).toBe(first);
    expect(checked.count).toBe(1);
  });

  test('verifies a chain once for all connections; and concurrent streams together', async () => {
    const checked = verifications();
    const own = authenticator();
    const leaf = client('a', middle);
    const [connection, another] = [presented(leaf, middle), presented(leaf, middle)];
    await Promise.all([own(connection), own(connection), own(another)]);
    expect(own(presented(leaf, middle))).toEqual({ user: { username: 'a', groups: [] } });
    expect(checked.count).toBe(2);
  });

  test('checks the time on each request', async () => {
    const time = createManualClock(NOW);
    const own = authenticator({ clock: time });
    const connection = presented(client('a', middle, { notAfter: NOW + DAY / 2 }), middle);
    expect(await own(connection)).toHaveProperty('user');
    await time.advance(DAY / 2);
    expect(own(connection)).toHaveProperty('user');
    await time.advance(1);
    expect(errorOf(await own(connection))).toContain('x509: certificate has expired');
  });

  test('drops the leaves of an expired intermediate, and accepts a leaf once it becomes valid', async () => {
    const time = createManualClock(NOW);
    const own = authenticator({ clock: time });
    const short = intermediate('short', root, { notAfter: NOW + 1000 });
    const [ending, coming] = [
      presented(client('a', short), short),
      presented(client('b', root, { notBefore: NOW + 2000 })),
    ];
    expect([await own(ending), await own(coming)]).toMatchObject([{ user: {} }, { error: {} }]);
    await time.advance(3000);
    expect([await own(ending), await own(coming)]).toMatchObject([{ error: {} }, { user: {} }]);
  });

  test('keeps a refusal too, but not for another chain with the same leaf', async () => {
    const checked = verifications();
    const own = authenticator();
    const leaf = client('a', middle);
    const useless = authority('middle');
    for (let time = 0; time < 3; time += 1) expect(errorOf(await own(presented(leaf, useless)))).toContain(UNKNOWN);
    expect(checked.count).toBe(1);
    expect(await own(presented(leaf, middle))).toHaveProperty('user');
  });

  test('has a maximum size', async () => {
    const checked = verifications();
    const own = authenticator({ cacheSize: 2 });
    const [a, b, c] = [client('a', root), client('b', root), client('c', root)] as const;
    for (const leaf of [a, b, c]) await own(presented(leaf));
    await own(presented(c));
    expect(checked.count).toBe(3);
    await own(presented(a));
    expect(checked.count).toBe(4);
  });

  test('returns users that cannot be modified', async () => {
    const result = await ask(presented(client([O('dev'), CN('a')], root)));
    const { user } = result as { user: { username: string; groups: string[] } };
    expect(() => (user.username = 'admin')).toThrow(TypeError);
    expect(() => user.groups.push('system:masters')).toThrow(TypeError);
  });
});

describe('attacks', () => {
  const refused = async (why: string, ...chain: readonly Identity[]): Promise<void> => {
    expect(errorOf(await ask(presented(...chain)))).toContain(why);
  };

  test('a certificate for servers only', () =>
    refused(
      'x509: certificate specifies an incompatible key usage',
      client('admin', root, { extensions: [serverAuth] }),
    ));

  test('an expired certificate', () =>
    refused('x509: certificate has expired or is not yet valid', client('admin', root, { notAfter: NOW - 1 })));

  test('a certificate that is not yet valid', () =>
    refused('x509: certificate has expired or is not yet valid', client('admin', root, { notBefore: NOW + 1000 })));

  test('a certificate of the authenticating proxy, as a user', () =>
    refused(UNKNOWN, client('admin', authority('front proxy'))));

  test('a self-signed certificate with the name of the authority', async () => {
    await refused(
      UNKNOWN,
      issue({ subject: 'root', extensions: [basicConstraints(true), keyUsage(0x06), clientAuth] }),
    );
    const impostor = authority('root');
    await refused(UNKNOWN, client('admin', impostor), impostor);
    await refused(UNKNOWN, client('admin', impostor), root);
  });

  test('a client certificate that signs another one', async () => {
    const alice = client('alice', root);
    await refused('parent certificate cannot sign this kind of certificate', client('admin', alice), alice);
  });

  test('an authority below one that allows none', async () => {
    const narrow = authority('narrow', { extensions: [basicConstraints(true, 0)] });
    const below = intermediate('below', narrow);
    expect(
      errorOf(await authenticator({ certificateAuthorities: narrow.pem })(presented(client('admin', below), below))),
    ).toContain('x509: too many intermediates for path length constraint');
  });

  test('a chain without its intermediate', () => refused(UNKNOWN, client('admin', middle)));

  test('a certificate with a changed name under the old signature', async () => {
    const leaf = client('alice', root);
    const changed = Buffer.from(leaf.der);
    changed.write('admin', changed.lastIndexOf('alice'));
    await refused('x509: ECDSA verification failure', { ...leaf, der: changed });
  });

  test('a common name with a NUL in it is another name', async () => {
    expect(await ask(presented(client('admin\0.evil.example', root)))).toEqual({
      user: { username: 'admin\0.evil.example', groups: [] },
    });
    await refused('invalid PrintableString', client([attribute('2.5.4.3', der(0x13, Buffer.from('admin\0')))], root));
  });

  test('a common name with look-alikes, marks and several forms is unchanged', async () => {
    for (const name of ['аdmin', 'admin\u200b', '\u202eadmin', 'ADMIN', 'admin ', 'e\u0301', '\ufeffadmin']) {
      expect(await ask(presented(client(name, root)))).toEqual({ user: { username: name, groups: [] } });
    }
    await refused(
      'invalid UTF-8 string',
      client([attribute('2.5.4.3', der(0x0c, Uint8Array.of(0x61, 0xc0, 0x80)))], root),
    );
  });

  test('of several common names the last one is the name, and no organization is omitted', async () => {
    expect(await ask(presented(client([CN('admin'), O('a'), CN('nobody'), O('b')], root)))).toEqual({
      user: { username: 'nobody', groups: ['a', 'b'] },
    });
  });

  test('a huge chain, and a chain of equally named certificates that would take long', async () => {
    const leaf = client('admin', root);
    await refused('x509: 33 certificates of', leaf, ...Array.from({ length: 32 }, () => middle));
    await refused(
      'x509: 8 certificates of',
      leaf,
      ...Array.from({ length: 7 }, () => ({ ...leaf, der: new Uint8Array(40_000) })),
    );
    const crowd = Array.from({ length: 31 }, () => authority('crowd'));
    await refused(UNKNOWN, client('admin', authority('crowd')), ...crowd);
  });

  test('bytes that are no certificate, before or after one', async () => {
    const leaf = client('admin', root);
    expect(errorOf(await ask(presented({ ...leaf, der: Uint8Array.of(1, 2, 3) })))).toBe(
      'tls: failed to parse client certificate: x509: malformed certificate',
    );
    await refused('tls: failed to parse client certificate: x509: trailing data', leaf, {
      ...middle,
      der: Buffer.concat([middle.der, Uint8Array.of(0)]),
    });
    expect(errorOf(await ask({ chain: [], authorized: true }))).toBe('tls: no client certificate');
  });
});
