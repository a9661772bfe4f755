import { describe, expect, it, vi } from 'vitest';
import type { IssueRequest, TokenRequestSpec } from '../../../../src/security/authn/service-account/index.js';
import { ApiError } from '../../../../src/foundation/errors/api-error.js';
import { kubernetes } from '../../../../src/foundation/dialect/dialect.js';
import { parseJsonWebToken } from '../../../../src/security/tokens/index.js';
import { API, createWorld, NOBODY, ROBOT, verdict, type World } from './world.js';

const payloadOf = (token: string) => parseJsonWebToken(token)?.payload ?? {};
const pod = { apiVersion: 'v1', kind: 'Pod', name: 'runner' };
const secret = { apiVersion: 'v1', kind: 'Secret', name: 'anchor' };
const issue = async (world: World, spec?: TokenRequestSpec, rest: Partial<IssueRequest> = {}) =>
  world.issuer().issue({ namespace: 'team', name: 'robot', ...(spec && { spec }), ...rest });
const failure = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof ApiError)) throw new Error('it did not fail as the API does', { cause: error });
  return error;
};

describe('a requested token', () => {
  it('is for the API server and lasts an hour by default', async () => {
    const world = await createWorld();
    const { spec, status, credentialId } = await issue(world);
    expect(spec).toEqual({ audiences: [API], expirationSeconds: 3600, boundObjectRef: null });
    expect(status.expirationTimestamp).toBe('2024-01-01T01:00:00Z');
    expect(payloadOf(status.token)).toEqual({
      aud: [API],
      exp: 1_704_070_800,
      iat: 1_704_067_200,
      iss: 'https://issuer.example',
      jti: expect.stringMatching(/^[-0-9a-f]{36}$/) as string,
      nbf: 1_704_067_200,
      'orch.io': { namespace: 'team', serviceaccount: { name: 'robot', uid: 'account-1' } },
      sub: ROBOT,
    });
    expect(credentialId).toBe(`JTI=${String(payloadOf(status.token)['jti'])}`);
  });

  it('has the requested audiences and lifetime', async () => {
    const world = await createWorld();
    const { spec, status } = await issue(world, { audiences: ['vault', 'store'], expirationSeconds: 600 });
    expect(spec).toEqual({ audiences: ['vault', 'store'], expirationSeconds: 600, boundObjectRef: null });
    expect(status.expirationTimestamp).toBe('2024-01-01T00:10:00Z');
    expect(payloadOf(status.token)).toMatchObject({ aud: ['vault', 'store'], exp: 1_704_067_800 });
  });

  it('has a unique id', async () => {
    const world = await createWorld();
    expect((await issue(world)).credentialId).not.toBe((await issue(world)).credentialId);
  });

  it('is accepted at once', async () => {
    const world = await createWorld();
    for (const boundObjectRef of [null, pod, secret]) {
      expect(verdict(await world.authenticator()((await issue(world, { boundObjectRef })).status.token, NOBODY))).toBe(
        ROBOT,
      );
    }
  });

  it('is issued synchronously if key and lookup are synchronous', async () => {
    const world = await createWorld();
    expect(
      world.issuer().issue({ namespace: 'team', name: 'robot', spec: { boundObjectRef: pod } }),
    ).not.toBeInstanceOf(Promise);
  });

  it('is signed with a key that is loaded later, and with its replacement', async () => {
    const world = await createWorld({ slow: true, cryptography: 'web' });
    const signer = vi.fn(() => Promise.resolve(world.signer));
    const issuer = world.issuer({ signer });
    expect(signer).not.toHaveBeenCalled();
    await issuer.issue({ namespace: 'team', name: 'robot' });
    const { status } = await issuer.issue({ namespace: 'team', name: 'robot' });
    expect(signer).toHaveBeenCalledTimes(2);
    expect(verdict(await world.authenticator()(status.token, NOBODY))).toBe(ROBOT);
  });
});

describe('a bound token', () => {
  it('names the Secret', async () => {
    const world = await createWorld();
    for (const uid of [undefined, '', 'secret-1']) {
      const { spec, status } = await issue(world, { boundObjectRef: { ...secret, ...(uid !== undefined && { uid }) } });
      expect(spec.boundObjectRef).toMatchObject(secret);
      expect(payloadOf(status.token)).toMatchObject({ 'orch.io': { secret: { name: 'anchor', uid: 'secret-1' } } });
    }
  });

  it('names the pod and its node', async () => {
    const world = await createWorld();
    expect(payloadOf((await issue(world, { boundObjectRef: pod })).status.token)['orch.io']).toEqual({
      namespace: 'team',
      node: { name: 'node', uid: 'node-1' },
      pod: { name: 'runner', uid: 'pod-1' },
      serviceaccount: { name: 'robot', uid: 'account-1' },
    });
  });

  it('names a missing node without a uid, and no node for an unscheduled pod', async () => {
    const world = await createWorld();
    world.nodes.clear();
    expect(payloadOf((await issue(world, { boundObjectRef: pod })).status.token)['orch.io']).toHaveProperty('node', {
      name: 'node',
    });
    world.pods.set('team/runner', { metadata: { uid: 'pod-1' }, spec: { serviceAccountName: 'robot' } });
    expect(payloadOf((await issue(world, { boundObjectRef: pod })).status.token)['orch.io']).not.toHaveProperty('node');
  });

  it.each(['', 'v1', 'v2', 'a/b/c'])('accepts "%s" as a version of the core group', async (apiVersion) => {
    const world = await createWorld();
    expect((await issue(world, { boundObjectRef: { ...secret, apiVersion } })).status.token).toContain('.');
  });
});

