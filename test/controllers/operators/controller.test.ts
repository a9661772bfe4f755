import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  changes,
  condition,
  createController,
  FinalError,
  intent,
  view,
  watched,
} from '../../../src/entries/controllers.js';
import { ConfigMap, Namespace, Secret } from '../../../src/entries/kinds.js';
import type { Client } from '../../../src/entries/client.js';
import type { TestServer } from '../../../src/entries/testing.js';
import { PLACES, type Reached } from '../../client/backends/places.js';
import { Backup } from './backup.js';

const places = PLACES.filter(({ name }) => ['in the process', 'over http'].includes(name));

test('the places under test exist', () => expect(places.map(({ name }) => name)).toHaveLength(2));

describe.each(places)('a controller $name', (place) => {
  let reached: Reached;
  let server: TestServer;
  let client: Client;

  beforeEach(async () => {
    reached = await place.start('kubernetes', { resources: [Backup] });
    server = reached.test;
    client = await reached.client(place.isInProcess ? {} : { clock: server.clock });
  });
  afterEach(() => reached.close());

  const backups = () => server.client.resource(Backup).namespace('default');
  const create = (name: string, spec = { secret: 's' }) => backups().create({ metadata: { name }, spec });
  const maps = () => server.client.resource(ConfigMap).namespace('default');
  const mapNames = async () =>
    (await maps().list()).items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');

  test('applies what it owns with its reference and its manager, and restores it', async () => {
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      reconcile: async ({ metadata, spec }, { apply }) =>
        void (await apply(ConfigMap, {
          metadata: { name: `${metadata.name}-settings` },
          data: { secret: spec.secret },
        })),
    });
    const running = await server.run(controller, { client });
    const made = await create('a');
    await server.settled();
    const map = await maps().get('a-settings');
    expect(map.data).toEqual({ secret: 's' });
    expect(map.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'backup.example/v1',
        kind: 'Backup',
        name: 'a',
        uid: made.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(map.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['backup', 'Apply'],
    ]);
    await maps().delete('a-settings');
    await server.settled();
    expect((await maps().get('a-settings')).data).toEqual({ secret: 's' });
    await maps().patch('a-settings', { data: { secret: 'other' } });
    await server.settled();
    expect((await maps().get('a-settings')).data).toEqual({ secret: 's' });
    expect(running.errors).toEqual([]);
  });

  test('deletes what is no longer wanted, and nothing of others', async () => {
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      reconcile: ({ metadata, spec }, { applyExactly }) =>
        applyExactly(
          Array.from({ length: spec.copies }, (_, copy) =>
            intent(ConfigMap, { metadata: { name: `${metadata.name}-${copy}` }, data: { copy: String(copy) } }),
          ),
        ),
    });
    await server.run(controller, { client });
    await maps().create({ metadata: { name: 'foreign' } });
    await backups().create({ metadata: { name: 'a' }, spec: { secret: 's', copies: 3 } });
    await server.settled();
    expect(await mapNames()).toEqual(['a-0', 'a-1', 'a-2', 'foreign']);
    await backups().patch('a', { spec: { copies: 1 } });
    await server.settled();
    expect(await mapNames()).toEqual(['a-0', 'foreign']);
  });

  test('states conditions whose transition times stay, and runs for none of its own writes', async () => {
    const controller = createController({
      kind: Backup,
      watches: [
        watched(Secret, {
          map: ({ metadata }, cached) => cached(Backup).find('secret', `${metadata.namespace}/${metadata.name}`),
        }),
      ],
      indexes: { secret: ({ metadata, spec }) => [`${metadata.namespace}/${spec.secret}`] },
      async reconcile({ metadata, spec }, { cached, setStatus }) {
        const found = cached(Secret).get(`${metadata.namespace}/${spec.secret}`) !== undefined;
        await setStatus(
          { phase: found ? 'Ready' : 'Waiting' },
          condition('Ready', found, found ? 'Found' : 'NoSecret'),
        );
      },
    });
    const running = await server.run(controller, { client });
    await create('a');
    await server.settled();
    const startedAt = (await backups().get('a')).status?.conditions?.[0]?.lastTransitionTime;
    expect((await backups().get('a')).status).toMatchObject({
      phase: 'Waiting',
      conditions: [{ type: 'Ready', status: 'False', reason: 'NoSecret', observedGeneration: 1 }],
    });
    expect(running.runsOf('default/a')).toHaveLength(1);
    await server.advance('1m');
    await backups().patch('a', { spec: { copies: 2 } });
    await server.settled();
    expect((await backups().get('a')).status?.conditions).toMatchObject([
      { status: 'False', lastTransitionTime: startedAt, observedGeneration: 2 },
    ]);
    expect(running.runsOf('default/a')).toHaveLength(2);
    await server.client
      .resource(Secret)
      .namespace('default')
      .create({ metadata: { name: 's' } });
    await server.settled();
    const [ready] = (await backups().get('a')).status?.conditions ?? [];
    expect(ready).toMatchObject({ status: 'True', reason: 'Found' });
    expect(ready?.lastTransitionTime).not.toBe(startedAt);
    expect(running.runsOf('default/a')).toHaveLength(3);
    expect(running.errors).toEqual([]);
  });

  test('adds its finalizer before the first run, and removes it after the last', async () => {
    const seen: string[] = [];
    let isReachable = false;
    const controller = createController({
      kind: Backup,
      reconcile: async ({ metadata }) => {
        seen.push(`made with ${(await backups().get(metadata.name ?? '')).metadata.finalizers?.join()}`);
      },
      finalize({ metadata }) {
        if (!isReachable) throw new Error('the bucket is not reachable');
        seen.push(`deleted ${metadata.name}`);
      },
    });
    const running = await server.run(controller, { client });
    await backups().create({ metadata: { name: 'a', finalizers: ['other.example/kept'] }, spec: { secret: 's' } });
    await server.settled();
    expect(seen).toEqual(['made with other.example/kept,backup.example/backup']);
    await backups().delete('a');
    await server.settled();
    expect(running.errors.map(({ controller: name, key }) => [name, key])).toContainEqual(['backup', 'default/a']);
    expect((await backups().get('a')).metadata.finalizers).toEqual(['other.example/kept', 'backup.example/backup']);
    isReachable = true;
    await server.advance('1m');
    expect((await backups().get('a')).metadata.finalizers).toEqual(['other.example/kept']);
    expect(seen).toEqual(['made with other.example/kept,backup.example/backup', 'deleted a']);
    await backups().patch('a', { metadata: { finalizers: null } });
    await server.settled();
    expect(seen).toHaveLength(2);
  });

  test('repeats a run that throws after growing pauses, which its own writes do not shorten', async () => {
    const attempts: number[] = [];
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      backoff: { first: '1s', most: '4s' },
      async reconcile({ metadata }, { attempt, apply, setStatus }) {
        attempts.push(attempt);
        await setStatus({ runs: attempts.length });
        await apply(ConfigMap, { metadata: { name: metadata.name ?? '' }, data: { run: String(attempts.length) } });
        if (metadata.name === 'bad') throw new Error('no');
      },
    });
    const running = await server.run(controller, { client });
    await create('bad');
    await server.settled();
    const counts = [attempts.length];
    for (let second = 1; second <= 11; second += 1) {
      await server.advance('1s');
      counts.push(attempts.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5]);
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(running.errors.map(({ attempt, key }) => [attempt, key]).slice(0, 2)).toEqual([
      [1, 'default/bad'],
      [2, 'default/bad'],
    ]);
    await backups().patch('bad', { spec: { copies: 2 } });
    await server.settled();
    expect(attempts).toHaveLength(6);
  });

  test('does not repeat a run that failed for good before its object changes', async () => {
    const controller = createController({
      kind: Backup,
      reconcile() {
        throw new FinalError('the schedule makes no sense');
      },
    });
    const running = await server.run(controller, { client });
    await create('a');
    await server.advance('1h');
    expect(running.runsOf('default/a')).toHaveLength(1);
    await backups().patch('a', { spec: { copies: 2 } });
    await server.advance('1h');
    expect(running.runsOf('default/a')).toHaveLength(2);
  });

  test('runs again at the earliest time that a run asks for', async () => {
    const times: number[] = [];
    const controller = createController({
      kind: Backup,
      reconcile(_backup, { clock, requeueAfter }) {
        times.push(clock.now());
        requeueAfter('10m');
        requeueAfter('5m');
      },
    });
    await server.run(controller, { client });
    await create('a');
    await server.advance('16m');
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 300_000, 600_000, 900_000]);
  });

  test('aborts a run that hangs, and runs other objects while it goes on', async () => {
    const reasons: unknown[] = [];
    let release = (): void => undefined;
    const finished: string[] = [];
    const controller = createController({
      kind: Backup,
      timeout: '1m',
      async reconcile({ metadata }, { signal }) {
        if (metadata.name === 'hangs' && reasons.length === 0)
          await new Promise<void>((resolve) => {
            release = resolve;
            signal.addEventListener('abort', () => reasons.push(signal.reason));
          });
        finished.push(metadata.name ?? '');
      },
    });
    const running = await server.run(controller, { client });
    await create('hangs');
    await create('b');
    await server.clock.advance('59s');
    expect(reasons).toEqual([]);
    await server.clock.advance('1s');
    expect(reasons).toMatchObject([{ name: 'ReconcileTimeoutError' }]);
    expect(finished).toEqual([]);
    await server.advance('10s');
    expect(finished).toEqual(['b']);
    expect(running.errors).toMatchObject([{ key: 'default/hangs', error: { name: 'ReconcileTimeoutError' } }]);
    await server.advance('1h');
    expect(finished).toEqual(['b']);
    release();
    await server.settled();
    expect(finished).toEqual(['b', 'hangs', 'hangs']);
  });

  test('runs for the changes that its predicate names', async () => {
    const controller = createController({ kind: Backup, runsOn: changes.labels, reconcile: () => undefined });
    const running = await server.run(controller, { client });
    await create('a');
    await backups().patch('a', { spec: { copies: 2 } });
    await server.settled();
    expect(running.runs).toHaveLength(1);
    await backups().patch('a', { metadata: { labels: { tier: 'gold' } } });
    await server.settled();
    expect(running.runs).toHaveLength(2);
  });

  test('reads only what a view selects', async () => {
    const Gold = view(Backup, { labelSelector: 'tier=gold' });
    const seen: string[] = [];
    const controller = createController({
      kind: Gold,
      reconcile: ({ metadata }, { cached }) => void seen.push(`${metadata.name} of ${cached(Gold).keys().join()}`),
    });
    await server.run(controller, { client });
    await create('a');
    await backups().create({ metadata: { name: 'b', labels: { tier: 'gold' } }, spec: { secret: 's' } });
    await server.settled();
    expect(seen).toEqual(['b of default/b']);
  });

  test('shows what a run writes in its caches immediately, and what others write when it is delivered', async () => {
    const seen: unknown[] = [];
    const named = (objects: Iterable<{ metadata: { name?: string | undefined } }>): string =>
      Array.from(objects, ({ metadata }) => metadata.name)
        .sort()
        .join();
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      indexes: { phase: ({ status }) => [status?.phase ?? ''] },
      async reconcile(
        { metadata: { name = '', namespace = '' } },
        { cached, owned, apply, client: own, setStatus, key },
      ) {
        // Its own deletion runs it again.
        if (seen.length > 0) return;
        const ownMaps = cached(ConfigMap);
        const writer = own.resource(ConfigMap).namespace(namespace);
        const look = (): void =>
          void seen.push([named(owned(ConfigMap)), ownMaps.get('default/one')?.data, ownMaps.get('default/two')?.data]);
        look();
        await apply(ConfigMap, { metadata: { name: 'one' }, data: { value: 'first' } });
        look();
        await writer.patch('one', { data: { value: 'second' } });
        await apply(ConfigMap, { metadata: { name: 'two' }, data: { value: 'first' } });
        await maps().create({ metadata: { name: 'foreign' } });
        look();
        await writer.delete('one');
        await writer.create({ metadata: { name: 'dry' } }, { dryRun: true });
        look();
        seen.push(ownMaps.keys().filter((other) => other.startsWith('default/') && !other.includes('root')));
        await setStatus({ phase: 'Done' });
        seen.push([cached(Backup).get(key)?.status, named(cached(Backup).find('phase', 'Done')), name]);
      },
    });
    const running = await server.run(controller, { client });
    await create('a');
    await server.settled();
    expect(seen.slice(0, 4)).toEqual([
      ['', undefined, undefined],
      ['one', { value: 'first' }, undefined],
      ['one,two', { value: 'second' }, { value: 'first' }],
      ['two', undefined, { value: 'first' }],
    ]);
    expect(seen[4]).not.toContain('default/dry');
    expect(seen[4]).toContain('default/two');
    expect(seen[5]).toEqual([{ phase: 'Done' }, 'a', 'a']);
    expect(running.errors).toEqual([]);
  });

  test('has caches without foreign managers, which nobody can change in a test', async () => {
    const managers: unknown[] = [];
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      async reconcile({ metadata: { managedFields } }, { apply, cached, key, owned }) {
        await apply(ConfigMap, { metadata: { name: 'child' } });
        managers.push(managedFields, owned(ConfigMap)[0]?.metadata.managedFields?.[0]?.manager);
        expect(() => cached(Secret)).toThrow(TypeError);
        const object = cached(Backup).get(key);
        if (object !== undefined) object.spec.copies = 7;
      },
    });
    const running = await server.run(controller, { client });
    await create('a');
    await server.settled();
    expect(managers.slice(0, 2)).toEqual([undefined, 'backup']);
    expect(running.errors[0]).toMatchObject({ key: 'default/a', error: { name: 'TypeError' } });
    expect(String(running.errors[0]?.error)).toContain("read only property 'copies'");
    expect((await backups().get('a')).spec.copies).toBe(1);
  });

  test('counts events that repeat in one object', async () => {
    const controller = createController({
      kind: Backup,
      reconcile: (_backup, { event }) => event('Warning', 'NoSecret', 'the secret is missing'),
    });
    await server.run(controller, { client });
    await create('a');
    await server.settled();
    await backups().patch('a', { spec: { copies: 2 } });
    await server.settled();
    const ours = server.events({ reason: 'NoSecret' });
    expect(ours.at(-1)).toMatchObject({ type: 'Warning', count: 2 });
  });

  test('refuses what its object cannot own before it writes anything', async () => {
    await server.client.resource(Namespace).create({ metadata: { name: 'other' } });
    const refusals: unknown[] = [];
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      async reconcile(_backup, { apply, applyExactly }) {
        await apply(ConfigMap, { metadata: { name: 'a', namespace: 'other' } }).catch((error: unknown) =>
          refusals.push(error),
        );
        await apply(ConfigMap, { metadata: { generateName: 'a-' } }).catch((error: unknown) => refusals.push(error));
        await applyExactly([
          intent(ConfigMap, { metadata: { name: 'fine' } }),
          intent(Secret, { metadata: { name: 'not-owned' } }),
        ]).catch((error: unknown) => refusals.push(error));
      },
    });
    await server.run(controller, { client });
    await create('a');
    await server.settled();
    expect(refusals.map((error) => error instanceof TypeError)).toEqual([true, true, true]);
    expect(await mapNames()).toEqual([]);
  });
});
