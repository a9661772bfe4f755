import type { Client } from '../../client/index.js';
import { durationMs, groupName, report, shown, type Clock } from '../../foundation/index.js';
import type { Controller } from '../runtime/controller.js';
import type { EventRecorder } from '../runtime/event-recorder.js';
import { retryingConflicts } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { Run } from '../runtime/keyed-reconciler.js';
import { owned, ownerIn } from '../runtime/owned.js';
import { reconciler } from '../runtime/reconciler.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import { UNSEEN_TIMEOUT_MS } from '../runtime/unseen-writes.js';
import { watched, type Watch } from '../runtime/watch.js';
import type { WorkResult } from '../runtime/work-queue.js';
import { BoundedRuns } from './bounded-runs.js';
import { changes } from './changes.js';
import { hasFinalizer, setFinalizers } from './finalizers.js';
import { OwnWrites, type Followed } from './own-writes.js';
import { RunState, type RunParts } from './run-context.js';
import { kindOf, selectionOf, type Source } from './sources.js';
import { nameOf, type Cached, type CacheOf, type ControllerSpec, type Watched } from './spec.js';

/** The failure of a run ends it for good: the object runs again when it changes, not after a pause. */
export class FinalError extends Error {
  override readonly name: string = 'FinalError';
}

/** Where an error comes from. */
export interface ErrorOrigin {
  /** Name of the controller; undefined for errors of the informers and events that controllers share. */
  readonly controller?: string | undefined;
  /** Key of the object whose run failed. */
  readonly key?: string | undefined;
  /** Number of failures in a row. */
  readonly attempt?: number | undefined;
}

/** The part of a manager that its controllers use. */
export interface ManagerHost {
  readonly client: Client;
  readonly clock: Clock;
  readonly informers: SharedInformers;
  readonly recorder: EventRecorder;
  /** Time that runs get until their abort when the manager stops, in milliseconds. */
  readonly stopMs: number;
  readonly onError: (error: unknown, origin: ErrorOrigin) => void;
  /** Called after each run. */
  readonly ran: (run: EndedRun) => void;
}

/** A run that has ended. */
export interface EndedRun {
  readonly controller: string;
  readonly key: string;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  /** Whether it failed for good: it is not repeated before the object changes. */
  readonly isFinal: boolean;
  readonly tookMs: number;
}

const TIMEOUT = '5m';
const FIRST_PAUSE = '5ms';
const LONGEST_PAUSE = '16m';
const RETRY_LIMIT = Object.freeze({ perSecond: 10, burst: 100 });

/** A controller that works with the informers of a manager. */
export class ManagedController implements Controller {
  readonly name: string;
  readonly concurrency: number;
  readonly #spec: ControllerSpec;
  readonly #host: ManagerHost;
  readonly #main: Followed;
  readonly #owns: readonly Followed[];
  readonly #watches: readonly (Followed & { readonly map: Watched['map'] })[];
  readonly #runs: BoundedRuns;
  readonly #writes: OwnWrites;
  readonly #finalizer: string | undefined;
  readonly #parts: RunParts;
  /** Number of failures in a row by key. */
  readonly #failures = new Map<string, number>();
  #active = 0;
  readonly #reconciler: ReturnType<typeof reconciler>;

