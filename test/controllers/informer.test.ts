import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListParameters, ObjectList, WatchEvent, WatchParameters } from '../../src/entries/client.js';
import {
  byNamespace,
  byOwner,
  byUid,
  Informer,
  objectKey,
  type InformerOptions,
  type InformerSource,
} from '../../src/entries/controllers.js';
import { SharedInformers } from '../../src/controllers/runtime/shared-informers.js';
import { errors } from '../../src/foundation/errors/api-error.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { harness, kit, ownedBy, type Harness } from './harness.js';

const QUIET = { disabled: ['namespace', 'garbage-collector', 'serviceaccount', 'root-ca-cert-publisher'] } as const;

type Map = ReturnType<Informer<Awaited<ReturnType<ReturnType<typeof kit>['map']>>>['get']> & object;

function informerOf(h: Harness, options: Partial<InformerOptions<Map>> = {}) {
  const informer = new Informer<Map>({
    source: h.client.resource(ConfigMap),
    clock: h.clock,
    indexes: { byUid, byOwner, byNamespace },
    ...options,
  });
  const log: string[] = [];
  informer.subscribe({
    added: ({ metadata }) => log.push(`+${metadata.name}`),
    updated: ({ metadata }, old) => log.push(`~${metadata.name} ${old.data?.['k'] ?? ''}`),
    deleted: ({ metadata }) => log.push(`-${metadata.name}`),
  });
  informer.start();
  return { informer, log };
}

const keysOf = (informer: Informer<Map>) => [...informer.values()].map(objectKey).sort();

/** A source whose lists and watches a test answers by hand. */
class ScriptedSource implements InformerSource<Map> {
  readonly lists: ListParameters[] = [];
  readonly watches: WatchParameters[] = [];

  constructor(
    private readonly onList: (call: number) => ObjectList<Map>,
    private readonly onWatch: (call: number) => readonly WatchEvent<Map>[] | 'hang',
  ) {}

  async list(parameters: ListParameters): Promise<ObjectList<Map>> {
    this.lists.push(parameters);
    return this.onList(this.lists.length - 1);
  }

  async *watch(parameters: WatchParameters): AsyncGenerator<WatchEvent<Map>> {
    this.watches.push(parameters);
    const events = this.onWatch(this.watches.length - 1);
    if (events === 'hang') await new Promise((resolve) => parameters.signal?.addEventListener('abort', resolve));
    else yield* events;
  }
}

