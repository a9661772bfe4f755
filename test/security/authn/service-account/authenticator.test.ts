import { describe, expect, it, vi } from 'vitest';
import type { AuthResult } from '../../../../src/security/index.js';
import {
  createServiceAccountAuthenticator,
  type ServiceAccountLookup,
  type TokenUse,
} from '../../../../src/security/authn/service-account/index.js';
import { formatTime } from '../../../../src/foundation/time/time.js';
import { kubernetes, orch } from '../../../../src/foundation/dialect/dialect.js';
import { generateSigningKey, type TokenVerifier } from '../../../../src/security/tokens/index.js';
import { API, createWorld, ISSUER, NOBODY, ROBOT, verdict, type World } from './world.js';

const bound = {
  Pod: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'runner' } },
  Secret: { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'anchor' } },
};

describe('the user of a token', () => {
  it('is the account, with its groups, its uid and the id of the credential', async () => {
    const world = await createWorld();
    const id = (JSON.parse(atob((await world.token()).split('.')[1] ?? '')) as { jti: string }).jti.replace(/./g, '.');
    expect(id).toHaveLength(36);
    expect(await world.authenticator()(await world.forge(world.claims({ id: 'the-id' })), NOBODY)).toEqual({
      user: {
        username: ROBOT,
        uid: 'account-1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:team'],
        extra: { 'authentication.orch.io/credential-id': ['JTI=the-id'] },
      },
      audiences: [API],
    });
  });

  it('has the pod and the node that the token is bound to', async () => {
    const world = await createWorld();
    const token = await world.forge(
      world.claims({ pod: { name: 'runner', uid: 'pod-1' }, node: { name: 'node', uid: 'node-1' }, id: 'i' }),
    );
    expect(await world.authenticator()(token, NOBODY)).toMatchObject({
      user: {
        extra: {
          'authentication.orch.io/credential-id': ['JTI=i'],
          'authentication.orch.io/node-name': ['node'],
          'authentication.orch.io/node-uid': ['node-1'],
          'authentication.orch.io/pod-name': ['runner'],
          'authentication.orch.io/pod-uid': ['pod-1'],
        },
      },
    });
  });

  it('has the names of the dialect', async () => {
    const world = await createWorld();
    const issuer = world.issuer({ dialect: kubernetes });
    const { status } = await issuer.issue({ namespace: 'team', name: 'robot' });
    const result = await world.authenticator({ dialect: kubernetes })(status.token, NOBODY);
    expect(result).toHaveProperty(['user', 'extra', 'authentication.kubernetes.io/credential-id']);
    expect(verdict(await world.authenticator()(status.token, NOBODY))).toBe('orch.io claim is missing');
  });

  it('has no extra if the token has no id', async () => {
    const world = await createWorld();
    const result = await world.authenticator()(await world.forge({ ...world.claims(), jti: undefined }), NOBODY);
    expect(result).toHaveProperty('user');
    expect(result).not.toHaveProperty(['user', 'extra']);
  });
});

describe('a foreign token', () => {
  it('is left to other authenticators', async () => {
    const world = await createWorld();
    for (const text of ['garbage', 'a.b.c', '', 'abcdef.0123456789abcdef'])
      expect(await world.authenticator()(text, NOBODY)).toBeUndefined();
  });

  it('causes no key lookup', async () => {
    const world = await createWorld();
    const keys = vi.fn(() => [world.signer.publicKey]);
    const authenticate = world.authenticator({ keys, issuers: ['https://elsewhere.example'] });
    expect(await authenticate(await world.token(), NOBODY)).toBeUndefined();
    expect(keys).not.toHaveBeenCalled();
  });

  it('is accepted from another configured issuer', async () => {
    const world = await createWorld();
    const authenticate = world.authenticator({ issuers: ['https://new.example', ISSUER] });
    expect(verdict(await authenticate(await world.token(), NOBODY))).toBe(ROBOT);
  });
});

