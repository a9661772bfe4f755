import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServerOptions } from '../../../src/apiserver/options/api-server-options.js';
import { FlowConfiguration, type ConfigureFlows } from '../../../src/server/fairness/stored/flow-configuration.js';
import { serverParts } from '../../../src/apiserver/instance/server-parts.js';
import type { Client } from '../../../src/entries/client.js';
import { flowClassifier } from '../../../src/server/fairness/classification/classify.js';
import { FlowSchema, PriorityLevelConfiguration } from '../../../src/kinds/builtin/index.js';
import { decorateStorage, StorageError } from '../../../src/entries/storage.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { ManualClock } from '../../storage/manual-clock.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';
import { ask, jsonOf } from '../ask.js';

interface World {
  readonly client: Client;
  readonly flows: FlowConfiguration;
  readonly put: (key: string, text: string) => Promise<unknown>;
  readonly log: string[];
  /** The storage of the configuration fails to list while it is broken. */
  readonly storage: { isBroken: boolean };
  /** Name of the schema that classifies a request of jane, and the number of times that it was configured. */
  schema(): string;
  configured(): number;
}

/** A configuration that follows the store of a server. */
function world(options: { readonly runtimeConfig?: string } = {}): World {
  const clock = new ManualClock();
  const storage = keptOpenStorage(clock);
  const server = new ApiServer({ storage, clock, dialect: 'kubernetes' });
  onTestFinished(() => server.close());
  const log: string[] = [];
  const logger = { info: () => undefined, error: (message: string) => void log.push(message) };
  const state = { isBroken: false };
  const broken = decorateStorage(storage, {
    list: (...given) => (state.isBroken ? Promise.reject(new Error('no storage')) : storage.list(...given)),
  });
  const parts = serverParts({ storage: broken, clock, dialect: 'kubernetes', observability: { logger }, ...options });
  let latest: Parameters<ConfigureFlows> | undefined;
  let count = 0;
  const flows = new FlowConfiguration(
    { ...parts, hasObjects: false, maintain: () => undefined },
    (...configuration) => {
      latest = configuration;
      count += 1;
    },
  );
  onTestFinished(() => flows.stop());
  const request = {
    isResource: false,
    verb: 'get',
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    path: '/a',
  };
  return {
    ...{ flows, log, storage: state, client: server.client(), configured: () => count },
    put: (key, text) => storage.create(key, () => text),
    schema: () =>
      flowClassifier(...(latest ?? [[], []])).classify({
        user: { username: 'jane', groups: ['system:authenticated'] },
        request,
      }).flowSchema.name,
  };
}

const schemaFor = (level: string) => ({
  metadata: { name: 'mine' },
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: 50,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'jane' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
});
const LEVEL = { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } };

describe('the configuration of flows', () => {
  test('is created and read at the start, and told once', async () => {
    const { flows, schema, configured, client } = world();
    expect(schema()).toBe('catch-all');
    expect((await client.resource(FlowSchema).list()).items).toEqual([]);
    await flows.start();
    expect(configured()).toBe(1);
    expect(schema()).toBe('global-default');
    expect((await client.resource(FlowSchema).list()).items).toHaveLength(13);
  });

  test('has a change when its writer knows it', async () => {
    const { flows, schema, client } = world();
    await flows.start();
    await client.resource(FlowSchema).create(schemaFor('late'));
    expect(schema()).toBe('global-default');
    await client.resource(PriorityLevelConfiguration).create({ metadata: { name: 'late' }, ...LEVEL });
    expect(schema()).toBe('mine');
    await client.resource(PriorityLevelConfiguration).delete('late');
    expect(schema()).toBe('global-default');
    await client.resource(FlowSchema).delete('global-default');
    expect(schema()).toBe('catch-all');
  });

  test('can be started again after the storage has failed', async () => {
    const { flows, schema, client, configured, storage } = world();
    storage.isBroken = true;
    await expect(flows.start()).rejects.toThrow('no storage');
    storage.isBroken = false;
    await flows.start();
    const before = configured();
    await client.resource(FlowSchema).create(schemaFor('system'));
    expect(configured()).toBe(before + 1);
    expect(schema()).toBe('mine');
  });

  test('is not told after its end', async () => {
    const { flows, client, configured } = world();
    await flows.start();
    flows.stop();
    await client.resource(FlowSchema).create(schemaFor('system'));
    expect(configured()).toBe(1);
  });

  test('is without a schema that cannot be read', async () => {
    const { flows, schema, put, log } = world();
    const { metadata, spec } = schemaFor('system');
    const broken = { ...spec, rules: [{ ...spec.rules[0], subjects: 7 }] };
    const object = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata, spec: broken };
    await put('/registry/flowschemas/mine', JSON.stringify(object));
    await flows.start();
    expect(schema()).toBe('global-default');
    expect(log).toEqual(['/registry/flowschemas/mine cannot be read, and is not in force']);
  });

  test('is the mandatory one when the kinds are not served', async () => {
    const { flows, schema, client } = world({ runtimeConfig: 'flowcontrol.apiserver.k8s.io/v1=false' });
    await flows.start();
    expect(schema()).toBe('catch-all');
    expect((await client.resource(FlowSchema).list()).items).toEqual([]);
  });
});

