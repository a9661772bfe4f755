import { describe, expect, test } from 'vitest';
import type { OpenIdConnectOptions } from '../../../../src/security/index.js';
import { createServingCertificate } from '../../../../src/transport/node/index.js';
import { logIn, providerKey, serveProvider, type Account } from './support/provider.js';
import { useSetting } from './support/setting.js';

const JANE: Account = {
  sub: 'jane',
  email: 'jane@example.org',
  email_verified: true,
  groups: ['developers', 'on-call'],
  team: 'storage',
};
const EVE: Account = { sub: 'eve', email: 'eve@example.org', email_verified: false, groups: 'visitors' };

const setting = useSetting();
const serve = (keys: Parameters<typeof serveProvider>[1], accounts: readonly Account[] = [JANE]): Promise<void> =>
  serveProvider(setting.host, keys, accounts);
const tokenOf = (account: string): Promise<string> => logIn(setting.http, setting.host, account);
const isJane = (): unknown => ({ username: `${setting.host.url}#jane`, groups: ['developers', 'on-call'] });

describe('a token of a real provider', () => {
  test('identifies its user', async () => {
    await serve([await providerKey('one')]);
    const authenticator = setting.authenticator({}, { apiAudiences: ['https://api.example.org'] });
    await authenticator.ready;
    const token = await tokenOf('jane');
    expect(await setting.ask(authenticator, token)).toEqual(isJane());
    const { signal } = new AbortController();
    expect(await authenticator.authenticate(token, { signal })).toHaveProperty('audiences', [
      'https://api.example.org',
    ]);
    expect(
      await authenticator.authenticate(token, { signal, audiences: ['https://api.example.org', 'other'] }),
    ).toHaveProperty('audiences', ['https://api.example.org']);
    expect(await authenticator.authenticate(token, { signal, audiences: ['other'] })).toBeUndefined();
  });

  test('is accepted with every flag', async () => {
    await serve([await providerKey('one', 'ES256')]);
    const authenticator = setting.authenticator({
      usernameClaim: 'email',
      usernamePrefix: 'oidc:',
      groupsPrefix: 'group:',
      requiredClaims: { team: 'storage' },
      signingAlgorithms: ['RS256', 'ES256'],
    });
    await authenticator.ready;
    expect(await setting.ask(authenticator, await tokenOf('jane'))).toEqual({
      username: 'oidc:jane@example.org',
      groups: ['group:developers', 'group:on-call'],
    });
  });

  test('is refused if it lacks a requirement', async () => {
    await serve([await providerKey('one')], [EVE]);
    const token = await tokenOf('eve');
    const ask = async (flags: Partial<OpenIdConnectOptions>): Promise<unknown> => {
      const authenticator = setting.authenticator(flags);
      await authenticator.ready;
      return setting.ask(authenticator, token);
    };
    expect(await ask({})).toEqual({ username: `${setting.host.url}#eve`, groups: ['visitors'] });
    expect(await ask({ usernameClaim: 'email' })).toBe('oidc: email not verified');
    expect(await ask({ requiredClaims: { team: 'storage' } })).toBe(
      'oidc: required claim team not present in ID token',
    );
    expect(await ask({ clientId: 'other' })).toBe(
      'oidc: verify token: oidc: expected audience "other" got ["orchestrator"]',
    );
    expect(await ask({ signingAlgorithms: ['PS256'] })).toBe(
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["PS256"] got "RS256"',
    );
  });

  test('expires', async () => {
    await serve([await providerKey('one')]);
    const authenticator = setting.authenticator();
    await authenticator.ready;
    const token = await tokenOf('jane');
    expect(await setting.ask(authenticator, token)).toEqual(isJane());
    await setting.clock.advance(3_600_000 + 60_000);
    expect(await setting.ask(authenticator, token)).toMatch(
      /^oidc: verify token: oidc: token is expired \(Token Expiry: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC\)$/,
    );
  });
});

test('the keys of a provider rotate', async () => {
  const [first, second] = [await providerKey('first'), await providerKey('second')];
  await serve([first]);
  const authenticator = setting.authenticator();
  await authenticator.ready;
  const old = await tokenOf('jane');
  expect(await setting.ask(authenticator, old)).toEqual(isJane());

  await serve([second, first]);
  await setting.clock.advance(10_000);
  expect(await setting.ask(authenticator, await tokenOf('jane'))).toEqual(isJane());
  expect(await setting.ask(authenticator, old)).toEqual(isJane());

  // The first key is withdrawn: once the cached keys expire, its tokens are no longer accepted.
  await serve([second]);
  const read = setting.host.nextRequest('/jwks');
  await setting.clock.advance(600_000);
  await read;
  // A token that no key verifies waits for the fetch in progress.
  await setting.ask(authenticator, `${old.slice(0, -8)}AAAAAAAA`);
  expect(await setting.ask(authenticator, old)).toBe(
    'oidc: verify token: failed to verify signature: failed to verify id token signature',
  );
});

test('a provider that starts later is found', async () => {
  await serve([await providerKey('one')]);
  const token = await tokenOf('jane');
  await setting.host.stop();
  const failed = setting.log.next('ECONNREFUSED');
  const authenticator = setting.authenticator();
  const name = `oidc: authenticator for issuer "${setting.host.url}"`;
  expect(authenticator.healthCheck()?.message).toBe(`${name} is not healthy: ${name} is not initialized`);
  await failed;
  expect(await setting.ask(authenticator, token)).toBe('oidc: authenticator not initialized');
  expect(authenticator.healthCheck()?.message).toContain('ECONNREFUSED');

  const again = setting.log.next('ECONNREFUSED');
  await setting.clock.advance(10_000);
  await again;
  await setting.host.start();
  await setting.clock.advance(9_999);
  expect(authenticator.healthCheck()).toBeDefined();
  await setting.clock.advance(1);
  await authenticator.ready;
  expect(authenticator.healthCheck()).toBeUndefined();
  expect(await setting.ask(authenticator, token)).toEqual(isJane());
});

test('a provider whose certificate is from another authority is not trusted', async () => {
  await serve([await providerKey('one')]);
  const failed = setting.log.next('initializing plugin');
  const authenticator = setting.authenticator({ certificateAuthority: (await createServingCertificate()).caPem });
  expect(await failed).toMatch(/certificate/);
  expect(setting.host.asked).toEqual([]);
  expect(await setting.ask(authenticator, await tokenOf('jane'))).toBe('oidc: authenticator not initialized');
});