  /** @throws TypeError when the controller needs the name of a finalizer */
  constructor(spec: ControllerSpec, host: ManagerHost) {
    const { kind, owns = [], watches = [], concurrency = 1, backoff, timeout = TIMEOUT } = spec;
    this.name = nameOf(spec);
    this.concurrency = concurrency;
    this.#spec = spec;
    this.#host = host;
    this.#finalizer = this.#finalizerOf();
    const follow = (source: Source): Followed => ({
      source,
      informer: host.informers.select(kindOf(source), selectionOf(source)),
    });
    this.#main = follow(kind);
    this.#owns = owns.map(follow);
    this.#watches = watches.map(({ source, map }) => ({ ...follow(source), map }));
    for (const [name, valuesOf] of Object.entries(spec.indexes ?? {}))
      this.#main.informer.addIndex(this.#indexName(name), valuesOf);
    this.#runs = new BoundedRuns(host.clock, { timeoutMs: durationMs(timeout), stopMs: host.stopMs });
    this.#writes = new OwnWrites(this.#followed, host.client.backend.dialect, (key) => this.#reconciler.add(key));
    this.#parts = this.#runParts();
    this.#reconciler = reconciler<AnyObject>(
      { clock: host.clock, onError: (error, key) => this.#report(error, key) },
      {
        name: this.name,
        queue: this.name,
        ...{ concurrency, kind: this.#main.informer, prefersChanges: true, retryLimit: RETRY_LIMIT },
        baseDelay: backoff?.first ?? FIRST_PAUSE,
        maxDelay: backoff?.most ?? LONGEST_PAUSE,
        runsOn: (object, old) => this.#runsOn(object, old),
        owns: this.#owns.map(({ informer }) =>
          owned<AnyObject, AnyObject>(informer, {
            kind: kindOf(kind).kind,
            ignores: (object) => this.#isOwnWrite(object),
          }),
        ),
        watches: this.#mappedWatches(),
        informers: () => this.#followed.map(({ informer }) => informer),
        reconcile: (object, run) => this.#run(object, run),
        gone: (key) => this.#forget(key),
      },
    );
  }

  get queues(): Controller['queues'] {
    return this.#reconciler.queues;
  }

  /** Number of current runs. */
  get active(): number {
    return this.#active;
  }

  /** The keys of the runs that do not end. */
  get lost(): readonly string[] {
    return this.#runs.lost;
  }

  informers(): ReturnType<Controller['informers']> {
    return this.#reconciler.informers();
  }

  /** Aborts all runs. */
  abort(): void {
    this.#runs.abort();
  }

  /** Ends the wait for runs that have been aborted. */
  giveUp(): void {
    this.#runs.giveUp();
  }

  get #followed(): readonly Followed[] {
    return [this.#main, ...this.#owns, ...this.#watches];
  }

  #finalizerOf(): string | undefined {
    const { finalize, finalizer, kind } = this.#spec;
    if (finalize === undefined) return undefined;
    if (finalizer !== undefined) return finalizer;
    const of = kindOf(kind);
    const group = 'plural' in of ? groupName(of.group, this.#host.client.backend.dialect) : groupIn(of.apiVersion);
    if (group === '')
      throw new TypeError(
        `the controller ${this.name} needs the option finalizer, such as 'example.com/${this.name}': ${of.kind} has no group`,
      );
    return `${group}/${this.name}`;
  }

