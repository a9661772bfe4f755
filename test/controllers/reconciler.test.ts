import { describe, expect, onTestFinished, test } from 'vitest';
import { AsyncGate } from '../../src/controllers/runtime/async-gate.js';
import { joined, runController, stopController, type Controller } from '../../src/controllers/runtime/controller.js';
import { isNotFound, retryingConflicts } from '../../src/controllers/runtime/failures.js';
import type { InformedObject } from '../../src/controllers/runtime/informer-cache.js';
import { keyedReconciler, type Run } from '../../src/controllers/runtime/keyed-reconciler.js';
import { owned } from '../../src/controllers/runtime/owned.js';
import type { SelectorOf } from '../../src/controllers/runtime/owner-selectors.js';
import { reconciler, type ReconcilerOptions } from '../../src/controllers/runtime/reconciler.js';
import { routine, runs } from '../../src/controllers/runtime/routine.js';
import { settle } from '../../src/controllers/runtime/settle.js';
import { UnseenWrites } from '../../src/controllers/runtime/unseen-writes.js';
import { watched } from '../../src/controllers/runtime/watch.js';
import type { WatchEvent } from '../../src/entries/client.js';
import { Informer, type InformerSource } from '../../src/entries/controllers.js';
import { errors } from '../../src/foundation/errors/api-error.js';
import type { ObjectMeta } from '../../src/foundation/objects/object.js';
import { LabelSelector } from '../../src/machinery/selectors/labels.js';
import { ManualClock } from '../storage/manual-clock.js';
import { sources, textOf } from '../package/project.js';

interface Thing extends InformedObject {
  readonly metadata: ObjectMeta;
  readonly wants?: Readonly<Record<string, string>>;
}

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
  const host = {
    clock,
    onError: (error: unknown, key?: string) => void failures.push({ key, message: (error as Error).message }),
  };
  const collection = new Collection(...things);
  const informer = new Informer<Thing>({ source: collection, clock, onError: host.onError });
  return { clock, failures, host, collection, informer };
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
function noting(w: ReturnType<typeof world>, options: Partial<ReconcilerOptions<Thing>> = {}) {
  const log: string[] = [];
  const controller = reconciler<Thing>(w.host, {
    name: 'things',
    kind: w.informer,
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

describe('objects with owners', () => {
  const ref = (name: string, { uid = name, kind = 'Thing' } = {}): ObjectMeta => ({
    ownerReferences: [{ apiVersion: 'v1', kind, name, uid, controller: true }],
  });

  function owners(selects: boolean) {
    const w = world(thing('a', {}, { app: 'a' }), thing('b', {}, { app: 'b' }));
    const children = new Collection();
    const informer = new Informer<Thing>({ source: children, clock: w.clock });
    const selectorOf: SelectorOf<Thing> = ({ wants = {} }, work) => LabelSelector.fromLabelsSteps(wants, work);
    const { log, controller } = noting(w, {
      owns: [selects ? owned(informer, { kind: 'Thing', selectorOf }) : owned(informer, { kind: 'Thing' })],
    });
    return { children, informer, log, controller };
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
      watches: [watched(w.informer, { updated: runs })],
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
  const first = reconciler<Thing>(w.host, {
    name: 'first',
    kind: w.informer,
    async reconcile(_thing, { key }) {
      log.push(`first ${key}`);
      second.add(key);
    },
  });
  const third = keyedReconciler(w.host, {
    name: 'third',
    watches: [watched(w.informer, ({ metadata }) => [metadata.name ?? ''])],
    recheck: () => [],
    reconcile: async (key) => void log.push(`third ${key}`),
  });
  const controller = joined('all', first, second, third);
  expect([...controller.informers()]).toEqual([w.informer]);
  const settled = await running(controller);
  await settled();
  expect(log.sort()).toEqual(['first a', 'second a', 'third a']);
});

test('only the runtime of controllers creates work queues', () => {
  const creators = sources.filter((path) => /new WorkQueue\b/.test(textOf(path)));
  expect(creators.length).toBeGreaterThan(0);
  expect(creators.filter((path) => !path.startsWith('src/controllers/runtime/'))).toEqual([]);
});
