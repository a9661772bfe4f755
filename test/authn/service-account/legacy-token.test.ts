import { describe, expect, it, vi } from 'vitest';
import type { TokenUse } from '../../../src/authn/service-account/index.js';
import { API, createWorld, NOBODY, ROBOT, verdict, type World } from './world.js';

const LEGACY = 'orch/serviceaccount';
const claims = {
  iss: LEGACY,
  sub: ROBOT,
  'orch.io/serviceaccount/namespace': 'team',
  'orch.io/serviceaccount/secret.name': 'robot-token',
  'orch.io/serviceaccount/service-account.name': 'robot',
  'orch.io/serviceaccount/service-account.uid': 'account-1',
};

/** A world with a legacy token in its Secret. */
async function legacyWorld(slow = false): Promise<World & { readonly legacy: string }> {
  const world = await createWorld({ slow });
  const legacy = await world.forge(claims);
  world.secrets.set('team/robot-token', { metadata: { uid: 's' }, data: { token: btoa(legacy) } });
  return { ...world, legacy };
}

describe.each([false, true])('a legacy token (look-up that waits: %s)', (slow) => {
  it('is known, and has no end', async () => {
    const world = await legacyWorld(slow);
    const uses: TokenUse[] = [];
    const authenticate = world.authenticator({ onUse: (use) => uses.push(use) });
    await world.clock.advance(1e12);
    expect(await authenticate(world.legacy, NOBODY)).toEqual({
      user: { username: ROBOT, uid: 'account-1', groups: ['system:serviceaccounts', 'system:serviceaccounts:team'] },
      audiences: [API],
    });
    expect(uses).toEqual([{ kind: 'legacy', subject: ROBOT, secretName: 'robot-token' }]);
  });

  it.each<[string, (world: World & { readonly legacy: string }) => void, string]>([
    ['the Secret is gone', (world) => world.secrets.clear(), 'Token has been invalidated'],
    [
      'the Secret is being deleted',
      ({ secrets, legacy }) =>
        secrets.set('team/robot-token', {
          metadata: { uid: 's', deletionTimestamp: '2999-01-01T00:00:00Z' },
          data: { token: btoa(legacy) },
        }),
      'Token has been invalidated',
    ],
    [
      'the Secret holds another token',
      ({ secrets }) => secrets.set('team/robot-token', { metadata: { uid: 's' }, data: { token: btoa('other') } }),
      "Token does not match server's copy",
    ],
    [
      'the Secret holds more than the token',
      ({ secrets, legacy }) =>
        secrets.set('team/robot-token', { metadata: { uid: 's' }, data: { token: btoa(`${legacy}\n`) } }),
      "Token does not match server's copy",
    ],
    [
      'the Secret holds no token',
      ({ secrets }) => secrets.set('team/robot-token', { metadata: { uid: 's' } }),
      "Token does not match server's copy",
    ],
    [
      'the Secret holds no base64',
      ({ secrets }) => secrets.set('team/robot-token', { metadata: { uid: 's' }, data: { token: '!' } }),
      "Token does not match server's copy",
    ],
    ['the account is gone', (world) => world.accounts.clear(), 'serviceaccounts "robot" not found'],
    [
      'the account is being deleted',
      ({ accounts }) =>
        accounts.set('team/robot', { metadata: { uid: 'account-1', deletionTimestamp: '2999-01-01T00:00:00Z' } }),
      'ServiceAccount team/robot has been deleted',
    ],
    [
      'the account is another',
      ({ accounts }) => accounts.set('team/robot', { metadata: { uid: 'account-2' } }),
      'ServiceAccount UID (account-2) does not match claim (account-1)',
    ],
    [
      'it was marked invalid',
      ({ secrets, legacy }) =>
        secrets.set('team/robot-token', {
          metadata: { uid: 's', labels: { 'orch.io/legacy-token-invalid-since': '2024-01-01' } },
          data: { token: btoa(legacy) },
        }),
      'the token in secret team/robot-token for service account team/robot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, ' +
        "or remove the 'orch.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
    ],
  ])('ends when %s', async (_name, change, answer) => {
    const world = await legacyWorld(slow);
    const authenticate = world.authenticator();
    expect(verdict(await authenticate(world.legacy, NOBODY))).toBe(ROBOT);
    change(world);
    expect(verdict(await authenticate(world.legacy, NOBODY))).toBe(answer);
  });
});

describe('a legacy token', () => {
  it('that the server made by itself is warned of', async () => {
    const world = await legacyWorld();
    const warn = vi.fn();
    world.accounts.set('team/robot', {
      metadata: { uid: 'account-1' },
      secrets: [{ name: 'other' }, { name: 'robot-token' }],
    });
    expect(verdict(await world.authenticator()(world.legacy, { ...NOBODY, warn }))).toBe(ROBOT);
    expect(warn.mock.calls).toEqual([
      [
        'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      ],
    ]);
  });

  it.each([
    'system:serviceaccount:team:admin',
    'system:serviceaccount:other:robot',
    'robot',
    'system:serviceaccount:team:robot:x',
  ])('of the subject %s is none', async (sub) => {
    const world = await legacyWorld();
    expect(verdict(await world.authenticator()(await world.forge({ ...claims, sub }), NOBODY))).toBe(
      'sub claim is invalid',
    );
  });

  it('is not looked up when the server is told not to', async () => {
    const world = await legacyWorld();
    world.secrets.clear();
    expect(verdict(await world.authenticator({ lookupLegacyTokens: false })(world.legacy, NOBODY))).toBe(ROBOT);
  });

  it('for another audience only is none for the API', async () => {
    const world = await legacyWorld();
    expect(verdict(await world.authenticator()(world.legacy, { ...NOBODY, audiences: ['vault'] }))).toContain(
      'is invalid for the target audiences ["vault"]',
    );
  });

  it('cannot be had by writing the claims of one into a token that was asked for', async () => {
    const world = await legacyWorld();
    expect(
      verdict(await world.authenticator()(await world.forge({ ...claims, iss: 'https://issuer.example' }), NOBODY)),
    ).toBe('exp claim is missing');
    expect(verdict(await world.authenticator()(await world.forge({ ...world.claims(), iss: LEGACY }), NOBODY))).toBe(
      'namespace claim is missing',
    );
  });

  it('is told apart where the server’s own issuer has the name of the legacy one', async () => {
    const world = await legacyWorld();
    const authenticate = world.authenticator({ issuers: [LEGACY] });
    expect(verdict(await authenticate(world.legacy, NOBODY))).toBe(ROBOT);
    expect(verdict(await authenticate(await world.forge({ ...world.claims(), iss: LEGACY }), NOBODY))).toBe(ROBOT);
  });
});