const item = (name: string, resourceVersion: string, uid = name): Map => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid, resourceVersion },
});
const page = (resourceVersion: string, items: Map[]): ObjectList<Map> => ({
  apiVersion: 'v1',
  kind: 'ConfigMapList',
  metadata: { resourceVersion },
  items,
});
// Turns of the event loop, since long work shares them.
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('an informer of a server', () => {
  test('reports existing objects, then changes, and finds objects by its indexes', async () => {
    await using h = harness(QUIET);
    const { map, maps } = kit(h.client);
    const a = await map('a');
    const { informer, log } = informerOf(h);
    await informer.synced();
    await map('b', { ownerReferences: [ownedBy(a)] });
    await maps.update({ ...a, data: { k: 'v' } });
    await informer.caughtUp();
    expect(informer.get('default/a')?.data).toEqual({ k: 'v' });
    expect(informer.find('byOwner', a.metadata.uid ?? '').map(objectKey)).toEqual(['default/b']);
    expect(informer.find('byUid', a.metadata.uid ?? '').map(objectKey)).toEqual(['default/a']);
    await maps.delete('b');
    await informer.caughtUp();
    expect(log).toEqual(['+a', '+b', '~a ', '-b']);
    expect(informer.find('byOwner', a.metadata.uid ?? '')).toEqual([]);
    expect(informer.find('byNamespace', 'default')).toHaveLength(1);
    expect(() => informer.find('colour', 'x')).toThrow(TypeError);
    await informer.stop();
  });

  test('follows selectors, and lists page by page', async () => {
    await using h = harness(QUIET);
    const { map, maps } = kit(h.client);
    for (let index = 0; index < 7; index += 1) await map(`m${index}`, { labels: { odd: String(index % 2) } });
    const { informer } = informerOf(h, { labelSelector: 'odd=1', pageSize: 2 });
    await informer.synced();
    expect(keysOf(informer)).toEqual(['default/m1', 'default/m3', 'default/m5']);
    const m1 = await maps.get('m1');
    await maps.update({ ...m1, metadata: { ...m1.metadata, labels: {} } });
    await informer.caughtUp();
    expect(keysOf(informer)).toEqual(['default/m3', 'default/m5']);
    await informer.stop();
  });

  test('resumes a watch that ended, and lists again if the history is gone', async () => {
    await using h = harness(QUIET, { limits: { watchHistory: 1000 } });
    const { map, maps } = kit(h.client);
    const client = h.client.resource(ConfigMap);
    let cut: AbortController | undefined;
    let lists = 0;
    const source: InformerSource<Map> = {
      list: (parameters) => ((lists += 1), client.list(parameters)),
      watch: (parameters) =>
        client.watch({
          ...parameters,
          signal: AbortSignal.any([
            (cut = new AbortController()).signal,
            ...(parameters.signal ? [parameters.signal] : []),
          ]),
        }),
    };
    const { informer, log } = informerOf(h, { source });
    await map('a');
    await informer.synced();
    await informer.caughtUp();
    const before = lists;
    cut?.abort();
    await map('b');
    await turns();
    expect(log).toEqual(['+a', '+b']);
    expect(lists).toBe(before);
    cut?.abort();
    await maps.delete('a');
    await map('c');
    h.clock.jump(60_000);
    await map('d');
    await informer.caughtUp();
    expect(keysOf(informer)).toEqual(['default/b', 'default/c', 'default/d']);
    await informer.stop();
  });

  test("after any writes, shows the server's state once it has caught up", async () => {
    const write = fc.tuple(fc.constantFrom('create', 'update', 'delete', 'catch up'), fc.nat(5));
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 30 }), async (writes) => {
        await using h = harness(QUIET);
        const { map, maps } = kit(h.client);
        const { informer } = informerOf(h, { pageSize: 2 });
        for (const [verb, index] of writes) {
          const name = `m${index}`;
          if (verb === 'catch up') await informer.caughtUp();
          else
            await {
              create: () => map(name),
              update: () => maps.update({ metadata: { name }, data: { k: String(Math.sign(index)) } }),
              delete: () => maps.delete(name),
            }
              [verb]()
              .catch(() => undefined);
        }
        await informer.caughtUp();
        const versions = (objects: Iterable<Map>) =>
          [...objects].map((object) => `${objectKey(object)} ${object.metadata.resourceVersion}`).sort();
        expect(versions(informer.values())).toEqual(versions((await h.client.resource(ConfigMap).list()).items));
        await informer.stop();
      }),
      { numRuns: 40 },
    );
  });

  test('ends the watch and every wait on stop', async () => {
    await using h = harness(QUIET);
    const { map } = kit(h.client);
    const { informer, log } = informerOf(h);
    await informer.synced();
    await informer.stop();
    await map('a');
    await informer.caughtUp();
    expect(log).toEqual([]);
  });
});

