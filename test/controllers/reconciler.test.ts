import { describe, expect, onTestFinished, test } from 'vitest';
import { AsyncGate } from '../../src/controllers/runtime/async-gate.js';
import { joined, runController, stopController, type Controller } from '../../src/controllers/runtime/controller.js';
import { FinalError, isNotFound, retryingConflicts } from '../../src/controllers/runtime/failures.js';
import type { InformedObject } from '../../src/controllers/runtime/informer-cache.js';
import { keyedReconciler } from '../../src/controllers/runtime/keyed-reconciler.js';
import type { Run } from '../../src/controllers/runtime/keyed-runner.js';
import { owned } from '../../src/controllers/runtime/owned.js';
import type { SelectorOf } from '../../src/controllers/runtime/owner-selectors.js';
import { reconciler, type ReconcilerOptions } from '../../src/controllers/runtime/reconciler.js';
import { routine, runs } from '../../src/controllers/runtime/routine.js';
import { settle } from '../../src/controllers/runtime/settle.js';
import { SharedInformers } from '../../src/controllers/runtime/shared-informers.js';
import { view, type KindLike } from '../../src/controllers/runtime/sources.js';
import { UnseenWrites } from '../../src/controllers/runtime/unseen-writes.js';
import { watched } from '../../src/controllers/runtime/watch.js';
import type { Client, WatchEvent } from '../../src/entries/client.js';
import type { InformerSource } from '../../src/entries/controllers.js';
import { errors } from '../../src/foundation/errors/api-error.js';
import type { ObjectMeta } from '../../src/foundation/objects/object.js';
import { LabelSelector } from '../../src/machinery/selectors/labels.js';
import { ManualClock } from '../storage/manual-clock.js';
import { sources, textOf } from '../package/project.js';

interface Thing extends InformedObject {
  readonly metadata: ObjectMeta;
  readonly wants?: Readonly<Record<string, string>>;
}

const Things = { apiVersion: 'v1', kind: 'Thing' };
const Children = { apiVersion: 'v1', kind: 'Child' };

/** A collection whose changes a test makes by hand. Its watch delivers them in the order of their making. */
class Collection implements InformerSource<Thing> {
  readonly #objects = new Map<string, Thing>();
  readonly #events: WatchEvent<Thing>[] = [];
  #revision = 0;
  #wake: () => void = () => undefined;
  /** Whether the watch delivers changes. */
  #isOpen = true;

  constructor(...things: readonly Thing[]) {
    for (const thing of things) this.put(thing);
  }