  /** Informers are shared, so that the indexes of two controllers must not have one name. */
  #indexName(name: string): string {
    return `${this.name}/${name}`;
  }

  #runParts(): RunParts {
    const { client, clock, recorder } = this.#host;
    return {
      ...{ name: this.name, client, clock, kind: kindOf(this.#spec.kind), owns: this.#owns },
      cached: this.#cached,
      events: recorder.of(this.name),
    };
  }

  readonly #cached = ((source: Source): Cached<AnyObject> => {
    const followed = this.#followed.find((other) => other.source === source);
    if (followed === undefined)
      throw new TypeError(
        `cached: the controller ${this.name} follows no ${'kind' in source ? source.kind : shown(source)}`,
      );
    return cacheOf(followed.informer, (name) => this.#indexName(name));
    // The informer of a source delivers its items.
  }) as CacheOf;

  #mappedWatches(): Watch[] {
    return this.#watches.flatMap(({ informer, map }) => {
      if (map === undefined) return [];
      const keysOf = (object: AnyObject): string[] =>
        [...map(object, this.#cached)].map((found) => (typeof found === 'string' ? found : objectKey(found)));
      return [
        watched<AnyObject>(informer, {
          added: keysOf,
          updated: (object, old) => [...new Set([...keysOf(old), ...keysOf(object)])],
          deleted: keysOf,
        }),
      ];
    });
  }

  #runsOn(object: AnyObject, old: AnyObject | undefined): boolean {
    const { runsOn = changes.exceptStatus } = this.#spec;
    return runsOn(object, old) && this.#writes.isForeign(objectKey(object), object);
  }

  /** Returns whether a change of a dependent is what a run of its owner has written. */
  #isOwnWrite(object: AnyObject): boolean {
    const owner = ownerIn(object, { kind: kindOf(this.#spec.kind).kind, owners: this.#main.informer });
    return owner !== undefined && !this.#writes.isForeign(objectKey(owner), object);
  }

  #forget(key: string): void {
    this.#writes.forget(key);
    this.#failures.delete(key);
  }

  async #run(object: AnyObject, run: Run): Promise<WorkResult> {
    const { key } = run;
    if (!this.#writes.begin(key)) {
      run.requeueAfter(UNSEEN_TIMEOUT_MS);
      return;
    }
    const { clock, ran } = this.#host;
    const startMs = clock.now();
    const ended = (result: EndedRun['result'], isFinal = false): void =>
      ran({ controller: this.name, key, result, isFinal, tookMs: clock.now() - startMs });
    this.#active += 1;
    try {
      const result = await this.#bounded(object, run);
      if (result === 'retry') this.#failed(key);
      else this.#failures.delete(key);
      ended(result === 'retry' ? 'requeue' : result);
      return result === 'retry' ? result : undefined;
    } catch (error) {
      ended('error', error instanceof FinalError);
      if (run.signal.aborted) return;
      const attempt = this.#failed(key);
      report(() => this.#host.onError(error, { controller: this.name, key, attempt }));
      if (error instanceof FinalError) this.#failures.delete(key);
      else return 'retry';
    } finally {
      this.#active -= 1;
      if (this.#writes.end(key)) this.#reconciler.add(key);
    }
  }

  /** Counts a failure. Returns the number of failures in a row. */
  #failed(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return failures;
  }

  /** Returns `retry` after a conflict: the object has changed, so that a run with its new state follows. */
  async #bounded(object: AnyObject, run: Run): Promise<'success' | 'requeue_after' | 'retry'> {
    const { key, signal: stopping } = run;
    let requeueMs = Infinity;
    const again = (): void => void this.#reconciler.add(key);
    const running = this.#runs.run({ key, stopping, again }, async (signal) => {
      const attempt = (this.#failures.get(key) ?? 0) + 1;
      const answered: Parameters<OwnWrites['answered']> extends [string, ...infer Rest]
        ? (...rest: Rest) => void
        : never = (call, answer) => this.#writes.answered(key, call, answer);
      const state = new RunState(this.#parts, { key, attempt, signal, object, answered });
      await this.#work(state);
      requeueMs = state.requeueMs;
    });
    if (
      (await retryingConflicts(
        running.then(() => undefined),
        () => false,
      )) === 'retry'
    )
      return 'retry';
    run.requeueAfter(requeueMs);
    return requeueMs < Infinity ? 'requeue_after' : 'success';
  }

  async #work(state: RunState): Promise<void> {
    const { reconcile, finalize } = this.#spec;
    const finalizer = this.#finalizer;
    const { deletionTimestamp, finalizers = [] } = state.object.metadata;
    if (finalizer === undefined || finalize === undefined) {
      if (deletionTimestamp === undefined) await reconcile(state.object, state.context);
    } else if (deletionTimestamp === undefined) {
      if (!hasFinalizer(state.object, finalizer)) {
        const held = await setFinalizers(state.resource, state.object, [...finalizers, finalizer]);
        if (held === undefined) return;
      }
      await reconcile(state.object, state.context);
    } else if (hasFinalizer(state.object, finalizer)) {
      await finalize(state.object, state.context);
      const { finalizers: last = [] } = state.object.metadata;
      await setFinalizers(
        state.resource,
        state.object,
        last.filter((name) => name !== finalizer),
      );
    }
  }

  #report(error: unknown, key: string | undefined): void {
    this.#host.onError(error, { controller: this.name, key });
  }
}

const groupIn = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

function cacheOf(informer: Informer<AnyObject>, indexName: (name: string) => string): Cached<AnyObject> {
  return {
    get: (key) => informer.get(key),
    find: (index, value) => informer.find(indexName(index), value),
    values: () => informer.values(),
    keys: () => [...informer.values()].map(objectKey),
  };
}
