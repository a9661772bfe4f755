import { greatest, parseTime, secondsAsMs } from '../../foundation/index.js';
import type { coreV1 } from '../../kinds/index.js';
import type { SimulatedPod } from '../objects.js';
import { ContainerMachine, type Due } from './container-machine.js';
import { RUNS, type PlannedEnd, type PodPlan } from './outcomes.js';

/** An end of the whole pod that does not come from its containers. */
export interface PodFailure {
  /** `Evicted`, `Preempting` or `DeadlineExceeded`. */
  readonly reason: string;
  readonly message: string;
}

const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline';
/** How containers end that get SIGTERM. */
const TERMINATED: Omit<PlannedEnd, 'afterMs'> = { exitCode: 143, reason: 'Error', message: undefined };
const KILLED: Omit<PlannedEnd, 'afterMs'> = { exitCode: 137, reason: 'Error', message: undefined };
const STOPPED: Omit<PlannedEnd, 'afterMs'> = { exitCode: 0, reason: 'Completed', message: undefined };
const NEVER: Due = { atMs: Infinity, apply: () => undefined };

/**
 * The life of a pod on its node: a state that moves from change to change on the clock. It does no I/O.
 */
export class PodMachine {
  /** Containers in the order of their start. */
  readonly containers: readonly ContainerMachine[];
  /** When the kubelet first saw the pod, in milliseconds since the epoch. */
  readonly startMs: number;
  #deadlineMs = Infinity;
  readonly #inits: readonly ContainerMachine[];
  readonly #mains: readonly ContainerMachine[];
  #plan: PodPlan = RUNS;
  #followsMs: number;
  /** When the containers that may start now became able to. */
  #turnMs: number;
  failure: PodFailure | undefined;
  /** When the pod was deleted, and how long its containers may take to end. */
  #deletion: { readonly seenMs: number; readonly graceMs: number } | undefined;
  /** Whether the containers of a deleted pod have ended. */
  isGone = false;
  /** Whether the state has changed since it was last written. */
  isChanged = true;

  constructor({ spec, status }: SimulatedPod, nowMs: number) {
    const { initContainers = [], containers = [], restartPolicy = 'Always' } = spec ?? {};
    this.#inits = initContainers.map(
      ({ name, restartPolicy: own }) =>
        new ContainerMachine(name, own === 'Always' ? 'sidecar' : 'init', restartPolicy),
    );
    this.#mains = containers.map(({ name }) => new ContainerMachine(name, 'main', restartPolicy));
    this.containers = [...this.#inits, ...this.#mains];
    const known = status?.startTime === undefined ? undefined : parseTime(status.startTime);
    this.startMs = known ?? nowMs;
    this.#followsMs = this.startMs;
    this.#turnMs = this.startMs;
    if (known !== undefined) this.#restore(status ?? {});
  }