  put(thing: Thing): Thing {
    const name = thing.metadata.name ?? '';
    this.#revision += 1;
    const stored = { ...thing, metadata: { uid: name, ...thing.metadata, resourceVersion: String(this.#revision) } };
    this.#emit({ type: this.#objects.has(name) ? 'MODIFIED' : 'ADDED', object: stored });
    this.#objects.set(name, stored);
    return stored;
  }

  remove(name: string): void {
    const thing = this.#objects.get(name);
    if (thing === undefined) return;
    this.#objects.delete(name);
    this.#revision += 1;
    this.#emit({
      type: 'DELETED',
      object: { ...thing, metadata: { ...thing.metadata, resourceVersion: String(this.#revision) } },
    });
  }

  hold(): void {
    this.#isOpen = false;
  }

  deliver(): void {
    this.#isOpen = true;
    this.#wake();
  }

  #emit(event: WatchEvent<Thing>): void {
    this.#events.push(event);
    this.#wake();
  }

  list() {
    return Promise.resolve({
      apiVersion: 'v1',
      kind: 'List',
      items: [...this.#objects.values()],
      metadata: { resourceVersion: String(this.#revision) },
    });
  }

  async *watch({
    resourceVersion,
    signal,
  }: {
    resourceVersion?: string | undefined;
    signal?: AbortSignal | undefined;
  }) {
    const stop = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    for (let next = Number(resourceVersion); signal?.aborted !== true;) {
      if (this.#isOpen && next < this.#events.length) yield this.#events[next++] as WatchEvent<Thing>;
      else await Promise.race([stop, new Promise<void>((resolve) => (this.#wake = resolve))]);
    }
  }
}

function world(...things: readonly Thing[]) {
  const clock = new ManualClock();
  const failures: { key: string | undefined; message: string }[] = [];
  const onError = (error: unknown, key?: string): void =>
    void failures.push({ key, message: (error as Error).message });
  const collection = new Collection(...things);
  const children = new Collection();
  const client = { resource: (kind: KindLike) => (kind.kind === 'Thing' ? collection : children) } as unknown as Client;
  const informers = new SharedInformers({ client, clock, onError });
  return {
    ...{ clock, failures, collection, children, host: { clock, onError, informers } },
    ...{ informer: informers.of(Things), childInformer: informers.of(Children) },
  };
}

/** Starts a controller, and returns what waits for its work. */
async function running(controller: Controller): Promise<() => Promise<void>> {
  onTestFinished(() => stopController(controller));
  await runController(controller);
  return () => settle([controller], () => false);
}

const thing = (name: string, metadata: ObjectMeta = {}, wants?: Thing['wants']): Thing => ({
  metadata: { name, ...metadata },
  ...(wants === undefined ? {} : { wants }),
});

/** A reconciler that notes its runs. */
function noting(w: ReturnType<typeof world>, options: Partial<ReconcilerOptions<typeof Things>> = {}) {
  const log: string[] = [];
  const controller = reconciler(w.host, {
    name: 'things',
    kind: Things,
    reconcile: async ({ metadata }, { key }) => void log.push(`${key}@${metadata.resourceVersion}`),
    ...options,
  });
  return { log, controller };
}

describe('a reconciler', () => {
  test('runs each object at its start, once its informers have listed, and then those that change', async () => {
    const w = world(thing('a'), thing('b'));
    const { log, controller } = noting(w);
    expect(controller.add('a')).toBe(true);
    expect(log).toEqual([]);
    const settled = await running(controller);
    await settled();
    expect(log).toEqual(['a@1', 'b@2']);
    w.collection.put(thing('b'));
    w.collection.remove('a');
    await settled();
    expect(log).toEqual(['a@1', 'b@2', 'b@3']);
  });

  test('runs only the changes that it asks for, or later', async () => {
    const w = world(thing('never'), thing('later'), thing('now'));
    const after: Record<string, boolean | number> = { never: Infinity, later: 1000, now: true };
    const seen: (string | undefined)[] = [];
    const { log, controller } = noting(w, {
      runsOn({ metadata }, old) {
        seen.push(old?.metadata.resourceVersion);
        return after[metadata.name ?? ''] ?? false;
      },
    });
    const settled = await running(controller);
    w.collection.put(thing('other'));
    w.collection.put(thing('other'));
    await settled();
    expect(log).toEqual(['now@3']);
    expect(seen).toEqual([undefined, undefined, undefined, undefined, '4']);
    w.clock.advance(999);
    await settled();
    expect(log).toEqual(['now@3']);
    w.clock.advance(1);
    await settled();
    expect(log).toEqual(['now@3', 'later@2']);
  });

  test('reports the error of a run with its key, repeats the run, and continues with the others', async () => {
    const w = world(thing('bad'), thing('good'));
    const log: string[] = [];
    const { controller } = noting(w, {
      async reconcile(_thing, { key }) {
        log.push(key);
        if (key === 'bad' && log.length < 4) throw new Error('broken');
      },
    });
    const settled = await running(controller);
    await settled();
    expect(log).toEqual(['bad', 'good']);
    expect(w.failures).toEqual([{ key: 'bad', message: 'broken' }]);
    w.clock.advance(5);
    await settled();
    expect(w.failures).toHaveLength(2);
    w.clock.advance(9);
    await settled();
    expect(log).toEqual(['bad', 'good', 'bad']);
    w.clock.advance(1);
    await settled();
    expect(log).toEqual(['bad', 'good', 'bad', 'bad']);
    expect(w.failures).toHaveLength(2);
  });

  test('repeats a run that meets a conflict without a report, and ends one whose object is gone', async () => {
    const w = world(thing('a'));
    const answers = [
      errors.conflict({ group: '', resource: 'things' }, 'a', 'changed'),
      errors.notFound({ group: '', resource: 'things' }, 'a'),
    ];
    let count = 0;
    const { controller } = noting(w, {
      reconcile: () => retryingConflicts(Promise.reject(answers[count++] ?? new Error('once more')), isNotFound),
    });
    const settled = await running(controller);
    await settled();
    w.clock.advance(5);
    await settled();
    w.clock.advance(3_600_000);
    await settled();
    expect([count, w.failures]).toEqual([2, []]);
  });

  test('never runs a key twice at a time, and once more after changes during its run', async () => {
    const w = world(thing('a'));
    const log: string[] = [];
    const began = new AsyncGate();
    const end = new AsyncGate();
    const { controller } = noting(w, {
      concurrency: 5,
      async reconcile({ metadata }) {
        log.push(`+${metadata.resourceVersion}`);
        const ended = end.wait();
        began.open();
        await ended;
        log.push('-');
      },
    });
    const settled = await running(controller);
    w.collection.put(thing('a'));
    w.collection.put(thing('a'));
    await w.informer.caughtUp();
    expect(log).toEqual(['+1']);
    const second = began.wait();
    end.open();
    await second;
    end.open();
    await settled();
    expect(log).toEqual(['+1', '-', '+3', '-']);
  });

  test('waits for the writes of its last run, and forgets them with the object', async () => {
    const w = world(thing('a'));
    const writes = new UnseenWrites();
    const { collection, informer } = w;
    const log: string[] = [];
    const { controller } = noting(w, {
      writes,
      async reconcile({ metadata }, { key }) {
        log.push(`${key}@${metadata.resourceVersion}`);
        if (log.length === 1) writes.written(key, informer, collection.put(thing('a')));
      },
    });
    collection.hold();
    onTestFinished(() => stopController(controller));
    await runController(controller);
    await Promise.all(controller.queues.map((queue) => queue.whenIdle()));
    controller.add('a');
    await Promise.all(controller.queues.map((queue) => queue.whenIdle()));
    expect(log).toEqual(['a@1']);
    collection.deliver();
    await settle([controller], () => false);
    expect(log).toEqual(['a@1', 'a@2']);
    writes.written('a', { revision: -1, get: () => undefined }, thing('a', { resourceVersion: '9' }));
    expect(writes.allSeen('a')).toBe(false);
    collection.remove('a');
    await settle([controller], () => false);
    expect(writes.allSeen('a')).toBe(true);
  });

  test('cleans up once after an object that is gone, or that needs no work any more', async () => {
    const w = world(thing('a'), thing('b'));
    const gone: string[] = [];
    const { log, controller } = noting(w, {
      isDone: ({ metadata }) => metadata.labels?.['done'] === 'yes',
      gone: (key) => void gone.push(key),
    });
    const settled = await running(controller);
    w.collection.remove('a');
    w.collection.put(thing('b', { labels: { done: 'yes' } }));
    await settled();
    expect(gone).toEqual(['a', 'b']);
    expect(log).not.toContain('b@4');
  });

  test('tells of a deletion even when another object has its name already, and runs others by it', async () => {
    const w = world(thing('a'), thing('b'));
    const deleted: (string | undefined)[] = [];
    const { log, controller } = noting(w, {
      deleted({ metadata }) {
        deleted.push(metadata.uid);
        return ['b'];
      },
    });
    const settled = await running(controller);
    await settled();
    w.collection.remove('a');
    w.collection.put(thing('a', { uid: 'second' }));
    await settled();
    expect(deleted).toEqual(['a']);
    expect(log.slice(2)).toEqual(['b@2', 'a@4']);
  });

  test('runs keys again that nobody reports, before it is settled', async () => {
    const w = world(thing('a'));
    let stale: string[] = [];
    const { log, controller } = noting(w, { recheck: () => stale });
    const settled = await running(controller);
    await settled();
    stale = ['a'];
    await settled();
    expect(log).toEqual(['a@1', 'a@1']);
  });

  test('aborts the signal of a run when it stops, and waits for the run', async () => {
    const w = world(thing('a'));
    let aborted: boolean | undefined;
    const gate = new AsyncGate();
    const begun = gate.wait();
    const { controller } = noting(w, {
      async reconcile(_thing, run: Run) {
        gate.open();
        await new Promise<void>((resolve) => run.signal.addEventListener('abort', () => resolve()));
        aborted = run.signal.aborted;
        run.requeueAfter(1);
      },
    });
    await runController(controller);
    await begun;
    await stopController(controller);
    expect(aborted).toBe(true);
    expect(w.clock.pending).toBe(0);
    expect(controller.add('a')).toBe(false);
  });
});

describe('a run that fails', () => {
  test('knows how many runs before it have failed', async () => {
    const w = world(thing('a'));
    const attempts: number[] = [];
    const { controller } = noting(w, {
      async reconcile(_thing, { attempt }) {
        attempts.push(attempt);
        if (attempts.length < 3) throw new Error('broken');
      },
    });
    const settled = await running(controller);
    for (const pause of [5, 10]) {
      await settled();
      w.clock.advance(pause);
    }
    await settled();
    w.collection.put(thing('a'));
    await settled();
    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  test('with a FinalError is reported, and is not repeated before the object changes', async () => {
    const w = world(thing('a'));
    const { log, controller } = noting(w, {
      async reconcile({ metadata }, { attempt }) {
        log.push(`${metadata.resourceVersion}, attempt ${attempt}`);
        throw new FinalError('for good');
      },
    });
    const settled = await running(controller);
    await settled();
    w.clock.advance(3_600_000);
    await settled();
    expect(log).toEqual(['1, attempt 1']);
    w.collection.put(thing('a'));
    await settled();
    expect(log).toEqual(['1, attempt 1', '2, attempt 1']);
    expect(w.failures).toEqual([
      { key: 'a', message: 'for good' },
      { key: 'a', message: 'for good' },
    ]);
  });

  test('keeps its growing pause when its key has waited for the writes of the run', async () => {
    const w = world(thing('a'));
    const writes = new UnseenWrites();
    const idle = (): Promise<unknown> => Promise.all(controller.queues.map((queue) => queue.whenIdle()));
    const { log, controller } = noting(w, {
      writes,
      async reconcile(_thing, { key, attempt }) {
        log.push(`attempt ${attempt}`);
        if (attempt === 1) writes.written(key, w.informer, w.collection.put(thing('a')));
        throw new Error('broken');
      },
    });
    w.collection.hold();
    const settled = await running(controller);
    await idle();
    w.clock.advance(5);
    await idle();
    expect(log).toEqual(['attempt 1']);
    w.collection.deliver();
    await settled();
    expect(log).toEqual(['attempt 1', 'attempt 2']);
    w.clock.advance(9);
    await settled();
    expect(log).toHaveLength(2);
    w.clock.advance(1);
    await settled();
    expect(log).toEqual(['attempt 1', 'attempt 2', 'attempt 3']);
  });
});

describe('the sources of a controller', () => {
  test('have one informer for all values that name the same objects', () => {
    const { informers } = world().host;
    const keep = <Item>(object: Item): Item => object;
    const labelled = view(Things, { labelSelector: 'app=a' });
    expect(informers.of({ ...Things })).toBe(informers.of(Things));
    expect(informers.of(view(Things, { labelSelector: 'app=a' }))).toBe(informers.of(labelled));
    expect(informers.of(view(Things, { labelSelector: 'app=a', keep }))).not.toBe(informers.of(labelled));
    expect(informers.of(view(Things, { labelSelector: 'app=b' }))).not.toBe(informers.of(labelled));
    expect(informers.of(labelled)).not.toBe(informers.of(Things));
  });

  test('cache the part of an object that a view keeps', async () => {
    const w = world(thing('a', { labels: { app: 'a' }, annotations: { long: 'text' } }));
    const kept = view(Things, {
      keep: ({ metadata: { annotations: _dropped, ...metadata }, ...rest }) => ({ ...rest, metadata }),
    });
    const seen: unknown[] = [];
    const controller = reconciler(w.host, {
      name: 'things',
      kind: kept,
      reconcile: async ({ metadata }) => void seen.push(metadata),
    });
    const settled = await running(controller);
    await settled();
    expect(seen).toEqual([{ name: 'a', uid: 'a', resourceVersion: '1', labels: { app: 'a' } }]);
  });

  test('are read by the caches of the controller, by its own indexes, and by nothing that it does not follow', async () => {
    const w = world(thing('a', { labels: { app: 'x' } }), thing('b', { labels: { app: 'x' } }));
    const { log, controller } = noting(w, {
      indexes: { app: ({ metadata }) => [metadata.labels?.['app'] ?? ''] },
      watches: [watched(Children, { map: ({ metadata }, cached) => cached(Things).find('app', metadata.name ?? '') })],
    });
    const settled = await running(controller);
    await settled();
    log.length = 0;
    w.children.put(thing('x'));
    await settled();
    expect(log.sort()).toEqual(['a@1', 'b@2']);
    expect(controller.cached(Things).keys()).toEqual(['a', 'b']);
    expect(() => controller.cached({ apiVersion: 'v1', kind: 'Other' })).toThrow(
      'the controller things follows no Other',
    );
  });
});

describe('objects with owners', () => {
  const ref = (name: string, { uid = name, kind = 'Thing' } = {}): ObjectMeta => ({
    ownerReferences: [{ apiVersion: 'v1', kind, name, uid, controller: true }],
  });

  function owners(selects: boolean) {
    const w = world(thing('a', {}, { app: 'a' }), thing('b', {}, { app: 'b' }));
    const selectorOf: SelectorOf<Thing> = ({ wants = {} }, work) => LabelSelector.fromLabelsSteps(wants, work);
    const { log, controller } = noting(w, { owns: [selects ? owned(Children, { selectorOf }) : Children] });
    return { children: w.children, informer: w.childInformer, log, controller };
  }

  test('run their controller when they appear, change and go, and the former one when they get another', async () => {
    const { children, log, controller } = owners(false);
    const settled = await running(controller);
    await settled();
    const runsAfter = async (change: () => unknown): Promise<string[]> => {
      log.length = 0;
      change();
      await settled();
      return log.map((run) => run.slice(0, 1)).sort();
    };
    expect(await runsAfter(() => children.put(thing('child', ref('a'))))).toEqual(['a']);
    expect(await runsAfter(() => children.put(thing('child', ref('a'))))).toEqual(['a']);
    expect(await runsAfter(() => children.put(thing('child', ref('b'))))).toEqual(['a', 'b']);
    expect(await runsAfter(() => children.put(thing('child')))).toEqual(['b']);
    expect(await runsAfter(() => children.put(thing('child', ref('a'))))).toEqual(['a']);
    expect(await runsAfter(() => children.remove('child'))).toEqual(['a']);
    expect(await runsAfter(() => children.put(thing('child', ref('a', { uid: 'another' }))))).toEqual([]);
    expect(await runsAfter(() => children.put(thing('child', ref('b', { kind: 'Other' }))))).toEqual([]);
  });

  test('without a controller run the owners that select them, unless they are being deleted', async () => {
    const { children, informer, log, controller } = owners(true);
    const settled = await running(controller);
    await settled();
    log.length = 0;
    children.put(thing('child', { labels: { app: 'b' } }));
    await settled();
    expect(log).toEqual(['b@2']);
    children.put(thing('child', { labels: { app: 'b' }, deletionTimestamp: '2024-01-01T00:00:00Z' }));
    await settled();
    expect(log).toEqual(['b@2']);
    children.put(thing('other', ref('a')));
    await settled();
    expect(informer.find('byController', 'a').map(({ metadata }) => metadata.name)).toEqual(['other']);
  });
});

describe('a routine', () => {
  test('runs at its start, after changes, and when a run asks for the next one', async () => {
    const w = world(thing('a'));
    let count = 0;
    const controller = routine(w.host, {
      name: 'sweep',
      watches: [watched(Things, { changes: { updated: runs } })],
      async run({ requeueAfter }) {
        count += 1;
        requeueAfter(1000);
      },
    });
    const settled = await running(controller);
    await settled();
    expect(count).toBe(1);
    w.clock.advance(1000);
    await settled();
    expect(count).toBe(2);
    w.collection.put(thing('a'));
    await settled();
    expect(count).toBe(3);
    w.clock.advance(999);
    await settled();
    expect(count).toBe(3);
  });

  test('waits for its first run, or for the change that asks for it', async () => {
    const w = world();
    const log: string[] = [];
    const named = (name: string, firstMs: number) =>
      routine(w.host, { name, firstMs, run: async () => void log.push(name) });
    const [soon, never] = [named('soon', 10), named('never', Infinity)];
    const settled = await running(joined('both', soon, never));
    await settled();
    expect(log).toEqual([]);
    w.clock.advance(10);
    await settled();
    never.run();
    await settled();
    never.runAfter(5);
    w.clock.advance(5);
    await settled();
    expect(log).toEqual(['soon', 'never', 'never']);
  });
});

test('controllers that are joined share their informers, and settle together', async () => {
  const w = world(thing('a'));
  const log: string[] = [];
  const second = keyedReconciler(w.host, { name: 'second', reconcile: async (key) => void log.push(`second ${key}`) });
  const first = reconciler(w.host, {
    name: 'first',
    kind: Things,
    async reconcile(_thing, { key }) {
      log.push(`first ${key}`);
      second.add(key);
    },
  });
  const third = keyedReconciler(w.host, {
    name: 'third',
    watches: [watched(Things, { map: (found) => [found] })],
    recheck: () => [],
    reconcile: async (key) => void log.push(`third ${key}`),
  });
  const controller = joined('all', first, second, third);
  expect([...controller.informers()]).toEqual([w.informer]);
  const settled = await running(controller);
  await settled();
  expect(log.sort()).toEqual(['first a', 'second a', 'third a']);
});

const creatorsOf = (name: string): string[] =>
  sources.filter((path) => new RegExp(`new ${name}\\b`).test(textOf(path))).sort();

test('only the runtime of controllers creates work queues', () => {
  expect(creatorsOf('WorkQueue')).toEqual([
    'src/controllers/runtime/keyed-runner.ts',
    'src/controllers/runtime/owned.ts',
    'src/controllers/runtime/sliced-watch.ts',
  ]);
});

test('controllers declare what they follow, and create no informers, except for kinds that come and go', () => {
  const creators = creatorsOf('Informer').filter((path) => /^src\/(controllers|simulation)\//.test(path));
  expect(creators).toEqual([
    'src/controllers/garbage-collector/controller.ts',
    'src/controllers/namespace/remaining-content.ts',
    'src/controllers/resource-quota/tracked-kinds.ts',
    'src/controllers/runtime/shared-informers.ts',
  ]);
});
