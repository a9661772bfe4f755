/**
 * The outcomes that a rule gives to pods. An outcome and its options are compiled to a {@link PodPlan}, which the
 * simulated kubelet follows.
 *
 * @module
 */
import {
  aDuration,
  aName,
  aText,
  checkOptions,
  durationMs,
  matching,
  shown,
  suggestion,
  type Duration,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';

/** When a pod begins to follow a rule. */
export interface PodStartOptions {
  /**
   * Time until the pod follows the rule: from its binding to a node, or, when it has one already, from the creation of
   * the rule. Until then a new pod is `ContainerCreating`, and a running one stays as it is. Default 0.
   */
  readonly after?: Duration | undefined;
}

/** Times of a pod that runs. */
export interface PodRunOptions extends PodStartOptions {
  /** Duration of each init container. Default 0. */
  readonly initAfter?: Duration | undefined;
  /** Time from the start of a container until it is ready. Default 0. */
  readonly readyAfter?: Duration | undefined;
  /**
   * Time from the deletion of the pod until its containers have ended, at most its grace period. Default 0.
   */
  readonly terminateAfter?: Duration | undefined;
}

/** The container that an outcome is about. */
export interface PodContainerOptions {
  /**
   * Name of a container or init container; the others run. The rule matches only pods that have it. Default: all
   * containers.
   */
  readonly container?: string | undefined;
}

/** Options of outcomes in which containers end. */
export interface PodEndOptions extends PodRunOptions, PodContainerOptions {
  /** Duration of each run of the container. Default 0. */
  readonly completeAfter?: Duration | undefined;
}

/** Options of outcomes in which containers fail. */
export interface PodFailureOptions extends PodEndOptions {
  /** Exit code of the container, 1 to 255. Default 1. */
  readonly exitCode?: number | undefined;
  /** Reason of the container's end. Default `Error`. */
  readonly reason?: string | undefined;
  /** Termination message of the container. Default none. */
  readonly message?: string | undefined;
}

/** Options of outcomes in which containers do not start. */
export interface PodWaitingOptions extends PodStartOptions, PodContainerOptions {
  /** Message beside the reason. Default that of the kubelet. */
  readonly message?: string | undefined;
}

/** Options of a pod that is not scheduled. */
export interface PodPendingOptions {
  /** Message of the condition PodScheduled and of the event. */
  readonly message?: string | undefined;
}

/** Options of an eviction by the node. */
export interface PodEvictedOptions extends PodRunOptions {
  /** Time from the start of the containers until the eviction. Default 0. */
  readonly completeAfter?: Duration | undefined;
  /** Message in the pod's status. Default `The node was low on resource: memory. `. */
  readonly message?: string | undefined;
}

/**
 * The outcomes and their options. What follows the end of a container is decided by the pod's restart policy: it is
 * restarted with the growing pauses of `CrashLoopBackOff`, or the pod becomes `Succeeded` or `Failed`.
 */
export interface PodOutcomes {
  /** The containers run and become ready. */
  Running: PodRunOptions;
  /** The containers run and never become ready. */
  NotReady: PodStartOptions & Pick<PodRunOptions, 'initAfter' | 'terminateAfter'> & PodContainerOptions;
  /** The pod has a node, but its containers never start. Does not affect a pod that has started. */
  ContainerCreating: PodWaitingOptions;
  /** The image cannot be pulled. Does not affect a pod that has started. */
  ErrImagePull: PodWaitingOptions;
  /** The image cannot be pulled, and the kubelet pauses. Does not affect a pod that has started. */
  ImagePullBackOff: PodWaitingOptions;
  /** No node fits: the condition PodScheduled is false with the reason Unschedulable. Does not affect a bound pod. */
  Pending: PodPendingOptions;
  /** The containers end with exit code 0. */
  Succeeded: PodEndOptions;
  /** The containers end with an exit code other than 0. */
  Failed: PodFailureOptions;
  /** The containers fail again and again: the same as `Failed`, under the name of what a restarted pod shows. */
  CrashLoopBackOff: PodFailureOptions;
  /** The containers are killed for lack of memory: exit code 137, reason OOMKilled. */
  OOMKilled: PodEndOptions;
  /** The node evicts the pod, which becomes `Failed` with the reason Evicted, whatever its restart policy. */
  Evicted: PodEvictedOptions;
}

/** Name of an outcome. */
export type PodOutcome = keyof PodOutcomes;

/** The end of a container's run. */
export interface PlannedEnd {
  readonly afterMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string | undefined;
}

/** A compiled outcome. */
export interface PodPlan {
  /** See {@link PodStartOptions.after}. */
  readonly delayMs: number;
  readonly initMs: number;
  /** Time from start to readiness; infinite when containers never become ready. */
  readonly readyMs: number;
  readonly terminateMs: number;
  /** The container that `waits`, `ends` and an infinite `readyMs` are about; undefined for all. */
  readonly container: string | undefined;
  /** The state of containers that do not start. */
  readonly waits: { readonly reason: string; readonly message: string | undefined } | undefined;
  readonly ends: PlannedEnd | undefined;
  readonly evicted: { readonly afterMs: number; readonly message: string } | undefined;
  readonly unschedulable: { readonly message: string } | undefined;
}

const ms = (duration: Duration | undefined): number => durationMs(duration ?? 0);

/** The plan of a pod that runs, as most pods do. */
export const RUNS: PodPlan = Object.freeze({
  ...{ delayMs: 0, initMs: 0, readyMs: 0, terminateMs: 0, container: undefined },
  ...{ waits: undefined, ends: undefined, evicted: undefined, unschedulable: undefined },
});
/** The plan of a pod that does its work in no time, as pods of Jobs do. */
export const COMPLETES: PodPlan = Object.freeze({
  ...RUNS,
  ends: Object.freeze({ afterMs: 0, exitCode: 0, reason: 'Completed', message: undefined }),
});

const running = ({ after, initAfter, readyAfter, terminateAfter }: PodRunOptions): PodPlan => ({
  ...RUNS,
  ...{ delayMs: ms(after), initMs: ms(initAfter), readyMs: ms(readyAfter), terminateMs: ms(terminateAfter) },
});

const ending = (options: PodEndOptions, end: Omit<PlannedEnd, 'afterMs'>): PodPlan => ({
  ...running(options),
  container: options.container,
  ends: { afterMs: ms(options.completeAfter), ...end },
});

const failing = ({ exitCode = 1, reason = 'Error', message, ...options }: PodFailureOptions): PodPlan =>
  ending(options, { exitCode, reason, message });

const waiting =
  (reason: string) =>
  ({ after, container, message }: PodWaitingOptions): PodPlan => ({
    ...RUNS,
    ...{ delayMs: ms(after), container, waits: { reason, message } },
  });

const startChecks: OptionChecks<PodStartOptions> = { after: aDuration };
const runChecks: OptionChecks<PodRunOptions> = {
  ...startChecks,
  initAfter: aDuration,
  readyAfter: aDuration,
  terminateAfter: aDuration,
};
const containerChecks: OptionChecks<PodContainerOptions> = { container: aName };
const endChecks: OptionChecks<PodEndOptions> = { ...runChecks, ...containerChecks, completeAfter: aDuration };
const anExitCode = matching(
  'an exit code from 1 to 255 (the outcome Succeeded has the exit code 0)',
  (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 255,
);
const failureChecks: OptionChecks<PodFailureOptions> = {
  ...endChecks,
  exitCode: anExitCode,
  reason: aName,
  message: aText,
};
const waitingChecks: OptionChecks<PodWaitingOptions> = { ...startChecks, ...containerChecks, message: aText };

interface OutcomeEntry<Options> {
  readonly checks: Readonly<Record<string, OptionCheck>>;
  readonly plan: (options: Options) => PodPlan;
}

const UNSCHEDULABLE = 'a rule of the simulation keeps the pod pending';
const EVICTED = 'The node was low on resource: memory. ';

const OUTCOMES: { readonly [Outcome in PodOutcome]: OutcomeEntry<PodOutcomes[Outcome]> } = {
  Running: { checks: runChecks, plan: running },
  NotReady: {
    checks: { ...startChecks, ...containerChecks, initAfter: aDuration, terminateAfter: aDuration },
    plan: (options) => ({ ...running(options), container: options.container, readyMs: Infinity }),
  },
  ContainerCreating: { checks: waitingChecks, plan: waiting('ContainerCreating') },
  ErrImagePull: { checks: waitingChecks, plan: waiting('ErrImagePull') },
  ImagePullBackOff: { checks: waitingChecks, plan: waiting('ImagePullBackOff') },
  Pending: {
    checks: { message: aText },
    plan: ({ message = UNSCHEDULABLE }) => ({ ...RUNS, unschedulable: { message } }),
  },
  Succeeded: {
    checks: endChecks,
    plan: (options) => ending(options, { exitCode: 0, reason: 'Completed', message: undefined }),
  },
  Failed: { checks: failureChecks, plan: failing },
  CrashLoopBackOff: { checks: failureChecks, plan: failing },
  OOMKilled: {
    checks: endChecks,
    plan: (options) => ending(options, { exitCode: 137, reason: 'OOMKilled', message: undefined }),
  },
  Evicted: {
    checks: { ...runChecks, completeAfter: aDuration, message: aText },
    plan: ({ completeAfter, message = EVICTED, ...options }) => ({
      ...running(options),
      evicted: { afterMs: ms(completeAfter), message },
    }),
  },
};

/**
 * Compiles an outcome.
 *
 * @throws TypeError for an unknown outcome or an invalid option, with the remedy
 */
export function planOf<Outcome extends PodOutcome>(outcome: Outcome, options: PodOutcomes[Outcome]): PodPlan {
  const known: readonly string[] = Object.keys(OUTCOMES);
  if (typeof outcome !== 'string' || !known.includes(outcome))
    throw new TypeError(
      `pods cannot become ${shown(outcome)}${typeof outcome === 'string' ? suggestion(outcome, known) : ''}; an outcome is one of ${known.join(', ')}`,
    );
  const { checks, plan } = OUTCOMES[outcome];
  checkOptions(`become(${shown(outcome)})`, options, checks);
  return plan(options);
}