/** A server with fairness, whose token `admin` may do everything. */
const start = (options: ApiServerOptions = {}): ApiServer =>
  new ApiServer({
    ...{ dialect: 'kubernetes', fairness: true, clock: new ManualClock() },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    ...options,
  });

describe('a server with fairness', () => {
  test('says in its health that the objects exist and are followed', async () => {
    await using server = start();
    const { body } = await ask(server, 'GET', '/readyz?verbose');
    for (const name of ['config-consumer', 'filter', 'config-producer'])
      expect(body).toContain(`[+]poststarthook/priority-and-fairness-${name} ok\n`);
  });

  test('starts without the objects when they cannot be created, and creates them later', async () => {
    const clock = new ManualClock();
    const inner = createMemoryStorage({ clock });
    let isBroken = true;
    const storage = decorateStorage(inner, {
      create: (key, ...given) =>
        isBroken && key.startsWith('/registry/flowschemas/')
          ? Promise.reject(new StorageError('Full', { key }))
          : inner.create(key, ...given),
    });
    const logger = { info: () => undefined, error: () => undefined };
    await using server = start({ clock, observability: { logger }, storage });
    const { status, body } = await ask(server, 'GET', '/readyz');
    expect(status).toBe(500);
    expect(body).toContain('[-]poststarthook/priority-and-fairness-config-producer failed');
    isBroken = false;
    await server.settled();
    clock.advance(60_000);
    await server.settled();
    expect((await server.client().resource(FlowSchema).list()).items).toHaveLength(13);
    expect(await ask(server, 'GET', '/readyz')).toMatchObject({ status: 200 });
  });

  test('shares a storage with another one', async () => {
    const clock = new ManualClock();
    const storage = keptOpenStorage(clock);
    const servers = [start({ clock, storage }), start({ clock, storage })];
    await Promise.all(servers.map((server) => server.ready()));
    const schemas = servers.map((server) => server.client().resource(FlowSchema));
    await schemas[0]?.delete('probes');
    for (const server of servers) await server.settled();
    clock.advance(60_000);
    for (const server of servers) await server.settled();
    for (const list of schemas) expect((await list.list()).items).toHaveLength(13);
    expect((await schemas[1]?.get('probes'))?.status?.conditions).toHaveLength(1);
    await Promise.all(servers.map((server) => server.close()));
  });

  test('classifies the next request by a change', async () => {
    const groups = ['system:authenticated'];
    await using server = start({ authentication: { tokens: [{ token: 'jane', user: { username: 'jane', groups } }] } });
    const schemas = server.client().resource(FlowSchema);
    const uidOf = async (name: string) => (await schemas.get(name)).metadata.uid;
    const used = async () => {
      const { headers } = await ask(server, 'GET', '/version', { token: 'jane' });
      return headers['x-kubernetes-pf-flowschema-uid'];
    };
    expect(await used()).toBe(await uidOf('global-default'));
    const { metadata } = await schemas.create(schemaFor('workload-high'));
    expect(await used()).toBe(metadata.uid);
    await schemas.delete('mine');
    expect(await used()).toBe(await uidOf('global-default'));
  });

  test('lets users change nothing but the shares of the mandatory objects', async () => {
    await using server = start();
    const levels = server.client().resource(PriorityLevelConfiguration);
    const catchAll = await levels.get('catch-all');
    const limited = { ...catchAll.spec?.limited, nominalConcurrencyShares: 6 };
    await expect(levels.update({ ...catchAll, spec: { type: 'Limited', limited } })).rejects.toThrow(
      "spec of 'catch-all' must equal the fixed value",
    );
    const exempt = await levels.get('exempt');
    const shares = { nominalConcurrencyShares: 3, lendablePercent: 20 };
    expect(await levels.update({ ...exempt, spec: { type: 'Exempt', exempt: shares } })).toMatchObject({
      spec: { exempt: shares },
      metadata: { generation: 2 },
    });
    const schemas = server.client().resource(FlowSchema);
    const schema = await schemas.get('exempt');
    await expect(
      schemas.update({ ...schema, spec: { ...schemaFor('exempt').spec, matchingPrecedence: 1 } }),
    ).rejects.toThrow("spec of 'exempt' must equal the fixed value");
  });

  test('answers version v1beta3 of the objects too', async () => {
    await using server = start();
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1beta3';
    const response = await ask(server, 'GET', `${path}/prioritylevelconfigurations`);
    expect(String(response.headers['warning'])).toContain(
      'flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration is deprecated in v1.29+, unavailable in v1.32+',
    );
    const { items } = jsonOf(response) as {
      items: { metadata: { name: string; annotations: object }; spec: object }[];
    };
    expect(items).toHaveLength(8);
    expect(items.find(({ metadata }) => metadata.name === 'exempt')).toMatchObject({
      metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } },
      spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    });
  });
});
