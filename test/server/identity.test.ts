import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { defineResource } from '../../src/registry/definition/definition.js';
import { ClusterRole, ConfigMap, Lease } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';

const Widget = defineResource({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ size: z.number().int().optional() }).optional() }),
});

const MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const WIDGETS = '/apis/shop.example/v1/namespaces/default/widgets';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer({
    dialect: 'kubernetes',
    resources: [Widget],
    controllers: { disable: controllerNames },
    authentication: {
      tokens: [
        { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
        { token: 'alice', user: { username: 'alice', groups: [] } },
      ],
    },
  });
});
afterEach(() => running.close());

const send = async (method: string, target: string, object: unknown, type = 'application/json', token = 'admin') => {
  const response = await ask(running.server, method, target, {
    body: JSON.stringify(object),
    headers: { 'content-type': type },
    token,
  });
  return { code: response.status, status: jsonOf(response) };
};
const refused = async (promise: Promise<unknown>): Promise<ApiError> => {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof ApiError)) throw new Error(`not refused with an ApiError: ${String(outcome)}`);
  return outcome;
};

describe('the resourceVersion of a write', () => {
  const BAD = { metadata: { name: 'a', resourceVersion: 'abc' } };
  const TEXT = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    code: 500,
  };

  test.each([
    ['PUT', `${MAPS}/a`, BAD, 'application/json'],
    [
      'PUT of a missing object that it creates',
      `${LEASES}/none`,
      { metadata: { name: 'none', resourceVersion: 'abc' } },
      'application/json',
    ],
    ['JSON Patch', `${MAPS}/a`, [{ op: 'replace', path: '/metadata/resourceVersion', value: 'abc' }], JSON_PATCH],
    ['merge patch', `${MAPS}/a`, BAD, MERGE],
    ['strategic merge patch', `${MAPS}/a`, BAD, STRATEGIC],
    ['apply', `${MAPS}/a?fieldManager=m`, { apiVersion: 'v1', kind: 'ConfigMap', ...BAD }, APPLY],
    [
      'apply of a missing object',
      `${MAPS}/none?fieldManager=m`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'none', resourceVersion: 'abc' } },
      APPLY,
    ],
  ])('is answered with 500 without a reason in a %s if it is not a number', async (way, target, body, type) => {
    await send('POST', MAPS, { metadata: { name: 'a' } });
    const method = way.startsWith('PUT') ? 'PUT' : 'PATCH';
    expect(await send(method, target, body, type)).toEqual({ code: 500, status: TEXT });
    expect(await send(method, `${target}${target.includes('?') ? '&' : '?'}dryRun=All`, body, type)).toEqual({
      code: 500,
      status: TEXT,
    });
  });

  test('is compared as a number', async () => {
    const { metadata } = await running.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    const put = (resourceVersion: string) => send('PUT', `${MAPS}/a`, { metadata: { name: 'a', resourceVersion } });
    expect((await put(`0${metadata.resourceVersion}`)).code).toBe(200);
    expect((await put('00')).code).toBe(200);
    expect((await put('18446744073709551615')).code).toBe(409);
    expect((await put('18446744073709551616')).status).toMatchObject({
      code: 500,
      message: 'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    });
  });

  test('may be zero or not a number in a new object, and then names no version', async () => {
    for (const resourceVersion of ['0', 'abc']) {
      const { code, status } = await send('POST', MAPS, { metadata: { generateName: 'a-', resourceVersion } });
      expect(code).toBe(201);
      expect((status['metadata'] as { resourceVersion: string }).resourceVersion).toMatch(/^[1-9][0-9]*$/);
    }
    expect(await send('POST', MAPS, { metadata: { name: 'a', resourceVersion: '7' } })).toMatchObject({
      code: 500,
      status: { message: 'resourceVersion should not be set on objects to be created' },
    });
  });

  test('is ignored for an object that does not exist, where the request may create one', async () => {
    const lease = { metadata: { name: 'l', resourceVersion: '5' } };
    expect((await send('PUT', `${LEASES}/l?dryRun=All`, lease)).code).toBe(201);
    expect((await send('PUT', `${LEASES}/l`, lease)).code).toBe(201);
    expect((await send('PUT', `${LEASES}/l`, lease)).code).toBe(409);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', resourceVersion: '5' } };
    expect((await send('PATCH', `${MAPS}/m?fieldManager=m`, map, APPLY)).code).toBe(201);
    expect((await send('PUT', `${MAPS}/n`, { metadata: { name: 'n', resourceVersion: '5' } })).code).toBe(404);
    const leases = running.client.resource(Lease).namespace('default');
    expect((await leases.update({ metadata: { name: 'k', resourceVersion: '5' } })).metadata.resourceVersion).not.toBe(
      '5',
    );
    expect(
      (await leases.apply({ metadata: { name: 'j', resourceVersion: '5' } }, { fieldManager: 'm' })).metadata
        .resourceVersion,
    ).not.toBe('5');
  });
});

