import { parseTime } from '../../foundation/index.js';
import type { coreV1 } from '../../kinds/index.js';
import type { PlannedEnd, PodPlan } from './outcomes.js';

/** Part of a container in its pod. */
export type ContainerRole = 'init' | 'sidecar' | 'main';

/** The end of a container's run. */
export interface ContainerEnd {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string | undefined;
  readonly startedMs: number;
  readonly finishedMs: number;
  /** Number of the run, from 0. */
  readonly run: number;
}

/** A change that happens at a time. */
export interface Due {
  /** Milliseconds since the epoch; infinite for a change that never happens. */
  readonly atMs: number;
  /** Makes the change at `atMs`. */
  readonly apply: (atMs: number) => void;
}

/** Pauses of the kubelet between restarts of a container. */
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;
/** Duration of a run after which the pauses start from the beginning again. */
const STABLE_MS = 600_000;

/** Restart policy of a pod: `Always`, `OnFailure` or `Never`. */
type RestartPolicy = string;

/** A container of a simulated pod, which moves from change to change. */
export class ContainerMachine {
  readonly name: string;
  readonly role: ContainerRole;
  readonly #podRestartPolicy: RestartPolicy;
  state: 'waiting' | 'running' | 'terminated' = 'waiting';
  ready = false;
  restarts = 0;
  /** Why it waits, when it is its turn to run. */
  waits: PodPlan['waits'];
  /** The end of its last run. */
  end: ContainerEnd | undefined;
  /** The end of the run before the current one. */
  lastEnd: ContainerEnd | undefined;
  startedMs = 0;
  /** Pause before the next start; 0 before the second failure. */
  backoffMs = 0;

  constructor(name: string, role: ContainerRole, podRestartPolicy: RestartPolicy) {
    this.name = name;
    this.role = role;
    this.#podRestartPolicy = podRestartPolicy;
  }

  /** Whether the container has run or runs. */
  get hasStarted(): boolean {
    return this.state !== 'waiting' || this.end !== undefined;
  }

  /** Whether the container pauses before its next start. */
  get isBackingOff(): boolean {
    return this.state === 'waiting' && this.end !== undefined;
  }

  /** Whether the container has ended and does not start again. */
  get isFinished(): boolean {
    return this.state === 'terminated' && !this.restartsAfter(this.end?.exitCode ?? 0);
  }

  /** Whether the containers after it may start. */
  get isPassed(): boolean {
    if (this.role === 'sidecar') return this.state === 'running';
    return this.state === 'terminated' && this.end?.exitCode === 0;
  }

  restartsAfter(exitCode: number): boolean {
    if (this.role === 'sidecar') return true;
    if (this.role === 'init') return exitCode !== 0 && this.#podRestartPolicy !== 'Never';
    return this.#podRestartPolicy === 'Always' || (this.#podRestartPolicy === 'OnFailure' && exitCode !== 0);
  }

  /**
   * Returns the next change.
   *
   * @param plan what the pod follows
   * @param followsMs when it began to follow the plan, with the delay of the plan
   * @param turnMs when it became the container's turn to start
   */
  due(plan: PodPlan, followsMs: number, turnMs: number): Due | undefined {
    const isMeant = plan.container === undefined ? this.role === 'main' : plan.container === this.name;
    if (this.state === 'running') return this.#dueWhileRunning(plan, isMeant, followsMs);
    if (this.isFinished || (this.role === 'init' && this.isPassed)) return undefined;
    if (this.end !== undefined) {
      const restartMs = this.end.finishedMs + (this.isBackingOff ? this.backoffMs : 0);
      // A container that will not end again does not wait for the end of its pause.
      const endsAgain = isMeant && plan.ends !== undefined;
      return { atMs: endsAgain ? restartMs : Math.min(restartMs, followsMs), apply: this.#start };
    }
    const atMs = Math.max(turnMs, followsMs);
    if (!isMeant || plan.waits === undefined) return { atMs, apply: this.#start };
    return this.waits === plan.waits ? undefined : { atMs, apply: () => void (this.waits = plan.waits) };
  }

  #dueWhileRunning(plan: PodPlan, isMeant: boolean, followsMs: number): Due | undefined {
    const sinceMs = Math.max(this.startedMs, followsMs);
    const end = this.#endOf(plan, isMeant);
    const endMs = end === undefined ? Infinity : sinceMs + end.afterMs;
    const shouldBeReady = !(isMeant && plan.readyMs === Infinity) && this.role !== 'init';
    const readyMs = this.ready === shouldBeReady ? Infinity : this.#readinessMs(plan, sinceMs, shouldBeReady);
    if (end !== undefined && endMs <= readyMs) return { atMs: endMs, apply: (atMs) => this.finish(end, atMs) };
    return readyMs === Infinity ? undefined : { atMs: readyMs, apply: () => void (this.ready = shouldBeReady) };
  }

  #readinessMs({ readyMs }: PodPlan, sinceMs: number, becomesReady: boolean): number {
    return becomesReady && this.role === 'main' ? sinceMs + readyMs : sinceMs;
  }

  /** Returns how the container's run ends by the plan; undefined when it runs forever. */
  #endOf(plan: PodPlan, isMeant: boolean): PlannedEnd | undefined {
    if (isMeant && plan.ends !== undefined) return plan.ends;
    if (this.role !== 'init') return undefined;
    return { afterMs: plan.initMs, exitCode: 0, reason: 'Completed', message: undefined };
  }

  /** Ends the current run. */
  finish({ exitCode, reason, message }: Omit<PlannedEnd, 'afterMs'>, atMs: number): void {
    this.end = { exitCode, reason, message, startedMs: this.startedMs, finishedMs: atMs, run: this.restarts };
    this.ready = this.role === 'init' && exitCode === 0;
    this.state = 'terminated';
    if (!this.restartsAfter(exitCode)) return;
    const ranMs = atMs - this.startedMs;
    // The first restart is immediate.
    if (ranMs >= STABLE_MS || this.lastEnd === undefined) this.backoffMs = 0;
    else this.backoffMs = Math.min(this.backoffMs === 0 ? FIRST_BACKOFF_MS : this.backoffMs * 2, MAX_BACKOFF_MS);
    if (this.backoffMs > 0) this.state = 'waiting';
  }

  readonly #start = (atMs: number): void => {
    if (this.end !== undefined) this.restarts += 1;
    this.lastEnd = this.end;
    this.waits = undefined;
    this.state = 'running';
    this.ready = false;
    this.startedMs = atMs;
  };

  /** Takes over the state that an object of the API has, after a restart of the program. */
  restore({ state, lastState, ready, restartCount }: coreV1.ContainerStatus): void {
    const endOf = ({ terminated }: coreV1.ContainerState, run: number): ContainerEnd | undefined =>
      terminated && {
        exitCode: terminated.exitCode,
        reason: terminated.reason ?? '',
        message: terminated.message,
        startedMs: parseTime(terminated.startedAt ?? '') ?? 0,
        finishedMs: parseTime(terminated.finishedAt ?? '') ?? 0,
        run,
      };
    this.restarts = restartCount;
    this.ready = ready;
    this.lastEnd = endOf(lastState ?? {}, restartCount - 1);
    this.end = endOf(state ?? {}, restartCount) ?? this.lastEnd;
    if (state?.running !== undefined) {
      this.state = 'running';
      this.startedMs = parseTime(state.running.startedAt ?? '') ?? 0;
    } else if (state?.terminated !== undefined) this.state = 'terminated';
    if (this.isBackingOff) this.backoffMs = FIRST_BACKOFF_MS;
  }
}
