import { describe, expect, test } from 'vitest';
import { ConfigMap, CustomResourceDefinition, Deployment, Pod, Secret } from '../../src/entries/index.js';
import { Event } from '../../src/entries/kinds.js';
import type { Client } from '../../src/entries/index.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';

const maps = (of: { readonly client: Client }) => of.client.resource(ConfigMap).namespace('default');
const names = async (of: { readonly client: Client }): Promise<(string | undefined)[]> =>
  (await maps(of).list()).items.map(({ metadata }) => metadata.name);

const create = (of: { readonly client: Client }, name: string) => maps(of).create({ metadata: { name } });

const GADGET = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum: 5 } } } },
          },
        },
      },
    ],
  },
};
const gadgets = (of: TestServer) =>
  of.client.resource({ apiVersion: 'example.com/v1', kind: 'Gadget' }).namespace('default');

describe('a fork', () => {
  test('has the state of its original, and neither sees the writes of the other', async () => {
    await using test = await startTestServer();
    await create(test, 'shared');
    await using fork = await test.fork();
    await using forkOfFork = await fork.fork();
    await create(test, 'original');
    await create(fork, 'fork');
    await create(forkOfFork, 'fork-of-fork');
    await maps(fork).delete('shared');
    expect(await names(test)).toEqual(['original', 'shared']);
    expect(await names(fork)).toEqual(['fork']);
    expect(await names(forkOfFork)).toEqual(['fork-of-fork', 'shared']);
  });

  test('survives the close of its original', async () => {
    const test = await startTestServer();
    await create(test, 'a');
    await using fork = await test.fork();
    await test.close();
    await create(fork, 'b');
    expect(await names(fork)).toEqual(['a', 'b']);
  });

  test('reads past versions, and watches from them', async () => {
    await using test = await startTestServer();
    const { metadata } = await create(test, 'a');
    await maps(test).update({ metadata: { name: 'a' }, data: { colour: 'blue' } });
    await using fork = await test.fork();
    await maps(fork).update({ metadata: { name: 'a' }, data: { colour: 'red' } });
    await maps(test).update({ metadata: { name: 'a' }, data: { colour: 'green' } });

    const past = await maps(fork).list({
      resourceVersion: metadata.resourceVersion ?? '',
      resourceVersionMatch: 'Exact',
    });
    expect(past.items.map(({ data }) => data)).toEqual([undefined]);
    const seen: unknown[] = [];
    for await (const event of maps(fork).watch({ resourceVersion: metadata.resourceVersion ?? '' })) {
      seen.push(event.type === 'MODIFIED' && event.object.data?.['colour']);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['blue', 'red']);
  });

  test('has watches of its own: those of the original do not see its writes', async () => {
    await using test = await startTestServer();
    const watch = maps(test).watch();
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of watch) if (event.type === 'ADDED') seen.push(event.object.metadata.name);
    })();
    await test.settled();
    await using fork = await test.fork();
    await create(fork, 'in-fork');
    await create(test, 'in-original');
    await fork.settled();
    await test.settled();
    expect(seen).toEqual(['in-original']);
    await test.close();
    await reading;
  });

  test('has a clock of its own, which starts at the time of the original', async () => {
    await using test = await startTestServer();
    await test.advance('1h');
    await using fork = await test.fork();
    expect(fork.clock.now()).toBe(test.clock.now());
    await fork.advance('2h');
    expect(fork.clock.now() - test.clock.now()).toBe(2 * 3_600_000);
  });

  test('lets the objects of the original expire on its own clock', async () => {
    await using test = await startTestServer();
    await test.client
      .resource(Event)
      .namespace('default')
      .create({ metadata: { name: 'e' }, involvedObject: {} });
    await test.advance('30m');
    await using fork = await test.fork();
    await fork.clock.advance('31m');
    expect((await fork.client.resource(Event).list()).items).toEqual([]);
    expect((await test.client.resource(Event).list()).items).toHaveLength(1);
    await test.clock.advance('31m');
    expect((await test.client.resource(Event).list()).items).toEqual([]);
  });

  test('draws the same uids and names as every fork of the same state', async () => {
    await using test = await startTestServer();
    await using one = await test.fork();
    await using two = await test.fork();
    const make = async (of: TestServer) => {
      const { metadata } = await maps(of).create({ metadata: { generateName: 'a-' } });
      return [metadata.uid, metadata.name];
    };
    expect(await make(one)).toEqual(await make(two));
  });

  test('runs the controllers of the original once it is written to', async () => {
    const errors: unknown[] = [];
    await using test = await startTestServer({
      simulate: true,
      observability: { logger: { info: () => undefined, error: (message, fields) => errors.push([message, fields]) } },
    });
    const deployments = test.client.resource(Deployment).namespace('default');
    await deployments.create({
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await test.settled();
    await using fork = await test.fork();
    const forked = fork.client.resource(Deployment).namespace('default');
    expect((await forked.get('web')).status?.readyReplicas).toBe(2);
    await forked.patch('web', { spec: { replicas: 3 } });
    await fork.settled();
    expect((await fork.client.resource(Pod).list()).items).toHaveLength(3);
    expect((await forked.get('web')).status?.readyReplicas).toBe(3);
    expect((await test.client.resource(Pod).list()).items).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  test('leaves objects alone that nothing changes, although its controllers start', async () => {
    await using test = await startTestServer({ simulate: true });
    await test.client
      .resource(Pod)
      .namespace('default')
      .create({
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
    await test.settled();
    const versions = async (of: TestServer) =>
      (await of.client.resource(Pod).list()).items.map(({ metadata, status }) => [
        metadata.resourceVersion,
        status?.phase,
      ]);
    const before = await versions(test);
    expect(before).toMatchObject([[expect.any(String), 'Running']]);
    await using fork = await test.fork();
    await fork.settled();
    await fork.advance('10m');
    expect(await versions(fork)).toEqual(before);
  });

  test('starts its controllers before time passes on its clock', async () => {
    await using test = await startTestServer({ simulate: true });
    using rule = test.pods.matching({}).become('Succeeded', { after: '1m' });
    await test.client
      .resource(Pod)
      .namespace('default')
      .create({
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' },
      });
    await test.settled();
    await using fork = await test.fork();
    rule.stop();
    await fork.clock.advance('2m');
    expect((await fork.client.resource(Pod).namespace('default').get('p')).status?.phase).toBe('Succeeded');
    expect((await test.client.resource(Pod).namespace('default').get('p')).status?.phase).toBe('Running');
  });

  test('serves the custom kinds of its original, and changes them alone', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes', crds: [GADGET] });
    await gadgets(test).create({ metadata: { name: 'g' }, spec: { size: 1 } });
    await using fork = await test.fork();
    expect((await gadgets(fork).get('g'))['spec']).toEqual({ size: 1 });
    await expect(gadgets(fork).create({ metadata: { name: 'big' }, spec: { size: 9 } })).rejects.toMatchObject({
      code: 422,
    });
    await fork.client.resource(CustomResourceDefinition).delete('gadgets.example.com');
    await fork.settled();
    await expect(gadgets(fork).list()).rejects.toMatchObject({ code: 404 });
    expect((await gadgets(test).list()).items).toHaveLength(1);
    await using later = await test.fork();
    expect((await gadgets(later).list()).items).toHaveLength(1);
  });

  test('converts objects of a definition with a webhook by itself', async () => {
    const { BY_FUNCTION, HOSTS, hostDefinition, convertedHost } = await import('../kinds/custom/hosts.js');
    const calls: string[] = [];
    await using test = await startTestServer({
      dialect: 'kubernetes',
      crds: [hostDefinition(BY_FUNCTION)],
      conversionWebhooks: {
        [HOSTS]: (objects, apiVersion) => {
          calls.push(apiVersion);
          return objects.map((object) => convertedHost(object, apiVersion));
        },
      },
    });
    const hosts = (of: TestServer, version: string) =>
      of.client.resource({ apiVersion: `example.com/${version}`, kind: 'Host' }).namespace('default');
    await hosts(test, 'v1').create({ metadata: { name: 'h' }, spec: { hostname: 'a' } });
    await using fork = await test.fork();
    calls.length = 0;
    expect((await hosts(fork, 'v1beta1').get('h'))['spec']).toEqual({ host: 'a', replicas: 1 });
    expect(calls.length).toBeGreaterThan(0);
    await test.reset();
    await expect(hosts(test, 'v1beta1').get('h')).rejects.toMatchObject({ code: 404 });
    expect((await hosts(fork, 'v1').get('h'))['spec']).toEqual({ hostname: 'a', replicas: 1 });
  });

  test('finds objects by labels, whichever of both indexed them', async () => {
    await using test = await startTestServer();
    for (let index = 0; index < 200; index += 1)
      await maps(test).create({ metadata: { name: `m${index}`, labels: { n: String(index % 50) } } });
    const found = async (of: TestServer, n: number) =>
      (await maps(of).list({ labelSelector: `n=${n}` })).items.map(({ metadata }) => metadata.name);
    expect(await found(test, 7)).toEqual(['m107', 'm157', 'm57', 'm7']);
    await using fork = await test.fork();
    expect(await found(fork, 7)).toEqual(['m107', 'm157', 'm57', 'm7']);
    await maps(fork).delete('m7');
    await maps(test).delete('m57');
    await maps(fork).create({ metadata: { name: 'new', labels: { n: '7' } } });
    await maps(test).create({ metadata: { name: 'other', labels: { n: '8' } } });
    await maps(fork).update({ metadata: { name: 'm8', labels: { n: '7' } } });
    expect(await found(fork, 7)).toEqual(['m107', 'm157', 'm57', 'm8', 'new']);
    expect(await found(test, 7)).toEqual(['m107', 'm157', 'm7']);
    expect(await found(test, 8)).toEqual(['m108', 'm158', 'm58', 'm8', 'other']);
  });

  test('accepts the tokens and the pages of its original', async () => {
    await using test = await startTestServer({ users: { alice: { groups: ['system:masters'] } } });
    for (const name of ['a', 'b', 'c']) await create(test, name);
    const page = await maps(test).list({ limit: 2 });
    await using fork = await test.fork();
    const next = await maps(fork).list({ limit: 2, continue: page.metadata.continue });
    expect(next.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
    expect(fork.token('alice')).toBe(test.token('alice'));
    expect(fork.server.kubeConfig()).toBe(test.server.kubeConfig());
    expect(await names({ client: fork.as('alice') })).toEqual(['a', 'b', 'c']);
  });

  test('decides by roles as its original, and changes them alone', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes', users: { bob: {} } });
    const { ClusterRoleBinding } = await import('../../src/entries/index.js');
    const bind = {
      metadata: { name: 'bob-views' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
    };
    await test.client.resource(ClusterRoleBinding).create(bind);
    expect(await names({ client: test.as('bob') })).toEqual([]);
    await using fork = await test.fork();
    expect(await names({ client: fork.as('bob') })).toEqual([]);
    await fork.client.resource(ClusterRoleBinding).delete('bob-views');
    await expect(names({ client: fork.as('bob') })).rejects.toMatchObject({ code: 403 });
    expect(await names({ client: test.as('bob') })).toEqual([]);
  });

  test('is no restart: a default role that was deleted stays deleted', async () => {
    const { ClusterRole } = await import('../../src/entries/index.js');
    await using test = await startTestServer({ users: { bob: {} } });
    await test.client.resource(ClusterRole).delete('view');
    await using fork = await test.fork();
    await expect(names({ client: fork.as('bob') })).rejects.toMatchObject({ code: 403 });
    await expect(fork.client.resource(ClusterRole).get('view')).rejects.toMatchObject({ code: 404 });
    expect((await fork.client.resource(ClusterRole).get('edit')).metadata.name).toBe('edit');
  });

  test('is refused for an engine that cannot be forked', async () => {
    const { createMemoryStorage } = await import('../../src/storage/memory/index.js');
    const { decorateStorage } = await import('../../src/entries/storage.js');
    await using test = await startTestServer({
      storage: ({ clock }) => decorateStorage(createMemoryStorage({ clock }), {}),
    });
    await expect(test.fork()).rejects.toThrow(/the option storage cannot be forked: omit the option/);
    await expect(test.reset()).rejects.toThrow(/the option storage cannot be forked/);
    await create(test, 'a');
    expect(await names(test)).toEqual(['a']);
  });

  test('works for a storage in memory that the test created', async () => {
    const { createMemoryStorage } = await import('../../src/storage/memory/index.js');
    await using test = await startTestServer({ storage: ({ clock }) => createMemoryStorage({ clock }) });
    await create(test, 'a');
    await using fork = await test.fork();
    expect(await names(fork)).toEqual(['a']);
    await test.reset();
    expect(await names(test)).toEqual([]);
  });
});

describe('a reset', () => {
  test('goes back to the end of the start, with time, uids and names', async () => {
    await using test = await startTestServer({
      manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seed' } }],
    });
    const startMs = test.clock.now();
    const runOnce = async () => {
      const { metadata } = await maps(test).create({ metadata: { generateName: 'a-' } });
      await test.advance('2h');
      await maps(test).delete('seed');
      return metadata;
    };
    const first = await runOnce();
    await test.reset();
    expect(test.clock.now()).toBe(startMs);
    expect(await names(test)).toEqual(['seed']);
    expect(await runOnce()).toEqual(first);
  });

  test('of a fork goes back to the state of the fork', async () => {
    await using test = await startTestServer();
    await create(test, 'a');
    await using fork = await test.fork();
    await create(fork, 'b');
    await fork.reset();
    expect(await names(fork)).toEqual(['a']);
    await create(fork, 'c');
    await fork.reset();
    expect(await names(fork)).toEqual(['a']);
    expect(await names(test)).toEqual(['a']);
  });

  test('ends watches, and keeps clients, servers and clocks working', async () => {
    await using test = await startTestServer();
    const configMaps = maps(test);
    const watch = configMaps.watch({ keepAlive: false });
    const ended = (async () => {
      for await (const event of watch) if (event.type === 'ERROR') throw new Error('an error');
      return 'ended';
    })();
    await test.settled();
    const { server, clock } = test;
    let fired = 0;
    clock.after(1000, () => (fired += 1));
    await test.reset();
    expect(await ended).toBe('ended');
    expect([test.server, test.clock]).toEqual([server, clock]);
    await create(test, 'b');
    expect((await configMaps.list()).items).toHaveLength(1);
    await test.advance('1m');
    expect(fired).toBe(0);
  });

  test('keeps a listener working', async () => {
    const { listen } = await import('../../src/transport/node/index.js');
    await using test = await startTestServer({ users: { alice: { groups: ['system:masters'] } } });
    const listener = await listen(test.server, { port: 0 });
    try {
      const get = async () => {
        const response = await fetch(`${listener.url}/api/v1/namespaces/default/configmaps`, {
          headers: { authorization: `Bearer ${test.token('alice')}` },
        });
        return ((await response.json()) as { items: { metadata: { name: string } }[] }).items.map(
          ({ metadata }) => metadata.name,
        );
      };
      await create(test, 'a');
      expect(await get()).toEqual(['a']);
      await test.reset();
      expect(await get()).toEqual([]);
      await create(test, 'b');
      expect(await get()).toEqual(['b']);
    } finally {
      await listener.close();
    }
  });

  test('brings back kinds, rules of simulated pods, and controllers', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes', crds: [GADGET], simulate: true });
    test.pods.matching({}).become('CrashLoopBackOff');
    await test.client.resource(CustomResourceDefinition).delete('gadgets.example.com');
    await test.settled();
    await expect(gadgets(test).list()).rejects.toMatchObject({ code: 404 });
    await test.reset();
    expect((await gadgets(test).list()).items).toEqual([]);
    await test.client
      .resource(Pod)
      .namespace('default')
      .create({
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
    await test.settled();
    const pod = await test.client.resource(Pod).namespace('default').get('p');
    expect(pod.status?.containerStatuses?.map(({ state }) => Object.keys(state ?? {}))).toEqual([['running']]);
  });

  test('does not set back a clock that the test gave', async () => {
    const clock = createManualClock();
    await using test = await startTestServer({ clock });
    await using other = await startTestServer({ clock });
    await test.advance('1h');
    await create(other, 'a');
    await test.reset();
    expect(clock.now()).toBe(createManualClock().now() + 3_600_000);
    expect(test.clock).toBe(clock);
    expect(await names(other)).toEqual(['a']);
  });

  test('is refused once the server is closed', async () => {
    const test = await startTestServer();
    await test.close();
    await expect(test.reset()).rejects.toThrow(/closed/);
  });
});

test('a fork of a fork has the time of its parent, also where the first server has a given clock', async () => {
  await using test = await startTestServer({ clock: createManualClock(0) });
  await using fork = await test.fork();
  await fork.advance('1h');
  await using second = await fork.fork();
  await second.advance('1m');
  expect([test, fork, second].map(({ clock }) => clock.now())).toEqual([0, 3_600_000, 3_660_000]);
});

describe('the options of a test server', () => {
  test('manifests: objects, texts and lists, in order, in the namespace default', async () => {
    await using test = await startTestServer({
      dialect: 'kubernetes',
      manifests: [
        GADGET,
        'apiVersion: example.com/v1\nkind: Gadget\nmetadata:\n  name: g\nspec:\n  size: 2\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: team\n',
        {
          kind: 'List',
          apiVersion: 'v1',
          items: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'team' } }],
        },
      ],
    });
    expect((await gadgets(test).get('g'))['spec']).toEqual({ size: 2 });
    expect((await test.client.resource(Secret).namespace('team').list()).items).toHaveLength(1);
  });

  test('manifests: an object that is refused fails the start, with its place', async () => {
    await expect(
      startTestServer({
        manifests: [
          [
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'A' } },
          ],
        ],
      }),
    ).rejects.toThrow(/^load: item 2: ConfigMap A: .*metadata.name/);
    await expect(startTestServer({ manifests: [{ kind: 'ConfigMap' }] })).rejects.toThrow(/needs apiVersion and kind/);
  });

  test('users: unknown names and wrong options are refused with the remedy', async () => {
    await using test = await startTestServer({ users: { alice: { groups: ['a'] } } });
    expect(() => test.as('alise')).toThrow(/no user "alise" in this test; did you mean "alice"/);
    expect(() => test.token('system:admin')).toThrow(/no user/);
    await expect(names({ client: test.as('system:serviceaccount:default:x') })).rejects.toMatchObject({ code: 403 });
    await expect(startTestServer({ users: { a: 'x' } as never })).rejects.toThrow(/users.a must be an object/);
    await expect(startTestServer({ clock: {} as never })).rejects.toThrow(/clock must be a clock/);
    await expect(startTestServer({ manifests: {} as never })).rejects.toThrow(/manifests must be a list/);
  });
});
