import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  ApiError,
  ApiServer,
  defineResource,
  type ResourceDefinition,
  ServiceAccount,
  type AdmissionPlugin,
  type ApiServerOptions,
  type ObjectOf,
} from '../../src/entries/index.js';
import {
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
} from '../../src/entries/kinds.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { defineServerKind } from '../../src/registry/definition/definition.js';
import { ask, jsonOf } from './ask.js';

const tokens = [
  { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
  { token: 'alice', user: { username: 'alice', uid: '17', groups: ['dev'], extra: { team: ['north'] } } },
];

/** A custom kind that is an operation: it adds. */
const Addition = defineResource({
  group: 'sums.example.com',
  version: 'v1',
  kind: 'Addition',
  plural: 'additions',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({ terms: z.array(z.number().int()).min(1) }),
      status: z.object({ sum: z.number().int() }).optional(),
    }),
  perform: async (object, { namespace, admit, context }) => {
    await admit();
    const { terms } = object['spec'] as { terms: number[] };
    if (terms.includes(13)) throw new ApiError({ message: 'no thirteens', reason: 'Forbidden', code: 403 });
    return {
      ...object,
      status: { sum: terms.reduce((sum, term) => sum + term, 0) },
      by: `${context.user.username} in ${namespace}`,
    };
  },
});

const PATH = '/apis/sums.example.com/v1/namespaces/default/additions';

/** An operation on a kind like ConfigMap: it empties one box into another. */
const Pour = defineResource({
  group: 'boxes.example.com',
  version: 'v1',
  kind: 'Pour',
  plural: 'pours',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({ into: z.string() }),
      status: z.object({ poured: z.number().int(), by: z.string() }).optional(),
    }),
  perform: async (pour, { context, namespace, target, client, dryRun, admit }) => {
    await admit();
    const boxes = client.resource(Box).namespace(namespace);
    const [from, to] = [target as unknown as ObjectOf<typeof Box>, await boxes.get(pour.spec.into)];
    const poured = from.spec.pieces;
    await boxes.update({ ...to, spec: { pieces: to.spec.pieces + poured } }, { dryRun });
    await boxes.update({ ...from, spec: { pieces: 0 } }, { dryRun });
    return { ...pour, status: { poured, by: context.user.username } };
  },
});
const boxSchema = () => z.object({ spec: z.object({ pieces: z.number().int() }) });

// It and its operation refer to each other: one of them needs an explicit type.
const Box: ResourceDefinition<ReturnType<typeof boxSchema>> = defineResource({
  group: 'boxes.example.com',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  scope: 'Namespaced',
  schema: boxSchema,
  subresources: { pour: { verbs: ['create'], operation: Pour } },
});

