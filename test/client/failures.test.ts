import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ApiError, ApiServer, ConfigMap, defineResource, type ResourceDefinition } from '../../src/entries/index.js';
import { ask } from '../server/ask.js';

const tokens = [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }];
const boom = new RangeError('boom');
const fail = (): never => {
  throw boom;
};

/** A kind whose hooks throw, each if a field says so. */
const Trap = defineResource({
  group: 'traps.example',
  version: 'v1',
  kind: 'Trap',
  plural: 'traps',
  scope: 'Namespaced',
  schema: () => z.object({ hook: z.string() }),
  strategy: { validate: ({ hook }) => (hook === 'validate' ? fail() : []) },
  selectableFields: { hook: ({ hook }) => (hook === 'select' ? fail() : hook) },
  columns: [{ name: 'Hook', type: 'string', cell: ({ hook }) => (hook === 'cell' ? fail() : hook) }],
});

const PATH = '/apis/traps.example/v1/namespaces/default/traps';
const ANSWER = {
  name: 'ApiError',
  code: 500,
  reason: 'InternalError',
  message: 'Internal error occurred: the server could not complete the request',
};

describe('an error in user code', () => {
  afterEach(() => void vi.restoreAllMocks());

  test('is reported in-process as an ApiError with its cause', async () => {
    await using server = new ApiServer({
      resources: [Trap],
      authorization: {
        authorizer: ({ user }) => (user.username === 'bob' ? fail() : { decision: 'Allow', reason: '' }),
      },
    });
    const traps = server.client().resource(Trap).namespace('default');
    const failures = [
      traps.create({ metadata: { name: 'a' }, hook: 'validate' }),
      traps.create({ metadata: { name: 's' }, hook: 'select' }).then(() => traps.list({ fieldSelector: 'hook=x' })),
      server.client({ user: 'bob' }).resource(Trap).namespace('default').get('a'),
    ];
    // They fail in any order.
    for (const error of await Promise.all(failures.map((failure) => failure.catch((thrown: unknown) => thrown)))) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ ...ANSWER, cause: boom });
    }
  });

  test('is printed on the console, and hidden from HTTP clients', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await using server = new ApiServer({ resources: [Trap], authentication: { tokens } });
    await server
      .client()
      .resource(Trap)
      .namespace('default')
      .create({ metadata: { name: 'c' }, hook: 'cell' });
    const answer = await ask(server, 'GET', PATH, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' },
    });
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer)).not.toContain('boom');
    expect(reported).toHaveBeenCalledWith('request failed', expect.objectContaining({ path: PATH, error: boom }));
  });

  test('is passed to the logger if there is one', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const logged: unknown[] = [];
    await using server = new ApiServer({
      resources: [Trap],
      authentication: { tokens },
      observability: {
        logger: { info: () => undefined, error: (message, fields) => void logged.push([message, fields?.['error']]) },
      },
    });
    await ask(server, 'POST', PATH, { body: JSON.stringify({ metadata: { name: 'a' }, hook: 'validate' }) });
    expect(logged).toEqual([['request failed', boom]]);
    expect(reported).not.toHaveBeenCalled();
  });

  test('the reason of an abort signal is passed on unchanged', async () => {
    await using server = new ApiServer();
    const reason = new Error('enough');
    await expect(
      server
        .client()
        .resource(ConfigMap)
        .namespace('default')
        .list({ signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});

describe('an invalid call', () => {
  const maps = (server: ApiServer) =>
    server.client().resource(ConfigMap).namespace('default') as unknown as Record<
      string,
      (...given: unknown[]) => Promise<unknown>
    >;

  test.each<[string, unknown[], string]>([
    ['get', [], 'get: the first argument must be the name of an object, got undefined'],
    ['get', [{ name: 'a' }], 'get: the first argument must be the name of an object, got an object'],
    ['get', [''], 'get: the first argument must be the name of an object, got ""'],
    ['list', ['app=web'], 'list: the options must be an object, got "app=web"'],
    ['list', [{ labels: 'app=web' }], 'list: unknown option "labels"'],
    ['list', [{ labelSelector: { app: 'web' } }], 'list: the option labelSelector must be a string, got an object'],
    ['list', [{ limit: '5' }], 'list: the option limit must be a whole number of objects, 0 or more, got "5"'],
    ['create', [], 'create: the object must be an object, such as { metadata: { name: … }, … }, got undefined'],
    [
      'create',
      [{ metadata: { name: 'a' } }, { dryRun: 'All' }],
      'create: the option dryRun must be true or false, got "All"',
    ],
    ['update', [null], 'update: the object must be an object'],
    ['update', [{}], 'update: the object must have metadata.name, got undefined'],
    ['updateStatus', ['a'], 'update: the object must be an object'],
    ['patch', ['a'], 'patch: the patch must be an object or a list of operations, got undefined'],
    [
      'patch',
      ['a', {}, { type: 'apply' }],
      'patch: the option type must be one of json, merge, strategic, got "apply"',
    ],
    [
      'apply',
      [{ metadata: { name: 'a' } }],
      "apply: the option fieldManager is required, such as { fieldManager: 'my-controller' }",
    ],
    ['apply', [{ data: {} }, { fieldManager: 'a' }], 'apply: the object must have metadata.name, got undefined'],
    ['delete', [undefined], 'delete: the first argument must be the name of an object, got undefined'],
    ['perform', ['a', undefined, {}], 'ConfigMap has no subresource that takes undefined'],
  ])('%s %j', async (verb, given, message) => {
    await using server = new ApiServer();
    const failure = await maps(server)
      [verb]?.(...given)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect((failure as TypeError).message).toContain(message);
  });

  test.each([[undefined], ['configmaps'], [{}]])('a client of %j', async (definition) => {
    await using server = new ApiServer();
    expect(() => server.client().resource(definition as unknown as ResourceDefinition)).toThrow(
      /^client\.resource takes a kind/,
    );
  });
});
