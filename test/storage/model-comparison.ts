import fc from 'fast-check';
import { expect } from 'vitest';
import { StorageError } from '../../src/storage/storage.js';
import type {
  Storage,
  StorageEvent,
  StorageRecord,
  StorageWatch,
  StorageWatchEnd,
  StorageWriteOptions,
} from '../../src/storage/storage.js';
import { ManualClock } from './manual-clock.js';
import { StorageModel, encoding, valueOf } from './storage-model.js';

/** An engine that is compared with the model. */
export interface TestedEngine {
  /** Makes an empty store that keeps the given amount of history. */
  open(
    clock: ManualClock,
    history: { readonly history: number; readonly maxHistoryEvents: number },
  ): Promise<TestedStore>;
  /** Whether a write is applied before its call returns. */
  readonly synchronous: boolean;
  /**
   * Whether time and history are controlled from outside: no key expires, and nothing is forgotten without a
   * compaction. Default false.
   */
  readonly timeless?: boolean;
  /** Whether a reopened store keeps the ages of its history and what expiries encode. Default false. */
  readonly keepsAges?: boolean;
}

export interface TestedStore {
  readonly storage: Storage;
  /** Reopens the store, after a close or as after the end of its process. Absent if it survives neither. */
  reopen?(after: 'close' | 'kill'): Promise<Storage>;
}

const HISTORY_MS = 1000;
const MAX_EVENTS = 60;
const PREFIXES = [
  '',
  '/',
  '/r/a',
  '/r/a/',
  '/r/ab/',
  '/r/a-b/',
  '/r/b/',
  '/r/b/\u{1f600}',
  '/r/many/',
  '/r/many/k1',
  '/none/',
];
const FEW_KEYS = [
  '/r/a',
  '/r/a/1',
  '/r/a/2',
  '/r/a/2/x',
  '/r/ab/1',
  '/r/a-b/1',
  '/r/b/\u{ffee}',
  '/r/b/\u{1f600}',
  '/r/b/\u{1f600}a',
  '/s/1',
];
const manyKey = (index: number): string => `/r/many/k${String(index).padStart(3, '0')}`;

const key = fc.oneof(fc.constantFrom(...FEW_KEYS), fc.nat({ max: 699 }).map(manyKey));
const prefix = fc.constantFrom(...PREFIXES);
/** Distance back from the current revision; negative values lie in the future. */
const back = fc.oneof(fc.integer({ min: -2, max: 8 }), fc.integer({ min: 0, max: 80 }));
const stale = fc.constantFrom(0, 0, 0, 0, 1);
const ttl = fc.option(fc.integer({ min: 1, max: 900 }), { freq: 4, nil: undefined });

const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), key, ttl, expired: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('update' as const), key, stale, ttl, expired: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key, stale }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('get' as const), key }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      prefix,
      back: fc.option(back, { nil: undefined }),
      after: fc.option(fc.oneof(key, prefix), { nil: undefined }),
      limit: fc.constantFrom(0, 1, 2, 5, 100, 10_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch' as const), prefix, back }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), which: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 500 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('reopen' as const),
      after: fc.constantFrom('close' as const, 'kill' as const),
    }),
  },
);
export const operations = (maxLength: number): fc.Arbitrary<Operation[]> =>
  fc.array(operation, { maxLength, size: 'max' });
export type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

interface Watched {
  prefix: string;
  from: number;
  events: StorageEvent[];
  /** The events of stores that were closed since, whose records may have no texts any more. */
  shown: unknown[];
  ends: StorageWatchEnd[];
  handle: StorageWatch | undefined;
  /** Revision at which it ended. */
  until: number;
  expectedEnds: StorageWatchEnd[];
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const plain = (record: StorageRecord | undefined): object | undefined =>
  record && {
    key: record.key,
    text: record.text,
    modRevision: record.modRevision,
    createRevision: record.createRevision,
  };

const shownEvent = ({ type, key, revision, record, previous }: StorageEvent): unknown => [
  type,
  key,
  revision,
  plain(record),
  plain(previous),
];

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
}

/** The engine and the model side by side. */
class Comparison {
  readonly model: StorageModel;
  readonly watches: Watched[] = [];
  storage: Storage;
  private values = 0;
  /** The requested compaction, which survives everything. */
  private compactedForGood = 0;

  private constructor(
    private readonly engine: TestedEngine,
    private readonly store: TestedStore,
    readonly clock: ManualClock,
  ) {
    this.storage = store.storage;
    this.model =
      engine.timeless === true ? new StorageModel(Infinity, Infinity) : new StorageModel(HISTORY_MS, MAX_EVENTS);
  }