describe('an operation subresource', () => {
  const BOXES = '/apis/boxes.example.com/v1/namespaces/default/boxes';
  const pour = (running: TestServer, name: string, query = '', token = 'admin') =>
    ask(running.server, 'POST', `${BOXES}/${name}/pour${query}`, {
      token,
      body: JSON.stringify({ spec: { into: 'b' } }),
    });
  const pieces = async (running: TestServer) =>
    Promise.all(
      ['a', 'b'].map(async (name) => (await running.client.resource(Box).namespace('default').get(name)).spec.pieces),
    );
  const start = async (options: Omit<ApiServerOptions, 'clock'> = {}) => {
    const running = await startTestServer({
      resources: [Box],
      authorization: { authorizer: () => ({ decision: 'Allow', reason: '' }) },
      ...options,
      authentication: { tokens, ...options.authentication },
    });
    for (const [name, count] of [
      ['a', 3],
      ['b', 4],
    ] as const)
      await running.client
        .resource(Box)
        .namespace('default')
        .create({ metadata: { name }, spec: { pieces: count } });
    return running;
  };

  test('receives its object, a client that acts as the server, and the requesting user', async () => {
    await using running = await start({
      authorization: {
        authorizer: ({ user, subresource }) =>
          user.username !== 'alice' || subresource === 'pour'
            ? { decision: 'Allow', reason: '' }
            : { decision: 'Deny', reason: '' },
      },
    });
    const answer = await pour(running, 'a', '', 'alice');
    expect([answer.status, jsonOf(answer)['status']]).toEqual([201, { poured: 3, by: 'alice' }]);
    expect(await pieces(running)).toEqual([0, 7]);
    expect(
      (
        await running.client
          .resource(Box)
          .namespace('default')
          .perform('b', Pour, { spec: { into: 'a' } })
      ).status,
    ).toEqual({ poured: 7, by: 'system:apiserver' });
  });

  test('of a missing object is answered with 404, before it is performed or checked', async () => {
    await using running = await start();
    const message = 'boxes.boxes.example.com "none" not found';
    for (const query of ['', '?dryRun=All']) {
      const answer = await pour(running, 'none', query);
      expect([answer.status, jsonOf(answer)]).toEqual([
        404,
        expect.objectContaining({
          reason: 'NotFound',
          message,
          details: { name: 'none', group: 'boxes.example.com', kind: 'boxes' },
        }),
      ]);
    }
    await expect(
      running.client
        .resource(Box)
        .namespace('default')
        .perform('none', Pour, { spec: { into: 7 } } as never),
    ).rejects.toMatchObject({ code: 404, message });
    await expect(
      running.client
        .resource(Box)
        .namespace('default')
        .perform('none', Pour, { spec: { into: 'b' } }),
    ).rejects.toMatchObject({ code: 404, message });
    await expect(
      running.client
        .resource(Box)
        .namespace('elsewhere')
        .perform('a', Pour, { spec: { into: 'b' } }),
    ).rejects.toMatchObject({ code: 404 });
    await expect(
      running.client.resource(ServiceAccount).namespace('default').perform('none', TokenRequest, { spec: {} }),
    ).rejects.toMatchObject({ code: 404, message: 'serviceaccounts "none" not found' });
    expect(await pieces(running)).toEqual([3, 4]);
  });

  test('learns that the request is a dry run', async () => {
    await using running = await start();
    expect(jsonOf(await pour(running, 'a', '?dryRun=All'))['status']).toEqual({ poured: 3, by: 'admin' });
    expect(await pieces(running)).toEqual([3, 4]);
  });
});

describe('a custom virtual kind', () => {
  test('is performed when it is created, and nothing is stored', async () => {
    await using running = await startTestServer({ resources: [Addition], authentication: { tokens } });
    const before = await running.client
      .resource(Addition)
      .namespace('default')
      .create({ metadata: {}, spec: { terms: [1, 2] } });
    expect(before.status).toEqual({ sum: 3 });
    const answer = await ask(running.server, 'POST', PATH, { body: JSON.stringify({ spec: { terms: [2, 3] } }) });
    expect([answer.status, jsonOf(answer)]).toEqual([
      201,
      expect.objectContaining({
        kind: 'Addition',
        apiVersion: 'sums.example.com/v1',
        status: { sum: 5 },
        by: 'admin in default',
      }),
    ]);
    const { metadata } = jsonOf(answer) as { metadata: object };
    expect(Object.keys(metadata)).toEqual(
      expect.not.arrayContaining(['uid', 'resourceVersion', 'creationTimestamp']) as string[],
    );
  });

  test('is checked against its schema, and may be denied by admission before it is performed', async () => {
    const seen: string[] = [];
    const plugin: AdmissionPlugin = {
      name: 'Watcher',
      operations: ['CREATE'],
      validate: ({ info, namespace, name }) => {
        if (info.kind !== 'Addition') return;
        seen.push(`${namespace}/${name}`);
        throw new ApiError({ message: 'not today', reason: 'Forbidden', code: 403 });
      },
    };
    await using running = await startTestServer({
      resources: [Addition],
      authentication: { tokens },
      admission: { plugins: [plugin] },
    });
    const additions = running.client.resource(Addition).namespace('default');
    await expect(additions.create({ metadata: {}, spec: { terms: [] } })).rejects.toMatchObject({ code: 422 });
    expect(seen).toEqual([]);
    await expect(additions.create({ metadata: { name: 'n' }, spec: { terms: [1] } })).rejects.toMatchObject({
      message: 'not today',
    });
    expect(seen).toEqual(['default/n']);
  });

  test.each([
    ['GET', PATH, 405],
    ['DELETE', PATH, 405],
    ['GET', `${PATH}/a`, 404],
    ['PUT', `${PATH}/a`, 404],
    ['PATCH', `${PATH}/a`, 404],
    ['DELETE', `${PATH}/a`, 404],
    ['GET', `${PATH}?watch=true`, 405],
    ['GET', '/apis/sums.example.com/v1/additions', 405],
  ])('%s %s is %i', async (method, path, status) => {
    await using running = await startTestServer({ resources: [Addition], authentication: { tokens } });
    expect((await ask(running.server, method, path, { body: '{}' })).status).toBe(status);
  });

  test('is rejected as a programming error if nothing performs it', () => {
    const { perform: _perform, ...mute } = Addition;
    expect(() => new ApiServer({ resources: [defineServerKind(mute)] })).toThrow(
      'Addition is a virtual kind without an operation: its definition needs "perform"',
    );
  });

  test('is listed in discovery with its one verb', async () => {
    await using running = await startTestServer({ resources: [Addition], authentication: { tokens } });
    const list = jsonOf(await ask(running.server, 'GET', '/apis/sums.example.com/v1')) as { resources: object[] };
    expect(list.resources).toEqual([
      { name: 'additions', singularName: 'addition', namespaced: true, kind: 'Addition', verbs: ['create'] },
    ]);
  });
});