describe('an invalid request', () => {
  it.each<[string, TokenRequestSpec, number, string, object | undefined]>([
    [
      'another kind',
      { boundObjectRef: { ...secret, kind: 'ConfigMap' } },
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
      undefined,
    ],
    [
      'another group',
      { boundObjectRef: { ...secret, apiVersion: 'apps/v1' } },
      400,
      'cannot bind token to object of type apps/v1, Kind=Secret',
      undefined,
    ],
    [
      'a node',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'node' } },
      400,
      'cannot bind token to object of type /v1, Kind=Node',
      undefined,
    ],
    ['no kind', { boundObjectRef: {} }, 400, 'cannot bind token to object of type /, Kind=', undefined],
    [
      'a kind named like a member of every object',
      { boundObjectRef: { kind: 'constructor' } },
      400,
      'cannot bind token to object of type /, Kind=constructor',
      undefined,
    ],
    ['no name', { boundObjectRef: { ...pod, name: '' } }, 400, 'Name parameter required.', undefined],
    [
      'a name with a path',
      { boundObjectRef: { ...secret, name: '../other/anchor' } },
      400,
      'Name parameter invalid: "../other/anchor": may not contain \'/\'',
      undefined,
    ],
    [
      'a missing Secret',
      { boundObjectRef: { ...secret, name: 'no-anchor' } },
      404,
      'secrets "no-anchor" not found',
      { name: 'no-anchor', kind: 'secrets' },
    ],
    [
      'a missing Pod',
      { boundObjectRef: { ...pod, name: 'no-pod' } },
      404,
      'pods "no-pod" not found',
      { name: 'no-pod', kind: 'pods' },
    ],
    [
      'another Secret with the name',
      { boundObjectRef: { ...secret, uid: '0' } },
      409,
      'Operation cannot be fulfilled on Secret "anchor": the UID in the bound object reference (0) does not match the UID in record. The object might have been deleted and then recreated',
      { name: 'anchor', kind: 'Secret' },
    ],
    [
      'another Pod with the name',
      { boundObjectRef: { ...pod, uid: '0' } },
      409,
      'Operation cannot be fulfilled on Pod "runner": the UID in the bound object reference (0) does not match the UID in record. The object might have been deleted and then recreated',
      { name: 'runner', kind: 'Pod' },
    ],
  ])('with %s is rejected', async (_name, spec, code, message, details) => {
    for (const slow of [false, true]) {
      const error = await failure(issue(await createWorld({ slow }), spec));
      expect(error.status).toMatchObject({ code, message });
      expect(error.status.details).toEqual(details);
    }
  });

  it('for a missing account is rejected, whatever else is wrong', async () => {
    const error = await failure(issue(await createWorld(), { expirationSeconds: 1 }, { name: 'nobody-here' }));
    expect(error.status).toMatchObject({
      code: 404,
      message: 'serviceaccounts "nobody-here" not found',
      reason: 'NotFound',
      details: { kind: 'serviceaccounts', name: 'nobody-here' },
    });
  });

  it('for another account’s pod is rejected', async () => {
    const world = await createWorld();
    world.pods.set('team/runner', { metadata: { uid: 'pod-1' }, spec: { serviceAccountName: 'admin' } });
    const error = await failure(issue(world, { boundObjectRef: pod }));
    expect(error.status).toMatchObject({
      code: 400,
      message: 'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    });
  });

  it.each([
    [599, 'may not specify a duration less than 10 minutes'],
    [0, 'may not specify a duration less than 10 minutes'],
    [-1, 'may not specify a duration less than 10 minutes'],
    [4_294_967_297, 'may not specify a duration larger than 2^32 seconds'],
    [600.5, 'must be an integer'],
    [NaN, 'must be an integer'],
  ])('for %d seconds is rejected', async (expirationSeconds, why) => {
    const world = await createWorld();
    const error = await failure(
      (async () =>
        world
          .issuer({ dialect: kubernetes })
          .issue({ namespace: 'team', name: 'robot', spec: { expirationSeconds } }))(),
    );
    expect(error.status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ${expirationSeconds}: ${why}`,
      details: {
        group: 'authentication.k8s.io',
        kind: 'TokenRequest',
        causes: [{ field: 'spec.expirationSeconds', message: `Invalid value: ${expirationSeconds}: ${why}` }],
      },
    });
    expect(error.status.details).not.toHaveProperty('name');
  });

  it('for 2^32 seconds is accepted', async () => {
    expect((await issue(await createWorld(), { expirationSeconds: 4_294_967_296 })).status.expirationTimestamp).toBe(
      '2160-02-07T06:28:16Z',
    );
  });

  it('fails if the key fails, and only the log has the cause', async () => {
    const world = await createWorld();
    const reason = new Error('the vault said: key-material');
    for (const signer of [
      () => Promise.reject(reason),
      () => {
        throw reason;
      },
    ]) {
      const error = await failure((async () => world.issuer({ signer }).issue({ namespace: 'team', name: 'robot' }))());
      expect(error.status).toMatchObject({ code: 500, message: 'Internal error occurred: failed to generate token' });
      expect(JSON.stringify(error.status)).not.toContain('key-material');
      expect(error.cause).toBe(reason);
    }
  });
});

describe('admission', () => {
  it('is called once the request is valid, before the bound object is looked up', async () => {
    const world = await createWorld();
    const admit = vi.fn();
    await failure(issue(world, { expirationSeconds: 1 }, { admit }));
    expect(admit).not.toHaveBeenCalled();
    await failure(issue(world, { boundObjectRef: { ...secret, name: 'no-anchor' } }, { admit }));
    expect(admit.mock.calls).toEqual([
      [{ audiences: [API], expirationSeconds: 3600, boundObjectRef: { ...secret, name: 'no-anchor' } }],
    ]);
  });

  it.each([
    () => Promise.reject(new ApiError({ code: 403, message: 'no' })),
    () => {
      throw new ApiError({ code: 403, message: 'no' });
    },
  ])('can deny the request', async (admit) => {
    expect((await failure(issue(await createWorld(), {}, { admit }))).status).toMatchObject({
      code: 403,
      message: 'no',
    });
  });
});

describe('the maximum lifetime', () => {
  it('shortens the requested lifetime, with a warning', async () => {
    const world = await createWorld();
    const warn = vi.fn();
    const { spec, status } = await world
      .issuer({ maxExpiration: '2h' })
      .issue({ namespace: 'team', name: 'robot', spec: { expirationSeconds: 7201 }, warn });
    expect(warn.mock.calls).toEqual([['requested expiration of 7201 seconds shortened to 7200 seconds']]);
    expect(spec.expirationSeconds).toBe(7200);
    expect(status.expirationTimestamp).toBe('2024-01-01T02:00:00Z');
    expect(payloadOf(status.token)).toMatchObject({ exp: 1_704_074_400 });
  });

  it.each([0, 3599, 2 ** 32 + 1, NaN])('cannot be %d', async (seconds) => {
    const world = await createWorld();
    expect(() => world.issuer({ maxExpiration: seconds * 1000 })).toThrow('must be between 1 hour and 2^32 seconds');
  });
});

describe('the projected token of a pod', () => {
  const asked = { boundObjectRef: pod, expirationSeconds: 3607 };

  it('lasts a year, and reports the requested lifetime', async () => {
    const world = await createWorld();
    const { spec, status } = await issue(world, asked);
    expect(spec.expirationSeconds).toBe(3607);
    expect(status.expirationTimestamp).toBe('2024-01-01T01:00:07Z');
    expect(payloadOf(status.token)).toMatchObject({
      exp: 1_704_067_200 + 31_536_000,
      'orch.io': { warnafter: 1_704_067_200 + 3607 },
    });
  });

  it.each<[string, TokenRequestSpec]>([
    ['not bound to a pod', { expirationSeconds: 3607 }],
    ['bound to a Secret', { expirationSeconds: 3607, boundObjectRef: secret }],
    ['with another lifetime', { ...asked, expirationSeconds: 3606 }],
    ['for another audience too', { ...asked, audiences: [API, 'vault'] }],
  ])('lasts as requested if it is %s', async (_name, spec) => {
    const claims = payloadOf((await issue(await createWorld(), spec)).status.token);
    expect(claims['exp']).toBe(1_704_067_200 + (spec.expirationSeconds ?? 0));
    expect(claims['orch.io']).not.toHaveProperty('warnafter');
  });

  it('lasts as requested if extension is disabled', async () => {
    const world = await createWorld();
    const { status } = await world
      .issuer({ extendExpiration: false })
      .issue({ namespace: 'team', name: 'robot', spec: asked });
    expect(payloadOf(status.token)['exp']).toBe(1_704_067_200 + 3607);
  });
});
