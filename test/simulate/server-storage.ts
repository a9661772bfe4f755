import { decorateStorage } from '../../src/storage/decorate.js';
import { StorageError, type Storage, type StorageWatchSink } from '../../src/storage/storage.js';
import type { MemoryBudget } from '../../src/storage/memory-budget.js';
import type { Chance } from '../history/driver/chance.js';
import type { Scheduler } from './scheduler.js';

/** A trouble between a server and its store. */
export type StoreTrouble = 'unreachable' | 'answers lost' | 'slow' | 'watches late';

/** Most milliseconds that a request to the store takes, and with a slow store. */
const QUICK_MS = 3;
const SLOW_MS = 400;

/**
 * The way of one server to the store, as over a network: requests and answers take time, the events of a watch arrive in
 * their order, and both may fail.
 */
export class ServerStorage {
  readonly storage: Storage;
  /** The memory budget of the server. */
  budget: MemoryBudget | undefined;
  /** The current troubles. */
  readonly troubles = new Set<StoreTrouble>();
  readonly #engine: Storage;
  readonly #scheduler: Scheduler;
  readonly #chance: Chance;
  readonly #label: string;
  readonly #watches = new Set<(reason: 'failed' | 'none') => void>();
  #isDead = false;

  constructor(engine: Storage, scheduler: Scheduler, chance: Chance, label: string) {
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.#chance = chance;
    this.#label = label;
    const ask = this.#asking.bind(this);
    this.storage = decorateStorage(engine, {
      isShared: true,
      // Each server counts what it holds itself.
      shareBudget: (budget) => void (this.budget = budget),
      // It would spare the server the way to the store.
      index: undefined,
      get: (...given) => ask('get', () => engine.get(...given)),
      list: (...given) => ask('list', () => engine.list(...given)),
      create: (...given) => ask('create', () => engine.create(...given)),
      update: (...given) => ask('update', () => engine.update(...given)),
      delete: (...given) => ask('delete', () => engine.delete(...given)),
      expiries: (...given) => ask('expiries', () => engine.expiries(...given)),
      currentRevision: () => ask('revision', () => engine.currentRevision()),
      compactedRevision: () => ask('compacted', () => engine.compactedRevision()),
      compact: (...given) => ask('compact', () => engine.compact(...given)),
      ping: () => ask('ping', () => engine.ping()),
      watch: (prefix, from, sink) => this.#watch(prefix, from, sink),
      close: () => Promise.resolve(this.#endWatches('none')),
    });
  }

  /** The server has died: nothing reaches the store any more, and nothing comes from it. */
  die(): void {
    this.#isDead = true;
    this.#endWatches('none');
  }

  /** Ends the watches of the server, as when its connection is lost. */
  cutWatches(): void {
    this.#endWatches('failed');
  }

  async #asking<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> {
    await this.#way(`asks ${what}`);
    if (this.#isDead || this.troubles.has('unreachable'))
      throw unavailable('the store cannot be reached: the request has not taken effect');
    const answer = await ask().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await this.#way(`learns ${what}`);
    if (
      this.#isDead ||
      this.troubles.has('unreachable') ||
      (this.troubles.has('answers lost') && this.#chance.oneOf(3))
    )
      throw unavailable('the answer of the store was lost: the outcome is unknown');
    if ('error' in answer) throw answer.error;
    return answer.value;
  }

  #way(what: string): Promise<void> {
    const mostMs = this.troubles.has('slow') ? SLOW_MS : QUICK_MS;
    return this.#scheduler.pause(this.#chance.below(mostMs), `${this.#label} ${what}`);
  }

  #watch(prefix: string, from: number, sink: StorageWatchSink): ReturnType<Storage['watch']> {
    const waiting: { readonly at: number; readonly deliver: () => void }[] = [];
    let isOver = false;
    let lastAt = 0;
    const later = (deliver: () => void): void => {
      const mostMs = this.troubles.has('watches late') ? 10 * SLOW_MS : QUICK_MS;
      lastAt = Math.max(lastAt, this.#scheduler.nowMs + this.#chance.below(mostMs));
      waiting.push({ at: lastAt, deliver });
      // Deliveries at one time may be chosen in any order: each delivers the oldest.
      this.#scheduler.after(lastAt - this.#scheduler.nowMs, `${this.#label} watches`, () => {
        const next = waiting.shift();
        if (!isOver) next?.deliver();
      });
    };
    const inner = this.#engine.watch(prefix, from, {
      events: (events) => later(() => sink.events(events)),
      progress: (revision) => later(() => sink.progress(revision)),
      end: (reason) =>
        later(() => {
          this.#watches.delete(end);
          isOver = true;
          sink.end(reason);
        }),
    });
    const end = (reason: 'failed' | 'none'): void => {
      isOver = true;
      inner.stop();
      this.#watches.delete(end);
      if (reason === 'failed') sink.end({ kind: 'failed', error: unavailable('the connection was lost') });
    };
    this.#watches.add(end);
    if (this.#isDead) end('none');
    else if (this.troubles.has('unreachable')) later(() => end('failed'));
    return { stop: () => end('none'), requestProgress: () => inner.requestProgress() };
  }

  #endWatches(reason: 'failed' | 'none'): void {
    for (const end of [...this.#watches]) end(reason);
  }
}

const unavailable = (message: string): StorageError => new StorageError('Unavailable', { message });