describe('the uid in a write to a missing object', () => {
  const uid = '11111111-1111-4111-8111-111111111111';

  test('causes 409 in an apply, with the uid found', async () => {
    const message = `Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    expect(
      await send(
        'PATCH',
        `${MAPS}/a?fieldManager=m`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid } },
        APPLY,
      ),
    ).toMatchObject({ code: 409, status: { reason: 'Conflict', message, details: { name: 'a', kind: 'configmaps' } } });
    expect(
      await refused(
        running.client
          .resource(ConfigMap)
          .namespace('default')
          .apply({ metadata: { name: 'a', uid } }, { fieldManager: 'm' }),
      ),
    ).toMatchObject({ code: 409, message });
  });

  test.each([
    [LEASES, 'leases.coordination.k8s.io'],
    [MAPS, 'configmaps'],
  ])('causes 409 in a PUT, like a failed precondition (%s)', async (path, resource) => {
    const message = `Operation cannot be fulfilled on ${resource} "a": Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
    expect(await send('PUT', `${path}/a`, { metadata: { name: 'a', uid } })).toMatchObject({
      code: 409,
      status: { reason: 'Conflict', message },
    });
  });
});

describe('a patch that changes kind or apiVersion', () => {
  const cases: readonly (readonly [type: string, body: unknown])[] = [
    [MERGE, { kind: 'Secret' }],
    [MERGE, { apiVersion: 'v2' }],
    [MERGE, { apiVersion: 'apps/v1', kind: 'Deployment' }],
    [JSON_PATCH, [{ op: 'replace', path: '/kind', value: 'Secret' }]],
    [JSON_PATCH, [{ op: 'replace', path: '/apiVersion', value: 'v2' }]],
  ];
  for (const [name, path] of [
    ['built-in', MAPS],
    ['custom', WIDGETS],
  ] as const) {
    test.each(cases)(`is answered with 422 for the field "patch" (${name}, %s %j)`, async (type, body) => {
      await send('POST', path, {
        apiVersion: path === MAPS ? 'v1' : 'shop.example/v1',
        kind: path === MAPS ? 'ConfigMap' : 'Widget',
        metadata: { name: 'a' },
      });
      const { code, status } = await send('PATCH', `${path}/a`, body, type);
      expect({ code, status }).toMatchObject({
        code: 422,
        status: { reason: 'Invalid', details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] } },
      });
    });
  }

  test('fails in-process too', async () => {
    const maps = running.client.resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'a' } });
    expect(await refused(maps.patch('a', { kind: 'Secret' } as never))).toMatchObject({
      code: 422,
      message: expect.stringContaining('converting (Secret) to (ConfigMap): unknown conversion') as string,
    });
    expect(await refused(maps.patch('a', [{ op: 'replace', path: '/apiVersion', value: 'v2' }]))).toMatchObject({
      code: 422,
      message: expect.stringContaining('no kind "ConfigMap" is registered for version "v2"') as string,
    });
  });

  test('changes neither field as a strategic merge patch, which ignores both', async () => {
    await send('POST', MAPS, { metadata: { name: 'a' } });
    expect(
      await send('PATCH', `${MAPS}/a`, { kind: 'Secret', apiVersion: 'v2', data: { k: 'v' } }, STRATEGIC),
    ).toMatchObject({ code: 200, status: { kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } } });
  });

  test('a patch that removes kind or apiVersion', async () => {
    await send('POST', MAPS, { metadata: { name: 'a' } });
    await send('POST', WIDGETS, { apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name: 'a' } });
    expect(await send('PATCH', `${MAPS}/a`, { kind: null, data: { k: 'v' } }, MERGE)).toMatchObject({
      code: 200,
      status: { kind: 'ConfigMap', data: { k: 'v' } },
    });
    expect(await send('PATCH', `${MAPS}/a`, { apiVersion: null }, MERGE)).toMatchObject({
      code: 400,
      status: { message: 'the name of the object (a based on URL) was undeterminable: name must be provided' },
    });
    expect((await send('PATCH', `${WIDGETS}/a`, { kind: null }, MERGE)).code).toBe(422);
    expect((await send('PATCH', `${WIDGETS}/a`, { apiVersion: null }, MERGE)).code).toBe(422);
    expect((await send('PATCH', `${MAPS}/a`, { kind: 'ConfigMap', apiVersion: 'v1' }, MERGE)).code).toBe(200);
  });
});

