/** Objects that the server hands to code of its owner: nothing that such code writes to them reaches the server's own. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ApiServer,
  ConfigMap,
  defineAdmissionPlugin,
  defineResource,
  Pod,
  webhook,
  type ApiServerOptions,
  type ResourceDefinition,
} from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import type { Authorizer } from '../../src/security/authz/index.js';
import { ask, textOf } from './ask.js';

/** Writes to all parts of an object that it gets, and notes whether that threw. */
class Vandal {
  readonly attempts = new Set<string>();

  /** Returns the value, so that it fits into expressions. */
  on<Value>(value: Value): Value {
    this.#write(value, new Set());
    return value;
  }

  #write(value: unknown, seen: Set<unknown>): void {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const member of Object.values(value)) this.#write(member, seen);
    try {
      if (Array.isArray(value)) value.push('vandal');
      else Object.assign(value, { vandal: 'vandal' });
      this.attempts.add('wrote');
    } catch (error) {
      this.attempts.add(error instanceof TypeError ? 'threw' : String(error));
    }
  }
}

const kind = {
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ size: z.number(), tags: z.array(z.string()) }) }),
} as const;
const Plain = defineResource(kind);
const WIDGETS = '/apis/shop.example/v1/namespaces/default/widgets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const widget = (size: number): string =>
  JSON.stringify({ metadata: { name: 'a', labels: { app: 'a' } }, spec: { size, tags: ['x'] } });

/** Matches the parts that may differ between two servers that do the same. */
const VARIES = /"uid":"[^"]*"|uid: \S+|"?resourceVersion"?: ?"\d+"|\d{4}-\d\d-\d\dT[0-9:]+Z/g;

/** Returns all that the server shows of widgets and config maps, in the forms that are made from its objects. */
async function shown(server: ApiServer, definition: ResourceDefinition): Promise<string> {
  const texts: string[] = [];
  const table = 'application/json;as=Table;v=v1;g=meta.orch.io';
  for (const accept of ['application/json', 'application/yaml', table])
    for (const path of [`${WIDGETS}/a`, WIDGETS, `${WIDGETS}?labelSelector=app%3Da`, `${MAPS}/a`])
      texts.push(textOf(await ask(server, 'GET', path, { headers: { accept } })));
  const client = server.client();
  for (const one of [definition, ConfigMap]) texts.push(JSON.stringify(await client.resource(one).list()));
  return texts.join('\n').replace(VARIES, '');
}

/** Creates, changes and deletes objects. Returns all that the server shows of them meanwhile, and in the past. */
async function life(server: ApiServer, definition: ResourceDefinition = Plain): Promise<string> {
  const states: string[] = [];
  const send = async (method: string, path: string, body: string, headers = {}): Promise<void> => {
    const answer = await ask(server, method, path, { body, headers });
    expect([method, path, answer.status < 300 ? '' : textOf(answer)]).toEqual([method, path, '']);
    states.push(await shown(server, definition));
  };
  await send('POST', MAPS, '{"metadata":{"name":"a"},"data":{"a":"1"}}');
  await send('POST', WIDGETS, widget(1));
  await send('PUT', `${WIDGETS}/a`, widget(2));
  await send('PATCH', `${WIDGETS}/a`, '{"spec":{"size":3}}', MERGE);
  await send('PATCH', `${MAPS}/a`, '{"data":{"b":"2"}}', MERGE);
  await using fork = await server.fork();
  states.push(await shown(fork, definition));
  for (const _again of [1, 2]) await ask(server, 'DELETE', `${WIDGETS}/a`);
  states.push(await shown(server, definition), await shown(fork, definition));
  return states.join('\n');
}

/** The options that a case gives to its server. */
type Given = Pick<ApiServerOptions, 'admission'> & { readonly resources: readonly ResourceDefinition[] };

/** Runs the life of objects on a server with code of its owner that only reads, and with one that writes. */
async function compare(
  freezeHanded: boolean,
  options: (vandal: Vandal | undefined) => Given,
  act: (server: ApiServer, definition: ResourceDefinition) => Promise<void> = async () => undefined,
): Promise<{ readonly attempts: readonly string[] }> {
  const vandal = new Vandal();
  const lives: string[] = [];
  for (const active of [undefined, vandal]) {
    const given = options(active);
    // On a clock that stands still.
    await using test = await startTestServer({ ...given, freezeHanded, authentication: { ownerToken: 'admin' } });
    const { server } = test;
    const [definition] = given.resources;
    lives.push(await life(server, definition));
    if (definition !== undefined) await act(server, definition);
  }
  expect(lives[1]).toBe(lives[0]);
  expect(lives[1]).not.toContain('vandal');
  return { attempts: [...vandal.attempts] };
}