describe('audiences', () => {
  const audiencesOf = (result: AuthResult): readonly string[] | string =>
    result !== undefined && 'user' in result ? (result.audiences ?? 'none') : verdict(result);

  it.each<[string, readonly string[] | undefined, readonly string[] | undefined, readonly string[] | string]>([
    ['the API’s own, without requested audiences', undefined, undefined, [API]],
    ['the intersection, in the order requested', ['a', 'b', 'c'], ['c', 'x', 'a'], ['c', 'a']],
    ['none in common', ['vault'], ['other'], 'token audiences ["vault"] is invalid for the target audiences ["other"]'],
    [
      'another audience, without requested audiences',
      ['vault', 'store'],
      undefined,
      `token audiences ["vault" "store"] is invalid for the target audiences ["${API}"]`,
    ],
    [
      'an API token for another audience',
      undefined,
      ['vault'],
      `token audiences ["${API}"] is invalid for the target audiences ["vault"]`,
    ],
  ])('%s', async (_name, of, wanted, expected) => {
    const world = await createWorld();
    const token = await world.token(of && { audiences: of });
    const authenticate = world.authenticator();
    const request = { ...NOBODY, ...(wanted && { audiences: wanted }) };
    expect(audiencesOf(await authenticate(token, request))).toEqual(expected);
    // The answer for one requester is not cached for the next.
    expect(audiencesOf(await authenticate(token, request))).toEqual(expected);
  });

  it('are checked for each request', async () => {
    const world = await createWorld();
    const token = await world.token({ audiences: ['vault'] });
    const authenticate = world.authenticator();
    expect(audiencesOf(await authenticate(token, { ...NOBODY, audiences: ['vault'] }))).toEqual(['vault']);
    expect(audiencesOf(await authenticate(token, NOBODY))).toContain('is invalid');
  });

  it('default to those of the API for a token that names none', async () => {
    const world = await createWorld();
    for (const aud of [undefined, []]) {
      const token = await world.forge({ ...world.claims(), aud });
      expect(audiencesOf(await world.authenticator()(token, NOBODY))).toEqual([API]);
      expect(audiencesOf(await world.authenticator()(token, { ...NOBODY, audiences: ['vault'] }))).toContain(
        'is invalid',
      );
    }
  });

  it('are ignored by a server that has none', async () => {
    const world = await createWorld();
    expect(audiencesOf(await world.authenticator({ audiences: [] })(await world.token(), NOBODY))).toEqual([]);
  });
});

describe.each([false, true])('a cached token (asynchronous lookup: %s)', (slow) => {
  const taken = async (world: World, spec?: (typeof bound)['Pod']) => {
    const authenticate = world.authenticator();
    const token = await world.token(spec);
    expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    return async () => verdict(await authenticate(token, NOBODY));
  };

  it('ends with its account', async () => {
    const world = await createWorld({ slow });
    const again = await taken(world);
    world.accounts.clear();
    expect(await again()).toBe('serviceaccounts "robot" not found');
  });

  it.each([
    ['Secret', 'secrets', 'secret UID (new) does not match service account secret ref claim (secret-1)'],
    ['Pod', 'pods', 'pod UID (new) does not match service account pod ref claim (pod-1)'],
    ['Pod', 'nodes', 'node UID (new) does not match service account node ref claim (node-1)'],
  ] as const)('bound to a %s ends with the object in the %s', async (kind, where, replacedText) => {
    const world = await createWorld({ slow });
    const again = await taken(world, bound[kind]);
    const objects = world[where];
    const [[key, object] = ['', { metadata: {} }]] = objects;
    objects.clear();
    expect(await again()).toBe('service account token has been invalidated');
    objects.set(key, { ...object, metadata: { uid: 'new' } });
    expect(await again()).toBe(replacedText);
    objects.set(key, object);
    expect(await again()).toBe(ROBOT);
  });

  it.each([
    ['accounts', undefined, 'service account team/robot has been deleted'],
    ['secrets', bound.Secret, 'service account token has been invalidated'],
    ['pods', bound.Pod, 'service account token has been invalidated'],
    ['nodes', bound.Pod, 'service account token has been invalidated'],
  ] as const)(
    'remains valid for a minute after the deletion of the object in the %s begins',
    async (where, spec, deletedText) => {
      const world = await createWorld({ slow });
      const again = await taken(world, spec);
      const objects = world[where];
      const [[key, object] = ['', { metadata: {} }]] = objects;
      objects.set(key, {
        ...object,
        metadata: { ...object.metadata, deletionTimestamp: formatTime(world.clock.now()) },
      });
      await world.clock.advance(60_000);
      expect(await again()).toBe(ROBOT);
      await world.clock.advance(1);
      expect(await again()).toBe(deletedText);
    },
  );

  it('ends a minute after its expiry', async () => {
    const world = await createWorld({ slow });
    const again = await taken(world);
    await world.clock.advance(3_660_000);
    expect(await again()).toBe(ROBOT);
    await world.clock.advance(1);
    expect(await again()).toBe('service account token has expired');
  });

  it('ends with its key', async () => {
    const world = await createWorld({ slow });
    const next = await generateSigningKey();
    let keys: readonly TokenVerifier[] = [world.signer.publicKey];
    const authenticate = world.authenticator({ keys: () => (slow ? Promise.resolve(keys) : keys) });
    const token = await world.token();
    expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    keys = [next.publicKey, world.signer.publicKey];
    expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    keys = [next.publicKey];
    expect(verdict(await authenticate(token, NOBODY))).toBe('invalid signature, no keys found');
    keys = [next.publicKey, world.signer.publicKey];
    expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
  });
});