describe('access reviews', () => {
  test("report the authorizer's answer: allowed, denied, the reason and the error", async () => {
    await using running = await startTestServer({
      authentication: { tokens },
      authorization: {
        authorizer: ({ verb, user, apiVersion, path }) =>
          user.username === 'admin' || verb === 'get'
            ? { decision: 'Allow', reason: `for ${user.username} ${apiVersion}${path}` }
            : { decision: verb === 'delete' ? 'Deny' : 'NoOpinion', reason: '', error: new Error('half blind') },
      },
    });
    const review = async (spec: object) =>
      (await running.client.resource(SubjectAccessReview).create({ metadata: {}, spec })).status;
    expect(await review({ user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods' } })).toEqual({
      allowed: true,
      reason: 'for bob *',
    });
    expect(await review({ user: 'bob', nonResourceAttributes: { verb: 'get', path: '/x' } })).toEqual({
      allowed: true,
      reason: 'for bob /x',
    });
    expect(await review({ user: 'bob', resourceAttributes: { verb: 'delete', resource: 'pods' } })).toEqual({
      allowed: false,
      denied: true,
      evaluationError: 'half blind',
    });
    expect(await review({ user: 'bob', resourceAttributes: { verb: 'list', resource: 'pods' } })).toEqual({
      allowed: false,
      evaluationError: 'half blind',
    });
    const self = await running.server
      .client({ user: { username: 'carol', groups: [] } })
      .resource(SelfSubjectAccessReview)
      .create({ metadata: {}, spec: { resourceAttributes: { verb: 'get' } } })
      .catch((error: unknown) => error);
    expect(self).toMatchObject({ code: 403 });
  });

  test.each([
    [
      { user: 'bob' },
      'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      { resourceAttributes: { verb: 'get' } },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  ])('%j is rejected', async (spec, message) => {
    await using running = await startTestServer({ authentication: { tokens } });
    await expect(running.client.resource(SubjectAccessReview).create({ metadata: {}, spec })).rejects.toMatchObject({
      code: 422,
      message: `.authorization.orch.io "" is invalid: ${message}`,
    });
  });

  test('a review has no metadata of its own', async () => {
    await using running = await startTestServer({ authentication: { tokens } });
    const named = running.client
      .resource(SubjectAccessReview)
      .create({ metadata: { name: 'a' }, spec: { user: 'bob', nonResourceAttributes: {} } });
    await expect(named).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('metadata: Invalid value: {"name":"a"}: must be empty') as string,
    });
  });

  test('selectors are used only with their feature gate', async () => {
    const asked: unknown[] = [];
    const spec = {
      user: 'bob',
      resourceAttributes: {
        verb: 'list',
        fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] },
        labelSelector: { rawSelector: 'a=b' },
      },
    };
    for (const featureGates of [{}, { AuthorizeWithSelectors: true }]) {
      await using running = await startTestServer({
        authentication: { tokens },
        featureGates,
        authorization: {
          authorizer: ({ fieldSelector, labelSelector }) => (
            asked.push([fieldSelector, labelSelector]),
            { decision: 'Allow', reason: '' }
          ),
        },
      });
      const answer = await running.client.resource(SubjectAccessReview).create({ metadata: {}, spec });
      expect(answer.spec?.resourceAttributes?.fieldSelector !== undefined).toBe(
        'AuthorizeWithSelectors' in featureGates,
      );
    }
    expect(asked).toEqual([
      [undefined, undefined],
      [[{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }], undefined],
    ]);
  });

  test.each([
    [
      { rawSelector: 'a', requirements: [{ key: 'a', operator: 'Exists' }] },
      'fieldSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements',
    ],
    [
      {},
      'fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
    ],
    [
      { requirements: [{ key: 'a', operator: 'In' }] },
      "fieldSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      { requirements: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      "fieldSelector.requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
    [
      { requirements: [{ key: '', operator: 'Exists' }] },
      'fieldSelector.requirements[0].key: Required value: must be specified',
    ],
  ])('the field selector %j is rejected', async (fieldSelector, message) => {
    await using running = await startTestServer({
      authentication: { tokens },
      featureGates: { AuthorizeWithSelectors: true },
    });
    const asked = running.client
      .resource(SubjectAccessReview)
      .create({ metadata: {}, spec: { user: 'bob', resourceAttributes: { verb: 'list', fieldSelector } } });
    await expect(asked).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining(`spec.resourceAttributes.${message}`) as string,
    });
  });

  test('the rules of an authorizer that cannot list them are incomplete', async () => {
    await using running = await startTestServer({
      authentication: { tokens },
      authorization: { authorizer: () => ({ decision: 'Allow', reason: '' }) },
    });
    const { status } = await running.client
      .resource(SelfSubjectRulesReview)
      .create({ metadata: {}, spec: { namespace: 'default' } });
    expect(status).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'the authorizer does not support user rule resolution',
    });
    await expect(
      running.client.resource(SelfSubjectRulesReview).create({ metadata: {}, spec: {} }),
    ).rejects.toMatchObject({ code: 400, message: 'no namespace on request' });
  });
});