/** A widget whose definition has code of the owner. */
const withParts = (parts: Partial<Parameters<typeof defineResource<ReturnType<typeof kind.schema>>>[0]>): Given => ({
  resources: [defineResource({ ...kind, ...parts })],
});
const withStrategy = (strategy: NonNullable<(typeof Plain)['strategy']>) => withParts({ strategy });

type Case = readonly [string, (vandal: Vandal | undefined) => Given];

const on = <Value>(vandal: Vandal | undefined, ...values: Value[]): void => {
  for (const value of values) vandal?.on(value);
};

const CASES: readonly Case[] = [
  ...(['CREATE', 'UPDATE', 'DELETE'] as const).map((operation): Case => [
    `validate of an admission plugin, ${operation}`,
    (vandal) => ({
      resources: [Plain],
      admission: {
        plugins: [
          {
            ...{ name: 'Vandal', operations: [operation] },
            validate: ({ object, oldObject }) => on(vandal, object, oldObject),
          },
        ],
      },
    }),
  ]),
  [
    'mutate of an admission plugin: the old object',
    (vandal) => ({
      resources: [Plain],
      admission: {
        plugins: [
          { name: 'Vandal', operations: ['UPDATE', 'DELETE'], mutate: ({ oldObject }) => on(vandal, oldObject) },
        ],
      },
    }),
  ],
  [
    'an admission plugin for one kind',
    (vandal) => ({
      resources: [Plain],
      admission: {
        plugins: [
          defineAdmissionPlugin({
            ...{ name: 'Vandal', kinds: [ConfigMap], operations: ['CREATE', 'UPDATE'] },
            validate: ({ object, oldObject }) => on<unknown>(vandal, object, oldObject),
          }),
        ],
      },
    }),
  ],
  [
    'validate of a strategy',
    (vandal) => withStrategy({ validate: (object, _context, old) => (on<unknown>(vandal, object, old), []) }),
  ],
  ['validateNew', (vandal) => withStrategy({ validateNew: (object) => (on(vandal, object), []) })],
  ['validateNew that waits', (vandal) => withStrategy({ validateNew: async (object) => (on(vandal, object), []) })],
  ['validateUpdate', (vandal) => withStrategy({ validateUpdate: (object, old) => (on(vandal, object, old), []) })],
  ['validateChange', (vandal) => withStrategy({ validateChange: (object, old) => (on(vandal, object, old), []) })],
  ['warnings', (vandal) => withStrategy({ warnings: (object, old) => (on<unknown>(vandal, object, old), []) })],
  [
    'prepareForUpdate: the old object',
    (vandal) => withStrategy({ prepareForUpdate: (_object, old) => on(vandal, old) }),
  ],
  ['load', (vandal) => withStrategy({ load: (object) => (on(vandal, object), undefined) })],
  ['nameRuleOf', (vandal) => withStrategy({ nameRuleOf: (object) => (on(vandal, object), () => []) })],
  ['gracePeriodSeconds', (vandal) => withStrategy({ gracePeriodSeconds: (object) => (on(vandal, object), undefined) })],
  [
    'isFinalized',
    (vandal) =>
      withStrategy({ finalization: { begin: () => undefined, isFinalized: (object) => (on(vandal, object), true) } }),
  ],
  [
    'cells of columns',
    (vandal) =>
      withParts({
        columns: [
          { name: 'Size', type: 'integer', cell: (object) => (on(vandal, object), object.spec.size) },
          { name: 'Tag', type: 'string', cell: (object) => (on(vandal, object), () => object.spec.tags[0] ?? '') },
        ],
      }),
  ],
];

