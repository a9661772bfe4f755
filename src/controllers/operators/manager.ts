import type { Client } from '../../client/index.js';
import {
  aBoolean,
  aDuration,
  aFunction,
  checkOptions,
  durationMs,
  keepAlive,
  matching,
  nextTurn,
  onAbort,
  withMethods,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import type { TransportTarget } from '../../transport/index.js';
import { runController, stopController, type Controller, type RunningInformer } from '../runtime/controller.js';
import { EventRecorder } from '../runtime/event-recorder.js';
import { settle } from '../runtime/settle.js';
import { SharedInformers } from '../runtime/shared-informers.js';
import { cachedFormOf } from './cached-form.js';
import { checkElection, LeadLostError, runElected, type ElectionOptions, type LeadTerm } from './elected.js';
import { loggedErrors } from './report-errors.js';
import { managerTarget, type ManagerState } from './manager-target.js';
import { RunMetrics } from './run-metrics.js';
import type { EndedRun } from '../runtime/reconciler.js';
import { ManagedController, type ErrorOrigin } from './managed-controller.js';
import type { ControllerSpec } from './spec.js';

/** A controller: what to do, not where. Made by `createController`. */
export interface RunnableController {
  readonly name: string;
  /**
   * Runs the controller until the signal aborts, or for ever without one. It is a manager of one controller; see
   * {@link Manager.run}.
   */
  run(options: ControllerRunOptions): Promise<void>;
  /** @internal */
  readonly spec: ControllerSpec;
}

/** Options of a run of controllers. */
export interface RunOptions {
  /** Stops the controllers. */
  readonly signal?: AbortSignal | undefined;
  /** Runs the controllers only while this process leads, of all that name the same Lease. Default: at once. */
  readonly leaderElection?: ElectionOptions | undefined;
}

/** Options of {@link RunnableController.run}. */
export interface ControllerRunOptions extends RunOptions, Omit<ManagerOptions, 'controllers'> {}

/** Options of {@link createManager}. */
export interface ManagerOptions {
  /** Where the controllers work: a server in the process, or one over the wire. */
  readonly client: Client;
  readonly controllers: readonly RunnableController[];
  /**
   * Time in which the controllers stop: their runs go on for half of it, then their signals abort. Default `30s`.
   */
  readonly shutdown?: Duration | undefined;
  /**
   * Called with each error of a run, an informer or an event, which ends nothing else. Default: `console.error`, for one
   * that repeats the 1st, 2nd, 4th, 8th… time.
   */
  readonly onError?: ((error: unknown, origin: ErrorOrigin) => void) | undefined;
  /** Called after each run. */
  readonly onRun?: ((run: EndedRun) => void) | undefined;
  /**
   * Whether cached objects are frozen, so that code that changes one gets a TypeError. It costs time for each change;
   * `test.run` does it. Default false.
   */
  readonly frozenCaches?: boolean | undefined;
}

const checks: OptionChecks<ManagerOptions> = {
  client: withMethods('a client, such as server.client() or the result of connect()', 'resource'),
  controllers: matching(
    'a list of the results of createController',
    (value) =>
      Array.isArray(value) &&
      value.every((entry: unknown) => typeof entry === 'object' && entry !== null && 'spec' in entry),
  ),
  shutdown: aDuration,
  onError: aFunction,
  onRun: aFunction,
  frozenCaches: aBoolean,
};

/** Several controllers that run together: their informers, and so their caches, are shared. */
export interface Manager {
  /**
   * Runs the controllers until the signal aborts, or for ever without one: first the informers complete their lists, then
   * the queues start. On the signal no further run begins, runs get time to end, events are written, informers end. The
   * process stays alive meanwhile, unless the client is closed.
   *
   * @throws Error when it runs already or has run
   * @throws TypeError that names an invalid option of the election
   * @throws LeadLostError when this process leads no longer, after the controllers have stopped
   */
  run(options?: RunOptions): Promise<void>;
  /** Resolves when no controller has work left without more time. */
  settled(): Promise<void>;
  /** Returns the metrics in the text format of Prometheus: those of controller-runtime and of the work queues. */
  metrics(): Promise<string>;
  /**
   * Answers `/healthz`, `/livez`, `/readyz` and `/metrics`, for transports: `await listen(manager, { port: 8081 })`. Health
   * fails when as many runs as a controller has workers do not end; readiness, before the informers have completed
   * their first lists and while the manager stops. A process that waits for the lead is ready.
   */
  readonly target: TransportTarget;
  /** Returns the names of the controllers whose runs did not end, with the keys of the runs. */
  readonly lost: readonly string[];
  /** Stops at once: runs are aborted, and those that go on are abandoned. Resolves when all the rest has stopped. */
  abandon(): Promise<void>;
}

/** Half of the time to stop belongs to runs before their abort. */
const RUNS_SHARE = 0.5;

/** Turns of the event loop that aborted runs get to end. */
const TURNS_TO_END = 100;

/**
 * Returns a manager of several controllers with one cache.
 *
 * @throws TypeError that names an invalid option, and for two controllers of one name
 */
export function createManager(options: ManagerOptions): Manager {
  checkOptions('createManager', options, checks, ['client', 'controllers']);
  const names = options.controllers.map(({ name }) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) throw new TypeError(`createManager: two controllers have the name ${doubled}`);
  return new RunningManager(options);
}

/** A manager. */
class RunningManager implements Manager {
  readonly #controllers: readonly ManagedController[];
  readonly #events: Controller;
  readonly #client: Client;
  readonly #metrics = new RunMetrics();
  readonly #report: (error: unknown) => void;
  readonly target: TransportTarget;
  #running: Promise<void> | undefined;
  #state: ManagerState = 'idle';
  /** Whether changes run objects; false while another process leads. */
  #isActive = true;
  /** Throws when another process may lead; undefined without an election. */
  #check: LeadTerm['check'] | undefined;
  readonly #stop = new AbortController();

  constructor(options: ManagerOptions) {
    const { client, controllers, shutdown = '30s', onRun, frozenCaches = false } = options;
    const { clock } = client.backend;
    const { onError = loggedErrors(clock) } = options;
    this.#report = (error) => onError(error, {});
    const recorder = new EventRecorder({ ...{ client, clock, onError: this.#report }, dialect: EVENT_PLACES });
    const form = cachedFormOf(
      controllers.map(({ spec }) => spec),
      frozenCaches,
    );
    const informers = new SharedInformers({ client, clock, onError: this.#report, keepOf: form });
    const stopMs = durationMs(shutdown) * RUNS_SHARE;
    const ran = (run: EndedRun): void => {
      this.#metrics.ran(run);
      onRun?.(run);
    };
    const check = (): void => this.#check?.();
    const isActive = (): boolean => this.#isActive;
    const host = { client, clock, informers, recorder, stopMs, onError, ran, check, form, isActive };
    this.#controllers = controllers.map(({ spec }) => new ManagedController(spec, host));
    this.#metrics.measure(this.#controllers, informers, clock);
    this.#events = recorder.controller();
    this.#client = client;
    this.target = managerTarget({
      clock,
      state: () => (this.#stop.signal.aborted ? 'stopping' : this.#state),
      stuck: () => this.#controllers.filter(isStuck).map(({ name }) => name),
      metrics: () => this.metrics(),
    });
  }

  async run({ signal, leaderElection }: RunOptions = {}): Promise<void> {
    if (this.#running !== undefined) throw new Error('the manager runs already, or has run');
    if (leaderElection !== undefined) checkElection(leaderElection);
    const stopListening = onAbort(signal, () => this.#stop.abort());
    if (signal?.aborted === true) this.#stop.abort();
    const letEnd = this.#keepAlive();
    const closed = this.#client.backend.opened?.(`the controllers ${this.#names}`);
    this.#running = this.#run(leaderElection);
    try {
      await this.#running;
    } finally {
      stopListening();
      letEnd();
      closed?.();
    }
  }

  /** Follows the objects, and works on them: at once, or when this process leads. */
  async #run(election: ElectionOptions | undefined): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#isActive = election === undefined;
    this.#follow();
    try {
      await (election === undefined ? this.#work({ signal: this.#stop.signal }) : this.#elected(election));
    } finally {
      await this.#unfollow();
    }
  }

  /** Starts the informers: a process that waits for the lead has current caches when it gets it. */
  #follow(): void {
    this.#state = 'starting';
    const informers = this.#informers;
    for (const informer of informers) informer.start();
    void Promise.all(informers.map((informer) => informer.synced())).then(() => {
      if (this.#state === 'starting') this.#state = 'running';
    });
  }

  async #unfollow(): Promise<void> {
    this.#state = 'stopping';
    await Promise.all(this.#all.map(stopController));
  }

  get #informers(): readonly RunningInformer[] {
    return [...new Set(this.#controllers.flatMap(({ controller }) => [...controller.informers()]))];
  }

  get #names(): string {
    return this.#controllers.map(({ name }) => name).join(', ');
  }

  /**
   * Keeps the process alive, which informers and timers do not, until the client is closed.
   *
   * @returns a function that lets the process end
   */
  #keepAlive(): () => void {
    const { clock, closed } = this.#client.backend;
    if (closed?.aborted === true) return () => undefined;
    const alive = keepAlive(clock);
    const stopListening = onAbort(closed, () => alive.release());
    alive.hold();
    return () => {
      stopListening();
      alive.end();
    };
  }

  async settled(): Promise<void> {
    if (this.#isActive) await settle(this.#all, () => this.#stop.signal.aborted);
    else await Promise.all(this.#informers.map((informer) => informer.caughtUp()));
  }

  metrics(): Promise<string> {
    return this.#metrics.read();
  }

  get lost(): readonly string[] {
    return this.#controllers.flatMap(({ name, runs }) => runs.lost.map((key) => `${name} (${key})`));
  }

  async abandon(): Promise<void> {
    // Who called run hears of a lost lead.
    const stopped = this.#running?.catch(() => undefined);
    this.#stop.abort();
    if (stopped === undefined) return;
    for (const controller of this.#controllers) controller.runs.abort();
    let ended = false;
    void stopped.then(() => (ended = true));
    for (let turn = 0; turn < TURNS_TO_END && !ended; turn += 1) await nextTurn();
    for (const controller of this.#controllers) controller.runs.giveUp();
    await stopped;
  }

  get #all(): readonly Controller[] {
    return [this.#events, ...this.#controllers.map(({ controller }) => controller)];
  }

  #elected(election: ElectionOptions): Promise<void> {
    const work = (term: LeadTerm): Promise<void> => this.#work(term);
    return runElected({ client: this.#client, election, stop: this.#stop.signal, work, onError: this.#report });
  }

  /** Runs the controllers until the signal of a term aborts. */
  async #work({ signal, check }: Pick<LeadTerm, 'signal'> & Partial<LeadTerm>): Promise<void> {
    this.#check = check;
    if (!signal.aborted) {
      if (!this.#isActive) {
        this.#isActive = true;
        for (const controller of this.#controllers) controller.begin();
      }
      for (const controller of this.#all) void runController(controller);
      await new Promise<void>((resolve) => onAbort(signal, resolve));
    }
    this.#state = 'stopping';
    // Another process may lead already: runs get no time to end.
    if (signal.reason instanceof LeadLostError) for (const { runs } of this.#controllers) runs.abort(signal.reason);
    // The caches stay current while runs end, and the Lease is held until all has ended.
    await Promise.all(this.#controllers.flatMap(({ controller }) => controller.queues.map((queue) => queue.stop())));
    await this.#events.queues[0]?.whenIdle();
    await this.#unfollow();
  }
}

/** Returns whether as many runs as a controller has workers go on after their abort. */
const isStuck = ({ runs, concurrency }: ManagedController): boolean => runs.lost.length >= concurrency;

/** Events about objects without a namespace are in this one. */
const EVENT_PLACES = Object.freeze({ namespaces: Object.freeze({ default: 'default' }) });
