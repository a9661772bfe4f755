/** `migrate`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.js';
import { createManualClock } from '../../src/testing/time/manual-clock.js';
import { startTestServer } from '../../src/entries/testing.js';
import { widgetDefinition } from '../kinds/custom/definitions.js';
import { DATA_FOLDER } from '../support/data-folder.js';
import { createFakeHost } from './fake-host.js';
import { command, contentIn, makeStore, openStoreIn } from './stores.js';

let directory = '';
let store = '';
beforeEach(async () => {
  directory = await mkdtemp(join(DATA_FOLDER, 'cli-migrate-'));
  store = join(directory, 'data');
});
afterEach(() => rm(directory, { recursive: true }));

/** Makes a store with objects in v1 of a definition whose storage version is v1alpha1. */
async function makeOutdatedStore(count: number): Promise<void> {
  const definition = widgetDefinition();
  await using running = await startTestServer({ storage: () => openStoreIn(store), crds: [definition] });
  const { client } = running;
  const widgets = client.resource({ apiVersion: 'shop.example/v1', kind: 'Widget' }).namespace('default');
  for (let index = 0; index < count; index += 1)
    await widgets.create({ metadata: { name: `w${index}` }, spec: { color: 'red' } });
  const versions = definition.spec.versions.map((version) => ({ ...version, storage: version.name === 'v1alpha1' }));
  await client
    .resource({ apiVersion: definition.apiVersion, kind: definition.kind })
    .patch('widgets.shop.example', { spec: { versions } }, { type: 'merge' });
}

const migrate = (...flags: string[]) => command(['migrate', `--data-dir=${store}`, ...flags]);

describe('migrate', () => {
  it('reports, then rewrites, then has nothing left', async () => {
    await makeOutdatedStore(3);
    const before = await contentIn(store);
    expect(await migrate('--dry-run')).toEqual({
      code: 0,
      out: 'widgets.shop.example (v1alpha1): 3 objects, 3 to be rewritten; to be removed from storedVersions: v1\n',
      err: '',
    });
    expect(await contentIn(store)).toEqual(before);
    expect(await migrate()).toEqual({
      code: 0,
      out: 'widgets.shop.example (v1alpha1): 3 objects, 3 rewritten; removed from storedVersions: v1\n',
      err: '',
    });
    expect((await contentIn(store)).length).toBe(before.length);
    expect((await migrate()).out).toBe('widgets.shop.example (v1alpha1): 3 objects, 0 rewritten\n');
    await using server = new ApiServer({ storage: await openStoreIn(store), clock: createManualClock() });
    const widgets = server.client().resource({ apiVersion: 'shop.example/v1', kind: 'Widget' });
    expect((await widgets.list()).items).toHaveLength(3);
  });

  it('fails when an object cannot be migrated, and names it', async () => {
    await makeOutdatedStore(1);
    const storage = await openStoreIn(store);
    await storage.create(
      '/registry/shop.example/widgets/default/x',
      () => '{"kind":"X","apiVersion":"v9","metadata":{}}',
    );
    await storage.close();
    const { code, out } = await migrate();
    expect(code).toBe(1);
    expect(out).toBe(
      'widgets.shop.example (v1alpha1): 2 objects, 1 rewritten; 1 failed:\n' +
        '  /registry/shop.example/widgets/default/x: Internal error occurred: what is stored under ' +
        '/registry/shop.example/widgets/default/x cannot be read: no kind "X" is registered for version "v9"\n',
    );
  });

  it('has nothing to do without definitions', async () => {
    await makeStore(store, 2);
    const before = await contentIn(store);
    expect(await migrate()).toEqual({ code: 0, out: 'There are no custom resource definitions.\n', err: '' });
    expect(await contentIn(store)).toEqual(before);
  });

  it.each([
    [[], /there is no store in .*store\.db/],
    [['--storage=memory'], /only the server itself can access a store in memory|--data-dir is for/],
  ])('refuses %j', async (flags, message) => {
    const { code, err } = await migrate(...flags);
    expect(code).toBeGreaterThan(0);
    expect(err).toMatch(message);
  });

  it('refuses the store of another dialect', async () => {
    await makeStore(store, 0, 'kubernetes');
    const { code, err } = await migrate('--dialect=orch');
    expect(code).toBe(1);
    expect(err).toContain('is of the dialect kubernetes');
  });

  it('ends at a signal, and says that the rest remains', async () => {
    await makeOutdatedStore(300);
    const host = createFakeHost();
    const listening = host.onSignal.bind(host);
    // The signal arrives as soon as the command listens for it.
    const eager = Object.assign(host, {
      onSignal: (callback: (signal: string) => void) => {
        const forget = listening(callback);
        host.signal('SIGINT');
        return forget;
      },
    });
    const { code, err } = await command(['migrate', `--data-dir=${store}`], eager);
    expect(code).toBe(1);
    expect(err).toContain('ended by SIGINT; run the command again to migrate the rest');
    expect((await migrate()).code).toBe(0);
  });
});