describe.each([
  ['copies', false, 'wrote'],
  ['frozen copies', true, 'threw'],
] as const)('code of the owner gets %s', (_mode, freezeHanded, attempt) => {
  /** Hooks without the context of a request get copies that are not frozen. */
  const CONTEXT_FREE = new Set(['load', 'nameRuleOf', 'gracePeriodSeconds', 'isFinalized']);

  it.each(CASES)('in %s', async (name, options) => {
    const { attempts } = await compare(freezeHanded, options);
    expect(attempts).toEqual([CONTEXT_FREE.has(name) ? 'wrote' : attempt]);
  });

  it('in the strategy of a subresource, an operation and a view', async () => {
    const { attempts } = await compare(
      freezeHanded,
      (vandal) =>
        withParts({
          subresources: {
            polish: {
              verbs: ['update'],
              strategy: {
                prepareForUpdate: (_object, old) => on(vandal, old),
                validateUpdate: (object, old) => (on(vandal, object, old), []),
              },
            },
          },
        }),
      async (server, definition) => {
        await ask(server, 'POST', WIDGETS, { body: widget(1) });
        const before = await shown(server, definition);
        expect((await ask(server, 'PUT', `${WIDGETS}/a/polish`, { body: widget(1) })).status).toBe(200);
        expect(await shown(server, definition)).toBe(before);
      },
    );
    expect(attempts).toEqual([attempt]);
  });

  it('as the target of an operation', async () => {
    const vandal = new Vandal();
    const operation = defineResource({
      ...{ group: 'shop.example', version: 'v1', kind: 'Paint', plural: 'paints', scope: 'Namespaced' },
      schema: () => z.object({ color: z.string().optional() }),
      perform: (object, { target }) => (vandal.on(target), object),
    });
    const Widget = defineResource({ ...kind, subresources: { paint: { verbs: ['create'], operation } } });
    await using server = new ApiServer({
      resources: [Widget, operation],
      freezeHanded,
      authentication: { ownerToken: 'admin' },
    });
    await ask(server, 'POST', WIDGETS, { body: widget(1) });
    const before = await shown(server, Widget);
    expect((await ask(server, 'POST', `${WIDGETS}/a/paint`, { body: '{}' })).status).toBe(201);
    expect(await shown(server, Widget)).toBe(before);
    expect([...vandal.attempts]).toEqual([attempt]);
  });
});

describe('a mutating plugin', () => {
  it('may keep the object and its entries, and change them later', async () => {
    const vandal = new Vandal();
    const kept: unknown[] = [];
    const options: ApiServerOptions = {
      ...{ resources: [Plain], authentication: { ownerToken: 'admin' } },
      admission: {
        plugins: [
          {
            ...{ name: 'Keeper', operations: ['CREATE', 'UPDATE'] },
            mutate({ object }) {
              kept.push(object);
              (object?.metadata.labels ?? {})['set'] = 'by-plugin';
            },
          },
        ],
      },
    };
    await using server = new ApiServer(options);
    await ask(server, 'POST', WIDGETS, { body: widget(1) });
    await ask(server, 'PATCH', `${WIDGETS}/a`, { body: '{"spec":{"size":2}}', headers: MERGE });
    const before = await shown(server, Plain);
    expect(before).toContain('"set":"by-plugin"');
    vandal.on(kept);
    expect(await shown(server, Plain)).toBe(before);
    await ask(server, 'PATCH', `${WIDGETS}/a`, { body: '{"spec":{"size":3}}', headers: MERGE });
    expect(await shown(server, Plain)).not.toContain('vandal');
  });

  it('changes managed fields of its object alone', async () => {
    await using server = new ApiServer({
      ...{ resources: [Plain], authentication: { ownerToken: 'admin' } },
      admission: {
        plugins: [
          {
            ...{ name: 'Renamer', operations: ['CREATE'] },
            mutate({ object }) {
              const [entry] = object?.metadata.managedFields ?? [];
              if (object?.metadata.name === 'second' && entry !== undefined) entry.manager = 'renamed';
            },
          },
        ],
      },
    });
    const maps = server.client().resource(ConfigMap).namespace('default');
    for (const name of ['first', 'second', 'third']) await maps.create({ metadata: { name }, data: { a: '1' } });
    const managers = (await maps.list()).items.map(({ metadata }) => metadata.managedFields?.[0]?.manager);
    expect(new Set([managers[0], managers[2]]).size).toBe(1);
    expect(managers[1]).toBe('renamed');
    expect(managers[0]).not.toBe('renamed');
  });

  it('removes and adds members of the object', async () => {
    await using server = new ApiServer({
      ...{ resources: [Plain], authentication: { ownerToken: 'admin' } },
      admission: {
        plugins: [
          {
            ...{ name: 'Editor', operations: ['CREATE'] },
            mutate({ object, info }) {
              if (object === undefined || info.kind !== 'ConfigMap') return;
              delete object['data'];
              object['binaryData'] = { a: 'YQ==' };
            },
          },
        ],
      },
    });
    await ask(server, 'POST', MAPS, { body: '{"metadata":{"name":"a"},"data":{"a":"1"}}' });
    const { data, binaryData } = await server.client().resource(ConfigMap).namespace('default').get('a');
    expect([data, binaryData]).toEqual([undefined, { a: 'YQ==' }]);
  });

  it('leaves the ownership of fields alone when it changes nothing', async () => {
    const states: string[] = [];
    for (const admission of [
      [],
      [{ name: 'Idle', operations: ['CREATE', 'UPDATE'], mutate: () => undefined }] as const,
    ]) {
      await using test = await startTestServer({
        ...{ resources: [Plain], authentication: { ownerToken: 'admin' } },
        admission: { plugins: admission },
      });
      states.push(await life(test.server));
    }
    expect(states[1]).toBe(states[0]);
  });
});

