import {
  aBoolean,
  aClock,
  aCount,
  aDuration,
  aFunction,
  aName,
  aNumber,
  anObject,
  checkOptions,
  consoleLogger,
  durationMs,
  monotonicMs,
  nextTurn,
  report,
  shareTurn,
  type Clock,
  type Duration,
  type OptionChecks,
  type Timer,
} from '../../foundation/index.js';
import { AsyncGate } from './async-gate.js';
import { FinalError } from './failures.js';
import { ReadyKeys, type Urgency } from './ready-keys.js';
import { RetryRate, type RetryLimit } from './retry-rate.js';

/**
 * The result of processing a key: done; `retry` to process it again after a pause without reporting a failure; `waits`
 * when it was not processed yet, which counts neither as a success nor as a failure.
 */
export type WorkResult = void | 'retry' | 'waits';

/** Receives what a queue does. Times are in milliseconds. */
export interface QueueMeter {
  /** A key was added that did not wait yet. */
  added(): void;
  /** The run of a key began, after it had waited. */
  started(waitedMs: number): void;
  /** A run ended, however it did. */
  finished(tookMs: number): void;
  /** A key will be added after a pause. */
  retried(): void;
}

/** A queue to be measured. */
export interface MeasuredQueue {
  /** Its name in metrics; several queues may share one. */
  readonly name: string;
  /** Returns the times at which its current runs began, in milliseconds since the epoch. */
  readonly runningSince: () => Iterable<number>;
}

/** Options of a {@link WorkQueue}. */
export interface WorkQueueOptions<Key> {
  /** Name in metrics: that of the queue in Kubernetes, such as `deployment`. A queue without a name is not measured. */
  readonly name?: string | undefined;
  readonly clock: Clock;
  /**
   * Processes one key. Never runs concurrently for the same key. A rejection is retried after a pause, except one with
   * a {@link FinalError}. The signal aborts when the queue is stopped.
   */
  readonly process: (key: Key, signal: AbortSignal) => Promise<WorkResult>;
  /** Maximum number of keys that are processed concurrently. Default 1. */
  readonly concurrency?: number | undefined;
  /** Pause after the first failure of a key; it doubles with each further one. Default `5ms`. */
  readonly baseDelay?: Duration | undefined;
  /** Maximum pause. Default `1000s`. */
  readonly maxDelay?: Duration | undefined;
  /** Maximum number of retries in a row; after them a key is dropped until it is added again. Default: unlimited. */
  readonly maxRetries?: number | undefined;
  /** Limit on the retries of all keys together; a retry beyond it waits longer. Default: unlimited. */
  readonly retryLimit?: RetryLimit | undefined;
  /**
   * Whether keys that are added as `listed` let the others go first. One run in ten is that of the key that has waited
   * longest, so that no key waits for ever. Default false: all keys are processed in the order in which they were added.
   */
  readonly prefersChanges?: boolean | undefined;
  /**
   * Whether keys are processed from the next turn of the event loop on, so that all changes of a turn cause one run.
   * Default false: a key is processed at once.
   */
  readonly gathers?: boolean | undefined;
  /**
   * Whether {@link WorkQueue.stop} abandons running work, for work that waits on callbacks which may hang. Default
   * false: `stop` waits for running work.
   */
  readonly abandons?: boolean | undefined;
  /**
   * Called with each failure; `willRetry` is false when the key is dropped. An error that it throws is ignored.
   * Default: `console.error`.
   */
  readonly onError?: ((key: Key, error: unknown, willRetry: boolean) => void) | undefined;
}

const checks: OptionChecks<WorkQueueOptions<never>> = {
  name: aName,
  clock: aClock,
  process: aFunction,
  concurrency: aCount('keys', 1),
  baseDelay: aDuration,
  maxDelay: aDuration,
  maxRetries: aNumber('failures'),
  retryLimit: anObject,
  prefersChanges: aBoolean,
  gathers: aBoolean,
  abandons: aBoolean,
  onError: aFunction,
};

type KeyState = 'ready' | 'running' | 'again';

/** The times of the keys of a queue that is measured, in milliseconds since the epoch. */
class KeyTimes<Key> {
  readonly meter: QueueMeter;
  readonly #now: () => number;
  readonly #added = new Map<Key, number>();
  readonly #began = new Map<Key, number>();