describe('an informer of a source', () => {
  const start = (source: ScriptedSource, h: Harness) => {
    const failures: unknown[] = [];
    return { ...informerOf(h, { source, onError: (error) => failures.push(error) }), failures };
  };

  test('lists again after an ERROR of 410, and reports missed changes', async () => {
    await using h = harness(QUIET);
    const source = new ScriptedSource(
      (call) =>
        call === 0
          ? page('5', [item('a', '2'), item('b', '3'), item('c', '4')])
          : page('9', [item('a', '2'), item('b', '8'), item('c', '7', 'another')]),
      (call) =>
        call === 0 ? [{ type: 'ERROR', object: errors.expired('too old resource version: 5 (8)').status }] : 'hang',
    );
    const { informer, log, failures } = start(source, h);
    await informer.synced();
    await turns();
    expect(log).toEqual(['+a', '+b', '+c', '~b ', '-c', '+c']);
    expect(source.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(['5', '9']);
    expect(failures).toEqual([]);
    await informer.stop();
  });

  test('resumes an ended watch after the last event or bookmark', async () => {
    await using h = harness(QUIET);
    const source = new ScriptedSource(
      () => page('5', []),
      (call) => {
        if (call === 0) return [{ type: 'ADDED', object: item('a', '6') }];
        return call === 1 ? [{ type: 'BOOKMARK', object: item('', '20') }] : 'hang';
      },
    );
    const { informer } = start(source, h);
    await informer.synced();
    await turns();
    expect(source.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(['5', '6', '20']);
    expect(source.lists).toHaveLength(1);
    await informer.stop();
  });

  test('reports failures, with growing pauses between attempts', async () => {
    await using h = harness(QUIET);
    const source = new ScriptedSource(
      () => {
        throw errors.serviceUnavailable('not now');
      },
      () => 'hang',
    );
    const { informer, failures } = start(source, h);
    await turns();
    expect(source.lists).toHaveLength(2);
    h.clock.advance(800);
    await turns();
    expect(source.lists).toHaveLength(3);
    h.clock.advance(800);
    await turns();
    expect(source.lists).toHaveLength(3);
    h.clock.advance(800);
    await turns();
    expect(source.lists).toHaveLength(4);
    expect(failures).toHaveLength(4);
    await informer.stop();
  });

  test('tells how long its source has said nothing', async () => {
    await using h = harness(QUIET);
    const source = new ScriptedSource(
      () => page('5', []),
      (call) => (call === 0 ? [{ type: 'BOOKMARK', object: item('', '20') }] : 'hang'),
    );
    const { informer } = start(source, h);
    await informer.synced();
    await turns();
    h.clock.advance(70_000);
    expect(informer.staleMs).toBe(70_000);
    await informer.stop();
  });

  test('continues with the other handlers if one throws', async () => {
    await using h = harness(QUIET);
    const { informer, log, failures } = start(
      new ScriptedSource(
        () => page('5', [item('a', '2')]),
        () => 'hang',
      ),
      h,
    );
    informer.subscribe({
      added: () => {
        throw new Error('bad handler');
      },
    });
    const later: string[] = [];
    informer.subscribe({ added: ({ metadata }) => later.push(metadata.name ?? '') });
    await informer.synced();
    expect([log, later, failures.map(String)]).toEqual([['+a'], ['a'], ['Error: bad handler']]);
    await informer.stop();
  });
});

describe('an index that is added later', () => {
  test('has the objects of the cache and those that follow', async () => {
    await using h = harness(QUIET);
    const { map, maps } = kit(h.client);
    await map('a', { labels: { tier: 'x' } });
    const { informer } = informerOf(h);
    await informer.synced();
    const byTier = ({ metadata }: Map) => (metadata.labels?.['tier'] === undefined ? [] : [metadata.labels['tier']]);
    informer.addIndex('tier', byTier);
    expect(informer.find('tier', 'x').map(objectKey)).toEqual(['default/a']);
    await map('b', { labels: { tier: 'x' } });
    await maps.delete('a');
    await informer.caughtUp();
    expect(informer.find('tier', 'x').map(objectKey)).toEqual(['default/b']);
    informer.addIndex('tier', byTier);
    expect(() => informer.addIndex('tier', () => [])).toThrow('the informer has another index "tier"');
    await informer.stop();
  });

  test('is not added when its function throws', async () => {
    await using h = harness(QUIET);
    await kit(h.client).map('a');
    const { informer } = informerOf(h);
    await informer.synced();
    const failing = (): never => {
      throw new Error('no value');
    };
    expect(() => informer.addIndex('failing', failing)).toThrow('no value');
    expect(() => informer.find('failing', 'x')).toThrow('the informer has no index "failing"');
    await informer.stop();
  });
});

test('controllers share one informer for each kind', async () => {
  await using h = harness(QUIET);
  const shared = new SharedInformers({ client: h.client, clock: h.clock, onError: () => undefined });
  expect(shared.of(ConfigMap)).toBe(shared.of(ConfigMap));
  shared.of(ConfigMap).start();
  await kit(h.client).map('a');
  await shared.of(ConfigMap).caughtUp();
  expect(shared.of(ConfigMap).get('default/a')?.metadata.name).toBe('a');
  await shared.of(ConfigMap).stop();
});