  static async start(engine: TestedEngine): Promise<Comparison> {
    const clock = new ManualClock(0);
    const comparison = new Comparison(
      engine,
      await engine.open(clock, { history: HISTORY_MS, maxHistoryEvents: MAX_EVENTS }),
      clock,
    );
    comparison.model.revision = await comparison.storage.currentRevision();
    comparison.model.compacted = await comparison.storage.compactedRevision();
    return comparison;
  }

  async run(step: Operation): Promise<void> {
    const { model, storage } = this;
    model.age(this.clock.now());
    switch (step.do) {
      case 'create':
      case 'update':
      case 'delete':
        return this.write(step);
      case 'get':
        return expect(await storage.get(step.key).then(({ record, revision }) => [plain(record), revision])).toEqual([
          model.live.get(step.key),
          model.revision,
        ]);
      case 'list':
        return this.list(step.prefix, step.back, step.after, step.limit);
      case 'watch':
        this.watch(step.prefix, model.revision - step.back);
        // Its start may be gone before it begins, through a compaction or the end of the store; that is another case.
        return this.catchUp();
      case 'stop':
        return this.stop(step.which);
      case 'compact':
        return this.compact(model.revision - step.back);
      case 'advance': {
        this.clock.advance(step.ms);
        return this.expire();
      }
      case 'reopen':
        return this.reopen(step.after);
    }
  }

  /** Expired keys vanish: at their time in an engine that needs none, otherwise as soon as possible. */
  private async expire(): Promise<void> {
    const now = this.clock.now();
    this.model.expireUntil(now, (deadline) => (this.engine.synchronous ? deadline : now));
    while ((await this.storage.currentRevision()) < this.model.revision) await nextTurn();
  }

  private async reopen(after: 'close' | 'kill'): Promise<void> {
    const { model, store } = this;
    if (store.reopen === undefined) return;
    for (const watched of this.watches) watched.shown.push(...watched.events.splice(0).map(shownEvent));
    this.storage = await store.reopen(after);
    for (const watched of this.watches) {
      if (watched.until !== Infinity) continue;
      watched.until = model.revision;
      watched.expectedEnds.push({ kind: 'closed' });
    }
    const now = this.clock.now();
    if (this.engine.keepsAges !== true) model.restart(now);
    const compacted = await this.storage.compactedRevision();
    // Ages are not recorded until the store is closed. History that was forgotten by age may be present again then.
    expect(compacted).toBeLessThanOrEqual(model.compacted);
    expect(compacted).toBeGreaterThanOrEqual(after === 'close' ? model.compacted : this.compactedForGood);
    model.compacted = compacted;
    this.clock.advance(0);
    await this.expire();
  }

  async check(): Promise<void> {
    await this.catchUp();
    this.model.age(this.clock.now());
    expect(await this.storage.currentRevision()).toBe(this.model.revision);
    expect(await this.storage.compactedRevision()).toBe(this.model.compacted);
    await this.list('', undefined, undefined, 0);
    for (const watched of this.watches) {
      expect(watched.ends).toEqual(watched.expectedEnds);
      const expected = watched.expectedEnds.some((end) => end.kind === 'compacted')
        ? []
        : this.model.events.filter(
            (event) =>
              event.revision > watched.from &&
              event.revision <= watched.until &&
              event.record.key.startsWith(watched.prefix),
          );
      expect([...watched.shown, ...watched.events.map(shownEvent)]).toEqual(
        expected.map((event) => [event.type, event.record.key, event.revision, event.record, event.previous]),
      );
    }
  }

  /**
   * For an engine that notifies its watches later: makes a write, and waits until a watch receives it, and so
   * everything before it.
   */
  private async catchUp(): Promise<void> {
    if (this.engine.timeless !== true) return;
    let handle: StorageWatch | undefined;
    const reported = new Promise<void>((resolve) => {
      handle = this.storage.watch('', this.model.revision, {
        events: () => resolve(),
        progress: () => undefined,
        end: () => resolve(),
      });
    });
    await this.write({
      do: this.model.live.has('/s/last') ? 'update' : 'create',
      key: '/s/last',
      stale: 0,
      ttl: undefined,
      expired: false,
    });
    await reported;
    handle?.stop();
  }