  constructor(meter: QueueMeter, now: () => number) {
    this.meter = meter;
    this.#now = now;
  }

  /** The times at which the current runs began. */
  get began(): Iterable<number> {
    return this.#began.values();
  }

  added(key: Key): void {
    this.meter.added();
    if (!this.#added.has(key)) this.#added.set(key, this.#now());
  }

  started(key: Key): void {
    const now = this.#now();
    this.meter.started(now - (this.#added.get(key) ?? now));
    this.#added.delete(key);
    this.#began.set(key, now);
  }

  finished(key: Key): void {
    const now = this.#now();
    this.meter.finished(now - (this.#began.get(key) ?? now));
    this.#began.delete(key);
  }
}

/**
 * A queue of keys to process. A key that is added while it waits is processed once; a key that is added while it is
 * being processed is processed again afterwards. Nothing runs before {@link WorkQueue.start}.
 *
 * Keys are compared like the keys of a Map.
 */
export class WorkQueue<Key> {
  readonly #options: WorkQueueOptions<Key>;
  readonly #states = new Map<Key, KeyState>();
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #failures = new Map<Key, number>();
  readonly #timers = new Map<Key, { readonly at: number; readonly timer: Timer }>();
  readonly #abort = new AbortController();
  readonly #idleGate = new AsyncGate();
  readonly #ready: ReadyKeys<Key>;
  readonly #retries: RetryRate | undefined;
  #running = 0;
  #started = false;
  #gathering = false;
  #processed = 0;
  #times: KeyTimes<Key> | undefined;

  /** @throws TypeError when an option is missing or invalid */
  constructor(options: WorkQueueOptions<Key>) {
    checkOptions('WorkQueue', options, checks, ['clock', 'process']);
    this.#options = options;
    this.#baseDelayMs = durationMs(options.baseDelay ?? 5);
    this.#maxDelayMs = durationMs(options.maxDelay ?? 1_000_000);
    this.#ready = new ReadyKeys(options.prefersChanges === true);
    if (options.retryLimit !== undefined) this.#retries = new RetryRate(options.retryLimit);
  }

  /** Name in metrics; undefined for a queue that is not measured. */
  get name(): string | undefined {
    return this.#options.name;
  }

  /**
   * The times at which its current runs began, in milliseconds since the epoch; none for an unmeasured queue.
   *
   * @internal
   */
  get runningSince(): Iterable<number> {
    return this.#times?.began ?? [];
  }

  /**
   * Reports what the queue does from now on, and the keys that wait already. To be called before its start.
   *
   * @internal
   */
  measure(meter: QueueMeter): void {
    const { clock } = this.#options;
    this.#times = new KeyTimes(meter, () => clock.now());
    for (const key of this.#states.keys()) this.#times.added(key);
  }

  /**
   * Number of keys that are being processed.
   *
   * @internal
   */
  get running(): number {
    return this.#running;
  }

  /**
   * Number of keys that wait for a worker.
   *
   * @internal
   */
  get waiting(): number {
    return this.#ready.size;
  }

  /**
   * Number of keys whose last run has failed or asked for another, and whose next one has not succeeded yet.
   *
   * @internal
   */
  get retrying(): number {
    return this.#failures.size;
  }

  /**
   * Returns the number of failures of a key in a row.
   *
   * @internal
   */
  failuresOf(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  /** True when no key is ready or being processed. Delayed keys do not count. */
  get idle(): boolean {
    return this.#states.size === 0;
  }

  /** Number of runs that were started. */
  get processed(): number {
    return this.#processed;
  }

  /** Number of delayed keys: after a failure, or by {@link WorkQueue.addAfter}. */
  get delayed(): number {
    return this.#timers.size;
  }

  /** Starts processing. */
  start(): void {
    this.#started = true;
    this.#pump();
  }

  /**
   * Stops permanently: cancels timers and aborts the signals of running work. Resolves when nothing runs any more, or
   * immediately with {@link WorkQueueOptions.abandons}.
   */
  async stop(): Promise<void> {
    this.#abort.abort();
    for (const { timer } of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    for (const [key, state] of this.#states)
      if (state === 'ready' || this.#options.abandons === true) this.#states.delete(key);
    this.#ready.clear();
    if (this.idle) this.#idleGate.open();
    await this.whenIdle();
  }

  /**
   * Adds a key.
   *
   * @param urgency whether an object changed, or was only listed; see {@link WorkQueueOptions.prefersChanges}
   * @returns true when this causes one more run of {@link WorkQueueOptions.process}
   */
  add(key: Key, urgency: Urgency = 'changed'): boolean {
    if (this.#abort.signal.aborted) return false;
    const state = this.#states.get(key);
    if (state === 'ready') this.#ready.urge(key, urgency);
    if (state === 'ready' || state === 'again') return false;
    this.#times?.added(key);
    if (state === 'running') this.#states.set(key, 'again');
    else this.#enqueue(key, urgency);
    return true;
  }

  #enqueue(key: Key, urgency: Urgency): void {
    this.#states.set(key, 'ready');
    this.#ready.add(key, urgency);
    if (this.#options.gathers === true) this.#pumpLater();
    else this.#pump();
  }

  /**
   * Adds a key after a delay. The earliest of several times counts. A run that starts earlier cancels the delay.
   *
   * @param delay a string such as `5s`, or milliseconds
   * @throws Error for a string that is not a duration
   */
  addAfter(key: Key, delay: Duration): void {
    const delayMs = durationMs(delay);
    if (this.#abort.signal.aborted) return;
    this.#times?.meter.retried();
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const at = monotonicMs(this.#options.clock) + delayMs;
    const planned = this.#timers.get(key);
    if (planned !== undefined && planned.at <= at) return;
    planned?.timer.cancel();
    const timer = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { at, timer });
  }

  /** Resolves when the queue is {@link WorkQueue.idle}. */
  async whenIdle(): Promise<void> {
    while (!this.idle) await this.#idleGate.wait();
  }

  /** Pumps in the next turn. */
  #pumpLater(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    void nextTurn().then(() => {
      this.#gathering = false;
      this.#pump();
    });
  }

  #pump(): void {
    const limit = this.#options.concurrency ?? 1;
    while (this.#started && this.#running < limit && this.#ready.size > 0) void this.#run(this.#ready.take());
  }

  async #run(key: Key): Promise<void> {
    this.#running += 1;
    this.#processed += 1;
    this.#states.set(key, 'running');
    this.#times?.started(key);
    this.#timers.get(key)?.timer.cancel();
    this.#timers.delete(key);
    try {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      if (this.#abort.signal.aborted) return;
      const result = await this.#options.process(key, this.#abort.signal);
      if (result === 'retry') this.#pause(key);
      else if (result !== 'waits') this.#failures.delete(key);
    } catch (error) {
      this.#fail(key, error);
    } finally {
      this.#running -= 1;
      this.#finish(key);
    }
  }

  #finish(key: Key): void {
    const again = this.#states.get(key) === 'again' && !this.#abort.signal.aborted;
    this.#states.delete(key);
    this.#times?.finished(key);
    if (again) this.#enqueue(key, 'changed');
    else this.#pump();
    if (this.idle) this.#idleGate.open();
  }

  #fail(key: Key, error: unknown): void {
    if (this.#abort.signal.aborted) return;
    const { maxRetries = Infinity, onError = reportFailure } = this.#options;
    const willRetry = !(error instanceof FinalError) && this.failuresOf(key) < maxRetries;
    report(() => onError(key, error, willRetry));
    if (willRetry) this.#pause(key);
    else this.#failures.delete(key);
  }

  #pause(key: Key): void {
    const failures = this.failuresOf(key);
    this.#failures.set(key, failures + 1);
    const delayMs = Math.min(this.#baseDelayMs * 2 ** Math.min(failures, 50), this.#maxDelayMs);
    this.addAfter(key, Math.max(delayMs, this.#retries?.reserve(monotonicMs(this.#options.clock)) ?? 0));
  }
}

function reportFailure(key: unknown, error: unknown, willRetry: boolean): void {
  consoleLogger.error('processing of a queued key failed', { key, error, willRetry });
}