describe('the user of a request', () => {
  const groups = ['dev'];
  const reach = async (options: ApiServerOptions, method = 'GET'): Promise<number> => {
    await using server = new ApiServer({
      authentication: { authenticators: [() => ({ user: { username: 'alice', groups, extra: { team: ['a'] } } })] },
      ...options,
    });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await ask(server, method, MAPS, { body: '{"metadata":{"name":"a"}}' });
    return (await ask(server, 'GET', '/api/v1/secrets')).status;
  };
  /** Code that makes its user a master. */
  const promote = ({ user }: { readonly user: { readonly groups: readonly string[] } }): void => {
    try {
      (user.groups as string[]).push('system:masters');
    } catch {
      // It is frozen.
    }
  };

  it('is not changed by a plugin, an authorizer or an interceptor', async () => {
    const authorizer: Authorizer = (attributes) => {
      promote(attributes);
      const allowed = attributes.resource === 'configmaps' || attributes.user.groups.includes('system:masters');
      return { decision: allowed ? 'Allow' : 'NoOpinion', reason: '' };
    };
    expect(await reach({ authorization: { authorizer } })).toBe(403);
    const plain: typeof authorizer = ({ resource, user }) => ({
      decision: resource === 'configmaps' || user.groups.includes('system:masters') ? 'Allow' : 'NoOpinion',
      reason: '',
    });
    const admission = [{ name: 'Promoter', operations: ['CREATE'], validate: promote, mutate: promote }] as const;
    expect(await reach({ authorization: { authorizer: plain }, admission: { plugins: admission } }, 'POST')).toBe(403);
    const interceptor: NonNullable<ApiServerOptions['interceptor']> = {
      async request(request, proceed) {
        promote(request);
        await proceed();
      },
    };
    expect(await reach({ authorization: { authorizer: plain }, interceptor })).toBe(403);
    expect(groups).toEqual(['dev']);
  });

  it('of an in-process client is not changed by a plugin', async () => {
    await using server = new ApiServer({
      admission: { plugins: [{ name: 'Promoter', operations: ['CREATE'], mutate: promote }] },
      authorization: {
        authorizer: ({ resource, user }) => ({
          decision: resource === 'configmaps' || user.groups.includes('system:masters') ? 'Allow' : 'NoOpinion',
          reason: '',
        }),
      },
    });
    const client = server.client({ user: { username: 'alice', groups } });
    await client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    await expect(client.resource(Pod).list()).rejects.toThrow('forbidden');
    expect(groups).toEqual(['dev']);
  });

  it('may be the same object for many requests, changed by its authenticator between them', async () => {
    const user = { username: 'alice', groups: ['dev'] };
    await using server = new ApiServer({ authentication: { authenticators: [() => ({ user })] } });
    expect((await ask(server, 'GET', '/api/v1/secrets')).status).toBe(403);
    user.groups.push('system:masters');
    expect((await ask(server, 'GET', '/api/v1/secrets')).status).toBe(200);
  });
});