describe('a TokenReview', () => {
  test('requires a token, and identifies its user', async () => {
    await using running = await startTestServer({ authentication: { tokens } });
    const review = async (token: string, audiences?: string[]) =>
      (
        await running.client
          .resource(TokenReview)
          .create({ metadata: {}, spec: { token, ...(audiences === undefined ? {} : { audiences }) } })
      ).status;
    expect(await review('alice')).toMatchObject({
      authenticated: true,
      user: { username: 'alice', uid: '17', groups: ['dev', 'system:authenticated'], extra: { team: ['north'] } },
    });
    expect(await review('nobody')).toEqual({ user: {}, error: expect.any(String) as string });
    expect(await review('alice', ['elsewhere'])).toMatchObject({ user: {} });
    await expect(review('')).rejects.toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });

  test('knows no token that is too long for the header fields of a request', async () => {
    const long = 'x'.repeat(2 ** 20);
    const users = [long, `${long}x`].map((token) => ({ token, user: { username: 'long', groups: [] } }));
    await using running = await startTestServer({ authentication: { tokens: users } });
    const review = async (token: string) =>
      (await running.client.resource(TokenReview).create({ metadata: {}, spec: { token } })).status;
    expect(await review(long)).toMatchObject({ authenticated: true, user: { username: 'long' } });
    expect(await review(`${long}x`)).toEqual({ user: {}, error: 'invalid bearer token' });
  });
});