  private async write(step: Extract<Operation, { do: 'create' | 'update' | 'delete' }>): Promise<void> {
    const { model, storage } = this;
    const current = model.live.get(step.key);
    // A delete writes the last version once more.
    const value = step.do === 'delete' && current !== undefined ? valueOf(current.text) : `v${this.values++}`;
    const options = step.do === 'delete' ? undefined : this.options(step, value);
    const version = (current?.modRevision ?? model.revision) - (step.do === 'create' ? 0 : step.stale);
    const result = await outcome(
      step.do === 'create'
        ? storage.create(step.key, encoding(value), options)
        : step.do === 'update'
          ? storage.update(step.key, encoding(value), version, options)
          : storage.delete(step.key, encoding(value), version),
    );
    const refusal =
      step.do === 'create'
        ? current && 'KeyExists'
        : current === undefined
          ? 'KeyNotFound'
          : version === current.modRevision
            ? undefined
            : 'Conflict';
    if (refusal !== undefined) {
      expect(result).toMatchObject({ name: 'StorageError', code: refusal, key: step.key });
      expect(plain((result as StorageError).current)).toEqual(current);
      return;
    }
    const now = this.clock.now();
    expect(plain(result as StorageRecord)).toEqual(
      model.write(step.do, step.key, encoding(value)(model.revision + 1), now),
    );
    if (options?.ttl !== undefined)
      model.ttls.set(step.key, { deadline: now + options.ttl, expired: options.encodeExpired && `${value}x` });
    model.age(now);
  }

  private options(step: { ttl: number | undefined; expired: boolean }, value: string): StorageWriteOptions {
    if (step.ttl === undefined || this.engine.timeless === true) return {};
    return step.expired ? { ttl: step.ttl, encodeExpired: encoding(`${value}x`) } : { ttl: step.ttl };
  }

  private async list(
    range: string,
    backFrom: number | undefined,
    after: string | undefined,
    limit: number,
  ): Promise<void> {
    const { model } = this;
    const revision = backFrom === undefined ? model.revision : model.revision - backFrom;
    const options = {
      limit,
      ...(backFrom === undefined ? {} : { revision }),
      ...(after === undefined ? {} : { after }),
    };
    const result = await outcome(this.storage.list(range, options));
    if (revision > model.revision)
      return void expect(result).toMatchObject({ code: 'FutureRevision', revision: model.revision });
    if (revision < model.compacted)
      return void expect(result).toMatchObject({ code: 'Compacted', revision: model.compacted });
    const page = result as Awaited<ReturnType<Storage['list']>>;
    expect({ records: page.records.map(plain), remaining: page.remaining, revision: page.revision }).toEqual({
      ...model.page(range, revision, after, limit),
      revision,
    });
  }

  private watch(range: string, from: number): void {
    const watched: Watched = {
      prefix: range,
      from,
      events: [],
      shown: [],
      ends: [],
      handle: undefined,
      until: Infinity,
      expectedEnds: [],
    };
    if (from < this.model.compacted) {
      watched.expectedEnds.push({ kind: 'compacted', compactRevision: this.model.compacted });
      watched.until = from;
    }
    this.watches.push(watched);
    watched.handle = this.storage.watch(range, from, {
      events: (events) => void watched.events.push(...events),
      progress: (revision) =>
        this.engine.timeless === true
          ? expect(revision).toBeLessThanOrEqual(this.model.revision)
          : expect(revision).toBe(this.model.revision),
      end: (reason) => void watched.ends.push(reason),
    });
  }

  private stop(which: number): void {
    const watched = this.watches[which];
    if (watched === undefined || watched.until !== Infinity) return;
    watched.handle?.stop();
    watched.until = this.model.revision;
  }

  private async compact(revision: number): Promise<void> {
    const result = await outcome(this.storage.compact(revision));
    if (revision > this.model.revision)
      return void expect(result).toMatchObject({ code: 'FutureRevision', revision: this.model.revision });
    expect(result).toBeUndefined();
    this.model.compacted = Math.max(this.model.compacted, revision);
    this.compactedForGood = Math.max(this.compactedForGood, revision);
  }
}

/** Runs steps on a fresh store and on the model, after filling both with keys, and compares their results. */
export async function compare(engine: TestedEngine, prefilled: number, steps: readonly Operation[]): Promise<void> {
  const comparison = await Comparison.start(engine);
  for (let index = 0; index < prefilled; index++) {
    await comparison.run({ do: 'create', key: manyKey((index * 331) % 700), ttl: undefined, expired: false });
  }
  for (const step of steps) await comparison.run(step);
  await comparison.check();
  await comparison.storage.close();
  expect(comparison.clock.pending).toBe(0);
}
