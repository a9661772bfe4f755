/** The versions that the server itself serves, as APIServices. */
import { afterEach, describe, expect, it } from 'vitest';
import { ApiServer, kubernetes, orch, type ApiServerOptions } from '../../../src/entries/index.js';
import { APIService, CustomResourceDefinition } from '../../../src/entries/kinds.js';
import { systemClock } from '../../../src/foundation/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function serve(options: ApiServerOptions = {}): ApiServer {
  const server = new ApiServer({ dialect: kubernetes, ...options });
  servers.push(server);
  return server;
}

const LABEL = 'kube-aggregator.kubernetes.io/automanaged';
const servicesOf = (server: ApiServer) => server.client().resource(APIService);
const namesOf = async (server: ApiServer): Promise<string[]> =>
  (await servicesOf(server).list()).items.map(({ metadata }) => metadata.name ?? '');

/** Defines `shuttles.example.com`. */
const define = (server: ApiServer, ...versions: readonly string[]) =>
  server
    .client()
    .resource(CustomResourceDefinition)
    .create({
      metadata: { name: 'shuttles.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'shuttles', kind: 'Shuttle' },
        scope: 'Namespaced',
        versions: versions.map((name, index) => ({
          name,
          served: true,
          storage: index === 0,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    });

describe('the versions of the release', () => {
  it('are available local APIServices with the priorities of release 1.31', async () => {
    const { items } = await servicesOf(serve()).list();
    const rows = items.map(({ metadata, spec }) => [
      metadata.name,
      spec?.groupPriorityMinimum,
      spec?.versionPriority,
      metadata.labels?.[LABEL],
    ]);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['v1.', 18_000, 1, 'onstart'],
        ['v1.apps', 17_800, 15, 'onstart'],
        ['v2.autoscaling', 17_500, 30, 'onstart'],
        ['v1.rbac.authorization.k8s.io', 17_000, 15, 'onstart'],
        ['v1.flowcontrol.apiserver.k8s.io', 16_100, 21, 'onstart'],
      ]),
    );
    expect(rows.map(([name]) => name)).not.toContain('v1.apiregistration.k8s.io');
    for (const { spec, status } of items) {
      expect(spec?.service).toBeUndefined();
      expect(status?.conditions).toEqual([
        expect.objectContaining({
          ...{ type: 'Available', status: 'True', reason: 'Local' },
          message: 'Local APIServices are always available',
        }),
      ]);
    }
  });

  it('are called after the dialect', async () => {
    const server = serve({ dialect: orch });
    const found = await servicesOf(server).get('v1.rbac.authorization.orch.io');
    expect(found.metadata.labels).toEqual({ 'orch-aggregator.orch.io/automanaged': 'onstart' });
  });

  it('can be read by name in the first request', async () => {
    expect((await servicesOf(serve()).get('v1.apps')).spec?.group).toBe('apps');
  });

  it('are not made before somebody asks for the kind', async () => {
    const storage = createMemoryStorage({ clock: systemClock });
    const server = serve({ storage });
    await server.ready();
    await server.settled();
    const stored = async (): Promise<number> =>
      (await storage.list('/')).records.filter(({ key }) => key.includes('/apiservices/')).length;
    expect(await stored()).toBe(0);
    await servicesOf(server).get('v1.apps');
    expect(await stored()).toBeGreaterThan(20);
  });

  it('stay deleted or changed until the server starts again', async () => {
    const server = serve();
    const services = servicesOf(server);
    await services.delete('v1.apps');
    await services.patch('v1.batch', { spec: { versionPriority: 7 } }, { type: 'merge' });
    await server.settled();
    expect(await namesOf(server)).not.toContain('v1.apps');
    expect((await services.get('v1.batch')).spec?.versionPriority).toBe(7);
    await server.restart();
    expect(await namesOf(server)).toContain('v1.apps');
    expect((await services.get('v1.batch')).spec?.versionPriority).toBe(15);
  });

  it('are deleted when they are of an earlier release; those of others stay', async () => {
    const storage = createMemoryStorage({ clock: systemClock });
    const server = serve({ storage });
    const create = (name: string, labels: Record<string, string>) =>
      servicesOf(server).create({
        metadata: { name: `v1.${name}`, labels },
        spec: { group: name, version: 'v1', groupPriorityMinimum: 10, versionPriority: 1 },
      });
    await create('former', { [LABEL]: 'onstart' });
    await create('others', {});
    await server.settled();
    expect(await namesOf(server)).toContain('v1.former');
    await server.restart();
    const names = await namesOf(server);
    expect(names).not.toContain('v1.former');
    expect(names).toContain('v1.others');
  });
});

describe('the versions of custom kinds', () => {
  it('come and go with their definitions', async () => {
    const server = serve();
    expect(await namesOf(server)).not.toContain('v1.example.com');
    await define(server, 'v1', 'v2');
    await server.settled();
    const { metadata, spec } = await servicesOf(server).get('v1.example.com');
    expect(metadata.labels).toEqual({ [LABEL]: 'true' });
    expect(spec).toEqual({ group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 });
    expect(await namesOf(server)).toContain('v2.example.com');
    await server.client().resource(CustomResourceDefinition).delete('shuttles.example.com');
    await server.settled();
    expect((await namesOf(server)).filter((name) => name.endsWith('.example.com'))).toEqual([]);
  });

  it('are restored when they are deleted or changed', async () => {
    const server = serve();
    await define(server, 'v1');
    await server.settled();
    const services = servicesOf(server);
    const { metadata } = await services.get('v1.example.com');
    await services.delete('v1.example.com');
    await server.settled();
    const again = await services.get('v1.example.com');
    expect(again.metadata.uid).not.toBe(metadata.uid);
    const service = { namespace: 'default', name: 'elsewhere' };
    await services.patch('v1.example.com', { spec: { service, caBundle: null } }, { type: 'merge' });
    await server.settled();
    expect((await services.get('v1.example.com')).spec?.service).toBeUndefined();
  });

  it('belong to whoever registered them first', async () => {
    const server = serve();
    const service = { namespace: 'default', name: 'elsewhere' };
    await servicesOf(server).create({
      metadata: { name: 'v1.example.com' },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, service },
    });
    await define(server, 'v1');
    await server.settled();
    expect((await servicesOf(server).get('v1.example.com')).spec?.service?.name).toBe('elsewhere');
  });
});
