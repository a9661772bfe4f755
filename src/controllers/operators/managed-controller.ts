import type { Client } from '../../client/index.js';
import { durationMs, groupName, type DialectGroups } from '../../foundation/index.js';
import { BoundedRuns } from '../runtime/bounded-runs.js';
import type { EventRecorder } from '../runtime/event-recorder.js';
import { retryingConflicts } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Reconciler, ReconcilerHost } from '../runtime/keyed-reconciler.js';
import type { Run } from '../runtime/keyed-runner.js';
import { reconciler, type EndedRun } from '../runtime/reconciler.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import { kindOf, type Source } from '../runtime/sources.js';
import type { WorkResult } from '../runtime/work-queue.js';
import type { CachedForm } from './cached-form.js';
import { changes } from './changes.js';
import { hasFinalizer, setFinalizers } from './finalizers.js';
import type { Followed } from './own-calls.js';
import { OwnWrites } from './own-writes.js';
import { RunState, type RunParts } from './run-context.js';
import { nameOf, type ControllerSpec } from './spec.js';

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
export interface ManagerHost extends Pick<ReconcilerHost, 'clock' | 'informers'> {
  readonly client: Client;
  readonly recorder: EventRecorder;
  /** Time that runs get until their abort when the manager stops, in milliseconds. */
  readonly stopMs: number;
  readonly onError: (error: unknown, origin: ErrorOrigin) => void;
  /** Called after each run. */
  readonly ran: (run: EndedRun) => void;
  /** Called before each call of a run. @throws what the call throws when it must not be made */
  readonly check: () => void;
  /** Returns what the caches hold of the objects of a source. */
  readonly form: CachedForm;
  /** Whether changes run objects; false for a process that waits for the lead. */
  readonly isActive: () => boolean;
}

const TIMEOUT = '5m';
const FIRST_PAUSE = '5ms';
const LONGEST_PAUSE = '16m';
const RETRY_LIMIT = Object.freeze({ perSecond: 10, burst: 100 });

/**
 * A controller of a user: a `reconciler` whose runs have a context. The context has a client whose writes the reconciler
 * waits for, finalizers, and what is written to dependents and the status.
 */
export class ManagedController {
  readonly name: string;
  readonly concurrency: number;
  readonly controller: Reconciler;
  /** The runs, which end in time. */
  readonly runs: BoundedRuns;
  readonly #spec: ControllerSpec;
  readonly #writes: OwnWrites;
  readonly #finalizer: string | undefined;
  readonly #parts: RunParts;
  readonly #main: Followed;

  /** @throws TypeError when the controller needs the name of a finalizer */
  constructor(spec: ControllerSpec, host: ManagerHost) {
    const { concurrency = 1, timeout = TIMEOUT, owns = [], watches = [], indexes = {}, kind } = spec;
    const { client, clock, informers, recorder, check, onError, form } = host;
    const name = nameOf(spec);
    const follow = (source: Source): Followed => ({ source, informer: informers.of(source) });
    const owned = owns.map(follow);
    this.#main = follow(kind);
    const followed = [this.#main, ...owned, ...watches.map(({ source }) => follow(source))];
    this.name = name;
    this.concurrency = concurrency;
    this.#spec = spec;
    this.#finalizer = finalizerOf(spec, client.backend.dialect);
    this.runs = new BoundedRuns(clock, { timeoutMs: durationMs(timeout), stopMs: host.stopMs });
    this.#writes = new OwnWrites({
      ...{ followed, clock, dialect: client.backend.dialect },
      again: (key) => running.add(key),
      onError: (error, key) => onError(error, { controller: name, key }),
    });
    const running: Reconciler = this.#reconciler(host);
    this.controller = running;
    this.#parts = {
      ...{ name, client, clock, check, kind: kindOf(kind), owns: owned },
      caches: { dialect: client.backend.dialect, cached: running.cached, followed, owns: owned, form, indexes },
      events: recorder.of(name),
    };
  }

  /** Runs all objects that are cached: changes from now on do so by themselves. */
  begin(): void {
    const { informer } = this.#main;
    for (const object of informer.values()) this.controller.add(objectKey(object), 'listed');
  }

  /** Number of current runs. */
  get active(): number {
    return this.controller.queues[0]?.running ?? 0;
  }

  #reconciler({ clock, informers, onError, ran, isActive }: ManagerHost): Reconciler {
    const { name: controller, concurrency } = this;
    const { kind, owns, watches, indexes, runsOn = changes.exceptStatus, backoff } = this.#spec;
    return reconciler(
      { clock, informers, onError: (error, key, attempt) => onError(error, { controller, key, attempt }) },
      {
        ...{ name: controller, queue: controller, kind, owns, watches, indexes, runsOn },
        ...{ concurrency, prefersChanges: true, retryLimit: RETRY_LIMIT },
        baseDelay: backoff?.first ?? FIRST_PAUSE,
        maxDelay: backoff?.most ?? LONGEST_PAUSE,
        ...{ bounds: this.runs, writes: this.#writes, isActive },
        ran,
        reconcile: (object, run) => this.#run(object, run),
      },
    );
  }

  /** Returns `retry` after a conflict: the object has changed, so that a run with its new state follows. */
  #run(object: AnyObject, run: Run): Promise<WorkResult> {
    const { key, attempt, signal } = run;
    const state = new RunState(this.#parts, {
      ...{ key, attempt, signal, object },
      answered: (call, answer) => this.#writes.answered(key, call, answer),
    });
    const worked = this.#work(state).then(() => run.requeueAfter(state.requeueMs));
    return retryingConflicts(worked, () => false);
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
}

/** Returns the finalizer of a controller; undefined for one without `finalize`. @throws TypeError when it has no name */
function finalizerOf(spec: ControllerSpec, dialect: DialectGroups): string | undefined {
  const { finalize, finalizer, kind } = spec;
  if (finalize === undefined) return undefined;
  if (finalizer !== undefined) return finalizer;
  const name = nameOf(spec);
  const of = kindOf(kind);
  const group = 'plural' in of ? groupName(of.group, dialect) : groupIn(of.apiVersion);
  if (group === '')
    throw new TypeError(
      `the controller ${name} needs the option finalizer, such as 'example.com/${name}': ${of.kind} has no group`,
    );
  return `${group}/${name}`;
}

const groupIn = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');