describe('the cache', () => {
  it('keeps the signature check, which happens once', async () => {
    const world = await createWorld();
    const verify = vi.fn(world.signer.publicKey.verify);
    const authenticate = world.authenticator({ keys: [{ ...world.signer.publicKey, verify }] });
    const token = await world.token();
    for (let time = 0; time < 5; time += 1) expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it('keeps no rejected token', async () => {
    const world = await createWorld();
    const verify = vi.fn(world.signer.publicKey.verify);
    const authenticate = world.authenticator({ keys: [{ ...world.signer.publicKey, verify }] });
    const token = `${(await world.token()).slice(0, -4)}AAAA`;
    for (let time = 0; time < 3; time += 1)
      expect(verdict(await authenticate(token, NOBODY))).toBe('invalid signature');
    expect(verify).toHaveBeenCalledTimes(3);
  });

  it('has a maximum size', async () => {
    const world = await createWorld();
    const verify = vi.fn(world.signer.publicKey.verify);
    const authenticate = world.authenticator({ keys: [{ ...world.signer.publicKey, verify }], cacheSize: 2 });
    const tokens = await Promise.all([1, 2, 3, 4].map(() => world.token()));
    for (const token of [...tokens, ...tokens]) expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    expect(verify).toHaveBeenCalledTimes(8);
  });
});

describe('asynchrony', () => {
  it('is avoided if key and lookup answer at once', async () => {
    const world = await createWorld();
    const token = await world.token(bound.Pod);
    expect(world.authenticator()(token, NOBODY)).not.toBeInstanceOf(Promise);
  });

  it('of a slow key gives the same answer', async () => {
    const world = await createWorld({ cryptography: 'web' });
    const authenticate = world.authenticator();
    const token = await world.token(bound.Pod);
    const first = authenticate(token, NOBODY);
    expect(first).toBeInstanceOf(Promise);
    expect(verdict(await first)).toBe(ROBOT);
    expect(authenticate(token, NOBODY)).not.toBeInstanceOf(Promise);
  });
});

describe('a lookup that fails', () => {
  const broken = (failure: () => never | Promise<never>): Partial<ServiceAccountLookup> => ({
    serviceAccount: failure,
  });
  it.each([
    [
      'at once',
      () => {
        throw new Error('disk on fire at /var/lib');
      },
    ],
    ['later', () => Promise.reject(new Error('disk on fire at /var/lib'))],
  ])('%s rejects the token without disclosing the cause', async (_name, failure) => {
    const world = await createWorld();
    const result = await world.authenticator({ lookup: { ...world.lookup, ...broken(failure) } })(
      await world.token(),
      NOBODY,
    );
    expect(verdict(result)).toBe('service account token could not be checked');
    expect(result).toHaveProperty(['error', 'cause', 'message'], 'disk on fire at /var/lib');
  });

  it('of the keys rejects the token too', async () => {
    const world = await createWorld();
    const result = await world.authenticator({ keys: () => Promise.reject(new Error('x')) })(
      await world.token(),
      NOBODY,
    );
    expect(verdict(result)).toBe('service account token could not be checked');
  });

  it('is not made if there is no lookup', async () => {
    const world = await createWorld();
    world.accounts.clear();
    const authenticate = createServiceAccountAuthenticator({
      issuers: [ISSUER],
      keys: [world.signer.publicKey],
      audiences: [API],
      dialect: orch,
      clock: world.clock,
    });
    expect(verdict(await authenticate(await world.forge(world.claims()), NOBODY))).toBe(ROBOT);
  });
});

describe('a node', () => {
  it('that was missing when the token was issued is not looked up', async () => {
    const world = await createWorld();
    world.nodes.clear();
    const result = await world.authenticator()(await world.token(bound.Pod), NOBODY);
    expect(result).toMatchObject({ user: { extra: { 'authentication.orch.io/node-name': ['node'] } } });
    expect(result).not.toHaveProperty(['user', 'extra', 'authentication.orch.io/node-uid']);
  });

  it('that a token is bound to directly is looked up', async () => {
    const world = await createWorld();
    const token = await world.forge(world.claims({ node: { name: 'node', uid: 'node-1' } }));
    const authenticate = world.authenticator();
    expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    world.nodes.clear();
    expect(verdict(await authenticate(token, NOBODY))).toBe('service account token has been invalidated');
  });
});

describe('the use of a token', () => {
  it('is reported: as requested, extended, and past the requested lifetime', async () => {
    const world = await createWorld();
    const uses: TokenUse[] = [];
    const authenticate = world.authenticator({ onUse: (use) => uses.push(use) });
    await authenticate(await world.token(), NOBODY);
    const extended = await world.token({ ...bound.Pod, expirationSeconds: 3607 });
    await authenticate(extended, NOBODY);
    await world.clock.advance(3_700_000);
    expect(verdict(await authenticate(extended, NOBODY))).toBe(ROBOT);
    expect(uses).toEqual([
      { kind: 'bound', subject: ROBOT },
      { kind: 'extended', subject: ROBOT },
      { kind: 'stale', subject: ROBOT, staleTime: 93_000 },
    ]);
  });

  it('is not reported for a rejected token', async () => {
    const world = await createWorld();
    const onUse = vi.fn();
    world.accounts.clear();
    await world.authenticator({ onUse })(await world.forge(world.claims()), NOBODY);
    expect(onUse).not.toHaveBeenCalled();
  });
});
