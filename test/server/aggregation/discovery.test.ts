/** The kinds of another server in the discovery of this one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { APIService } from '../../../src/entries/kinds.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { listen } from '../../../src/transport/node/index.js';
import { Kubectl, rowsOf, toolMinor } from '../../conformance/kubectl/kubectl.js';
import { ask, jsonOf, received, textOf } from '../ask.js';
import { API_SERVICE, GROUP, World } from './world.js';
import { PATIENCE } from '../../support/patience.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

type Paths = Readonly<Record<string, { readonly serverRelativeURL: string }>>;

interface Group {
  readonly metadata: { readonly name: string };
  readonly versions: readonly {
    readonly version: string;
    readonly freshness: string;
    readonly resources: readonly { readonly resource: string }[];
  }[];
}

const groupsOf = async ({ main }: World): Promise<readonly Group[]> =>
  jsonOf(await ask(main, 'GET', '/apis', { headers: { accept: AGGREGATED } }))['items'] as readonly Group[];

/** The versions of the group: their freshness and the names of their resources. */
async function versionsOf(world: World): Promise<unknown> {
  const group = (await groupsOf(world)).find(({ metadata }) => metadata.name === GROUP);
  return group?.versions.map(({ version, freshness, resources }) => [
    version,
    freshness,
    ...resources.map(({ resource }) => resource),
  ]);
}

describe('the discovery of a server', () => {
  let world: World;
  let clock: ManualClock;
  beforeAll(async () => {
    clock = createManualClock(Date.now());
    world = await World.start({ server: { clock } });
    await world.register({ groupPriorityMinimum: 17_790 });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('has the kinds of another server, in the order of priorities', async () => {
    await vi.waitFor(async () => expect(await versionsOf(world)).toEqual([['v1', 'Current', 'ferries']]), PATIENCE);
    const names = (await groupsOf(world)).map(({ metadata }) => metadata.name);
    const at = names.indexOf(GROUP);
    expect(names.slice(at - 1, at + 2)).toEqual(['apps', GROUP, 'events.k8s.io']);
  });

  test('lists the group for older clients', async () => {
    const { groups } = jsonOf(await ask(world.main, 'GET', '/apis')) as { groups: { name: string }[] };
    const entry = {
      name: GROUP,
      versions: [{ groupVersion: `${GROUP}/v1`, version: 'v1' }],
      preferredVersion: { groupVersion: `${GROUP}/v1`, version: 'v1' },
    };
    expect(groups.find(({ name }) => name === GROUP)).toEqual(entry);
    expect(jsonOf(await ask(world.main, 'GET', `/apis/${GROUP}`))).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...entry,
    });
    expect(jsonOf(await ask(world.main, 'GET', '/'))['paths']).toContain(`/apis/${GROUP}/v1`);
  });

  test('passes the OpenAPI document of the other server on', async () => {
    const path = `apis/${GROUP}/v1`;
    const urlOf = async (): Promise<string> => {
      const { paths } = jsonOf(await ask(world.main, 'GET', '/openapi/v3')) as { paths: Paths };
      expect(Object.keys(paths)).toContain('apis/apps/v1');
      return paths[path]?.serverRelativeURL ?? '';
    };
    await vi.waitFor(
      async () => expect(await urlOf()).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{64}$`)),
      PATIENCE,
    );
    const read = async (url: string) => received(await ask(world.main, 'GET', url));
    const document = await read(await urlOf());
    expect([document.status, textOf(document)]).toEqual([200, expect.stringContaining('"kind":"Ferry"')]);
    const outdated = await read(`/openapi/v3/${path}?hash=0`);
    // The other server redirects it to the URL of its document, which Kubernetes does not pass on.
    expect([outdated.status, textOf(outdated)]).toEqual([
      502,
      'the backend attempted to redirect this request, which is not permitted',
    ]);
  });

  test.skipIf(toolMinor === undefined)('is what command-line tools go by', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'aggregation-'));
    const listener = await listen(world.main, { tls: 'generated' });
    const kubeconfig = join(directory, 'config');
    await writeFile(kubeconfig, listener.kubeConfig());
    const kubectl = new Kubectl({ directory, kubeconfig });
    const input = `{"apiVersion":"${GROUP}/v1","kind":"Ferry","metadata":{"name":"one"},"spec":{"seats":5}}`;
    expect(await kubectl.ok('create -f -', { input })).toBe(`ferry.${GROUP}/one created\n`);
    expect(await kubectl.ok('get ferries -o name')).toBe(`ferry.${GROUP}/one\n`);
    expect(rowsOf(await kubectl.ok(`api-resources --api-group=${GROUP}`))).toEqual([
      ['ferries', `${GROUP}/v1`, 'true', 'Ferry'],
    ]);
    expect(await kubectl.ok(`get --raw /apis/${GROUP}/v1`)).toContain('"name":"ferries"');
    expect(await kubectl.ok('explain ferries.spec')).toContain('seats');
    expect(rowsOf(await kubectl.ok(`get apiservice ${API_SERVICE}`))[0]?.slice(0, 3)).toEqual([
      API_SERVICE,
      'default/ferries',
      'True',
    ]);
    await listener.close();
    await rm(directory, { recursive: true });
  });

  test('says that it may be old when the other server does not answer', async () => {
    await world.listener.close();
    await clock.advance(60_000);
    await vi.waitFor(async () => expect(await versionsOf(world)).toEqual([['v1', 'Stale', 'ferries']]), PATIENCE);
  });

  test('forgets the kinds with the APIService', async () => {
    await world.client.resource(APIService).delete(API_SERVICE);
    await vi.waitFor(async () => expect(await versionsOf(world)).toBeUndefined(), PATIENCE);
  });
});
