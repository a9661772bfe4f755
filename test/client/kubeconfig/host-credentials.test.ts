/** Credentials for webhooks: users are named like hosts. */
import { describe, expect, test } from 'vitest';
import { hostCredentials, parseKubeConfig } from '../../../src/client/kubeconfig/index.js';
import { createManualClock } from '../../../src/entries/testing.js';

const of = async (users: Readonly<Record<string, object>>, more: object = {}) => {
  const list = Object.entries(users).map(([name, user]) => ({ name, user }));
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'Config', users: list, ...more });
  return hostCredentials(await parseKubeConfig(text, { directory: '/' }), {
    clock: createManualClock(),
    warn: () => undefined,
  });
};

const tokens = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { token: name }]));

describe('the user of a host', () => {
  test.each([
    ['the name with the port first', 'a.b.svc', 8443, 'a.b.svc:8443'],
    ['then the longest wildcard', 'x.b.svc', 8443, '*.b.svc:8443'],
    ['a shorter wildcard', 'x.y.svc', 8443, '*.svc:8443'],
    ['the name without the port, for port 443', 'a.b.svc', 443, 'a.b.svc'],
    ['a wildcard without the port', 'x.b.svc', 443, '*.b.svc'],
    ['the user of all others', 'elsewhere.example', 443, '*'],
    ['not a name without the port, for another port', 'a.b.svc', 9, '*'],
    ['an address', '127.0.0.1:8443', 8443, '127.0.0.1:8443'],
  ])('%s', async (_title, host, port, expected) => {
    const find = await of(
      tokens('a.b.svc:8443', '*.b.svc:8443', '*.svc:8443', 'a.b.svc', '*.b.svc', '*', '127.0.0.1:8443'),
    );
    expect(await find(host, port)).toMatchObject({ headers: { authorization: `Bearer ${expected}` } });
  });

  test('is that of the current context, or nobody', async () => {
    const contexts = [{ name: 'c', context: { user: 'u' } }];
    const find = await of(tokens('u'), { contexts, 'current-context': 'c' });
    expect(await find('a.example', 443)).toMatchObject({ headers: { authorization: 'Bearer u' } });
    expect(await (await of(tokens('u')))('a.example', 443)).toBeUndefined();
  });
});

test('a user may have a name and a password, and act as another user', async () => {
  const find = await of({ '*': { username: 'me', password: 'x', as: 'jane', 'as-groups': ['a', 'b'] } });
  expect(await find('a.example', 443)).toMatchObject({
    headers: { authorization: 'Basic bWU6eA==', 'impersonate-user': ['jane'], 'impersonate-group': ['a', 'b'] },
  });
});

test('credentials that cannot be used are refused at once, with the name of their user', async () => {
  await expect(of({ 'a.example': { tokenFile: '/none/token' } })).rejects.toThrow(
    /^user "a\.example": failed to read token file "\/none\/token"/,
  );
  await expect(of({ '*': { 'auth-provider': { name: 'gcp' } } })).rejects.toThrow(
    'user "*": auth provider not supported',
  );
  await expect(of({ '*': { exec: { command: 'x', apiVersion: 'v0' } } })).rejects.toThrow(
    'user "*": exec plugin: invalid apiVersion "v0"',
  );
});