  #restore({ containerStatuses = [], initContainerStatuses = [], phase, reason, message }: coreV1.PodStatus): void {
    for (const status of [...initContainerStatuses, ...containerStatuses])
      this.containers.find(({ name }) => name === status.name)?.restore(status);
    if (phase === 'Failed' && reason !== undefined) this.failure = { reason, message: message ?? '' };
    this.isChanged = false;
  }

  /** Whether a container has run. */
  get hasStarted(): boolean {
    return this.containers.some(({ hasStarted }) => hasStarted);
  }

  get isInitialized(): boolean {
    return this.#inits.every(({ isPassed }) => isPassed) || this.#mains.some(({ hasStarted }) => hasStarted);
  }

  /** Whether the pod has a network: from its start until its end. */
  get hasSandbox(): boolean {
    return this.hasStarted && !this.isFinished;
  }

  /** Whether the pod will not run again. */
  get isFinished(): boolean {
    const phase = this.phase();
    return phase === 'Succeeded' || phase === 'Failed';
  }

  phase(): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
    if (this.failure !== undefined) return 'Failed';
    if (this.#inits.some((init) => init.role === 'init' && init.isFinished && !init.isPassed)) return 'Failed';
    if (!this.isInitialized) return this.isGone ? 'Failed' : 'Pending';
    if (this.isGone || this.#mains.every(({ isFinished }) => isFinished))
      return this.#mains.every(({ end }) => end?.exitCode === 0) ? 'Succeeded' : 'Failed';
    return this.#mains.some(({ hasStarted }) => !hasStarted) ? 'Pending' : 'Running';
  }

  /** Limits how long the pod may run, from its start on. The limit may change while it runs. */
  limit(activeDeadlineSeconds: number | undefined): void {
    this.#deadlineMs =
      activeDeadlineSeconds === undefined ? Infinity : this.startMs + secondsAsMs(activeDeadlineSeconds);
  }

  /** Lets the pod follow a plan from now on. */
  follow(plan: PodPlan, nowMs: number): void {
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#followsMs = nowMs + plan.delayMs;
    // Containers that an earlier plan kept waiting start by the new one.
    for (const container of this.containers) container.waits = container.waits === plan.waits ? plan.waits : undefined;
  }

  /** Lets the containers of a deleted pod end. */
  delete(graceSeconds: number, nowMs: number): void {
    const graceMs = secondsAsMs(graceSeconds);
    if (this.#deletion !== undefined && this.#deletion.graceMs <= graceMs) return;
    this.#deletion = { seenMs: this.#deletion?.seenMs ?? nowMs, graceMs };
  }

  /** Ends the pod now, for a reason that does not come from its rule. */
  fail(failure: PodFailure, atMs: number): void {
    this.#stopAll(KILLED, atMs);
    this.failure = failure;
    this.isChanged = true;
  }

  /** Makes all changes that are due. Returns the time of the next one; infinite when there is none. */
  advance(nowMs: number): number {
    for (;;) {
      const due = this.#next();
      if (due.atMs > nowMs) return due.atMs;
      due.apply(due.atMs);
      this.isChanged = true;
    }
  }

  #next(): Due {
    if (this.isGone) return NEVER;
    if (this.#deletion !== undefined) return this.#end(this.#deletion);
    if (this.isFinished) return this.#stopSidecars() ?? NEVER;
    const all = [this.#deadline(), this.#eviction(), ...this.#active().map((each) => this.#dueOf(each))];
    return all.reduce((first, due) => (due.atMs < first.atMs ? due : first), NEVER);
  }

  #dueOf(container: ContainerMachine): Due {
    const due = container.due(this.#plan, this.#followsMs, this.#turnMs);
    if (due === undefined) return NEVER;
    return {
      atMs: due.atMs,
      apply: (atMs) => {
        const passed = container.isPassed;
        due.apply(atMs);
        if (!passed && container.isPassed) this.#turnMs = atMs;
      },
    };
  }

  /** Returns the containers that run or may start: init containers start one after another. */
  #active(): ContainerMachine[] {
    if (this.#mains.some(({ hasStarted }) => hasStarted)) return [...this.containers];
    const current = this.#inits.findIndex(({ isPassed }) => !isPassed);
    if (current < 0) return [...this.containers];
    return this.#inits.slice(0, current + 1);
  }

  #deadline(): Due {
    const failure = { reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE };
    return { atMs: this.#deadlineMs, apply: (atMs) => this.fail(failure, atMs) };
  }

  #eviction(): Due {
    const { evicted } = this.#plan;
    const main = this.#mains[0];
    if (evicted === undefined || main?.state !== 'running') return NEVER;
    const atMs = Math.max(main.startedMs, this.#followsMs) + evicted.afterMs;
    return { atMs, apply: () => this.fail({ reason: 'Evicted', message: evicted.message }, atMs) };
  }

  #end({ seenMs, graceMs }: { readonly seenMs: number; readonly graceMs: number }): Due {
    const runs = this.containers.some(({ state }) => state === 'running');
    const { terminateMs } = this.#plan;
    const atMs = seenMs + (runs ? Math.min(terminateMs, graceMs) : 0);
    const how = terminateMs > graceMs ? KILLED : TERMINATED;
    return {
      atMs,
      apply: () => {
        this.#stopAll(how, atMs);
        this.isGone = true;
      },
    };
  }

  #stopSidecars(): Due | undefined {
    const running = this.containers.filter(({ state }) => state === 'running');
    if (running.length === 0) return undefined;
    return { atMs: 0, apply: () => this.#stopAll(STOPPED, this.#lastEndMs()) };
  }

  #lastEndMs(): number {
    return greatest(
      this.containers.map(({ end }) => end?.finishedMs ?? 0),
      this.startMs,
    );
  }

  #stopAll(how: Omit<PlannedEnd, 'afterMs'>, atMs: number): void {
    for (const container of this.containers) {
      if (container.state === 'running') container.finish(how, atMs);
      // Nothing starts again.
      if (container.isBackingOff) container.state = 'terminated';
    }
  }
}