describe('others get objects of their own', () => {
  it('an authorizer: attributes that the server does not use', async () => {
    await using server = new ApiServer({
      authentication: { authenticators: [() => ({ user: { username: 'alice', groups: [] } })] },
      authorization: {
        authorizer: (attributes) => {
          const isList = attributes.verb === 'list';
          Object.assign(attributes, { verb: 'get', resource: 'other' });
          return { decision: isList ? 'NoOpinion' : 'Allow', reason: '' };
        },
      },
    });
    const answer = await ask(server, 'GET', MAPS);
    expect([answer.status, textOf(answer)]).toEqual([
      403,
      expect.stringContaining('cannot list resource \\"configmaps\\"'),
    ]);
  });

  it('an interceptor: the answers of in-process clients', async () => {
    const vandal = new Vandal();
    await using server = new ApiServer({
      ...{ resources: [Plain], authentication: { ownerToken: 'admin' } },
      interceptor: {
        async request(_request, proceed) {
          vandal.on((await proceed()).body());
        },
      },
    });
    await ask(server, 'POST', WIDGETS, { body: widget(1) });
    const client = server.client().resource(Plain);
    await client.namespace('default').get('a');
    await client.list();
    expect(await shown(server, Plain)).not.toContain('vandal');
    expect([...vandal.attempts]).toEqual(['wrote']);
  });

  it('the handlers of pods', async () => {
    const vandal = new Vandal();
    await using server = new ApiServer({
      authentication: { ownerToken: 'admin' },
      handlers: { pods: { log: (pod) => [{ time: 0, text: vandal.on(pod).metadata.name ?? '' }] } },
    });
    const pods = server.client().resource(Pod).namespace('default');
    await pods.create({
      metadata: { name: 'a' },
      spec: { nodeName: 'n', serviceAccountName: 'none', containers: [{ name: 'main', image: 'a' }] },
    });
    const before = JSON.stringify(await pods.get('a'));
    expect((await ask(server, 'GET', '/api/v1/namespaces/default/pods/a/log')).status).toBe(200);
    expect(JSON.stringify(await pods.get('a'))).toBe(before);
    expect([...vandal.attempts]).toEqual(['wrote']);
  });

  it('a webhook that is a function', async () => {
    const { attempts } = await compare(false, (vandal) => ({
      resources: [Plain],
      admission: {
        plugins: [
          webhook({
            ...{ name: 'vandal.example.com', phase: 'Validating' },
            rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
            handler: ({ object, oldObject }) => (on<unknown>(vandal, object, oldObject), { allowed: true }),
          }),
        ],
      },
    }));
    expect(attempts).toEqual(['wrote']);
  });

  it('the functions that convert versions', async () => {
    const vandal = new Vandal();
    const V2 = defineResource({
      ...{ ...kind, version: 'v2' },
      conversion: {
        hub: Plain,
        toHub: (object) => ({ ...structuredClone(object), ...(vandal.on(object), {}) }),
        fromHub: (object) => ({ ...structuredClone(object), ...(vandal.on(object), {}) }),
      },
    });
    await using server = new ApiServer({ resources: [Plain, V2], authentication: { ownerToken: 'admin' } });
    const v2 = WIDGETS.replace('/v1/', '/v2/');
    await ask(server, 'POST', WIDGETS, { body: widget(1) });
    expect((await ask(server, 'PUT', `${v2}/a`, { body: widget(2) })).status).toBe(200);
    await ask(server, 'GET', `${v2}/a`);
    expect(await shown(server, Plain)).not.toContain('vandal');
    expect(await shown(server, V2)).not.toContain('vandal');
    expect([...vandal.attempts]).toEqual(['wrote']);
  });
});

it('a test server freezes: the request fails where the code under test writes', async () => {
  await using test = await startTestServer({
    admission: {
      plugins: [
        {
          ...{ name: 'Careless', operations: ['UPDATE'] },
          validate({ oldObject }) {
            if (oldObject?.metadata.name === 'a') Object.assign(oldObject.metadata, { labels: {} });
          },
        },
      ],
    },
  });
  const maps = test.client.resource(ConfigMap).namespace('default');
  await maps.create({ metadata: { name: 'a' } });
  await expect(maps.patch('a', { data: { a: '1' } })).rejects.toThrow();
  expect((await maps.get('a')).data).toBeUndefined();
});