describe('a kind or apiVersion that is long', () => {
  const LONG = 'k'.repeat(100_000);
  /** The length of the longest part of it that a text shows. */
  const shown = (status: unknown): number =>
    Math.max(...Array.from(JSON.stringify(status).matchAll(/k+/g), ([part]) => part.length));

  test.each([
    [MAPS, { kind: LONG, apiVersion: 'v1' }],
    [MAPS, { kind: 'ConfigMap', apiVersion: LONG }],
    [WIDGETS, { kind: LONG, apiVersion: 'shop.example/v1' }],
    [WIDGETS, { kind: 'Widget', apiVersion: `${LONG}/v1` }],
  ])('is shown in part (%s)', async (path, type) => {
    const { code, status } = await send('POST', path, { ...type, metadata: { name: 'a' } });
    expect([code, shown(status)]).toEqual([400, 16_384]);
    expect(String(status['message']).includes('… (83,61')).toBe(true);
  });

  test.each([{ kind: LONG }, { apiVersion: LONG }])('is shown in part after a patch', async (patch) => {
    await send('POST', MAPS, { metadata: { name: 'a' } });
    const { code, status } = await send('PATCH', `${MAPS}/a`, patch, MERGE);
    expect([code, shown(status)]).toEqual([422, 16_384]);
  });
});

describe("the right to write roles beyond one's own rights", () => {
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
  const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const role = (name: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules,
  });

  beforeEach(async () => {
    await running.client.resource(ClusterRole).create({
      metadata: { name: 'maker' },
      rules: [
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create', 'update', 'patch'] },
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['clusterroles'],
          verbs: ['escalate'],
          resourceNames: ['named'],
        },
      ],
    });
    await send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'maker' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maker' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
    });
    await running.settled();
  });

  test('`escalate` on a name applies if the path has the name: to a creating PUT or apply, not to a POST', async () => {
    expect((await send('POST', ROLES, role('named'), 'application/json', 'alice')).code).toBe(403);
    expect((await send('PUT', `${ROLES}/named?dryRun=All`, role('named'), 'application/json', 'alice')).code).toBe(201);
    expect((await send('PATCH', `${ROLES}/named?fieldManager=m&dryRun=All`, role('named'), APPLY, 'alice')).code).toBe(
      201,
    );
    expect((await send('PUT', `${ROLES}/named`, role('named'), 'application/json', 'alice')).code).toBe(201);
    expect((await send('PUT', `${ROLES}/other`, role('other'), 'application/json', 'alice')).code).toBe(403);
    expect((await send('PATCH', `${ROLES}/other?fieldManager=m`, role('other'), APPLY, 'alice')).code).toBe(403);
  });

  test('is the same in-process', async () => {
    const roles = running.server.client({ user: { username: 'alice', groups: [] } }).resource(ClusterRole);
    expect((await refused(roles.create(role('named')))).code).toBe(403);
    expect((await roles.apply(role('named'), { fieldManager: 'm', dryRun: true })).metadata.name).toBe('named');
    expect((await roles.update(role('named'))).metadata.name).toBe('named');
    expect((await refused(roles.update(role('other')))).code).toBe(403);
  });
});
