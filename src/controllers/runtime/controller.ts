import type { MeasuredQueue, QueueMeter } from './work-queue.js';

/** The part of a work queue that the controller runtime uses. */
export interface RunningQueue {
  start(): void;
  stop(): Promise<void>;
  readonly idle: boolean;
  /** Number of keys that are being processed. */
  readonly running: number;
  /** Number of keys that wait for a worker. */
  readonly waiting: number;
  /** Number of keys whose last run has failed or asked for another. */
  readonly retrying: number;
  /** Number of keys that wait for time to pass. */
  readonly delayed: number;
  /** Number of runs that were started. */
  readonly processed: number;
  /** Name in metrics; absent for a queue that is not measured. */
  readonly name?: string | undefined;
  /** The times at which the current runs began, in milliseconds since the epoch. */
  readonly runningSince?: Iterable<number> | undefined;
  /** Reports what the queue does from now on. */
  measure?(meter: QueueMeter): void;
  whenIdle(): Promise<void>;
}

/** The part of an informer that the controller runtime uses. */
export interface RunningInformer {
  start(): void;
  stop(): Promise<void>;
  synced(): Promise<void>;
  /** Whether it has its first list. */
  readonly isSynced: boolean;
  caughtUp(): Promise<void>;
}

/** An informer that can say that its collection cannot be read. */
interface PatientInformer {
  readonly isSynced: boolean;
  start(): void;
  stop(): Promise<void>;
  syncedOrFailing(): Promise<void>;
  caughtUpOrFailing(): Promise<void>;
}

/**
 * Returns an informer as a controller of all kinds shows it: nothing waits for it while its collection cannot be read,
 * since a custom kind whose conversion fails must not hold up the work for other kinds.
 */
export const withoutWait = (informer: PatientInformer): RunningInformer => ({
  start: () => informer.start(),
  stop: () => informer.stop(),
  synced: () => informer.syncedOrFailing(),
  get isSynced() {
    return informer.isSynced;
  },
  caughtUp: () => informer.caughtUpOrFailing(),
});

/** A controller: informers and work queues. The queues start when every informer has completed its first list. */
export interface Controller {
  readonly name: string;
  /** Returns the informers that run now or start with the controller. */
  informers(): Iterable<RunningInformer>;
  readonly queues: readonly RunningQueue[];
  /**
   * Enqueues work for changes that no watch reports.
   *
   * @returns number of queue runs that this adds
   */
  recheck?(): number;
  /** Called when everything of the controller has stopped. */
  stopped?(): void;
  /** Removes what shows other servers that this one runs. Called after the stop, unless the process dies. */
  release?(): Promise<void>;
}

/** Returns one controller that consists of several. */
export function joined(name: string, ...parts: readonly Controller[]): Controller {
  return {
    name,
    // Parts may share informers.
    informers: () => new Set(parts.flatMap((part) => [...part.informers()])),
    queues: parts.flatMap(({ queues }) => queues),
    recheck: () => parts.reduce((added, part) => added + (part.recheck?.() ?? 0), 0),
    stopped: () => parts.forEach((part) => part.stopped?.()),
    async release() {
      await Promise.all(parts.map(releaseController));
    },
  };
}

/** Measures the queues of a controller that have a name. To be called before their start. */
export function measureQueues({ queues }: Controller, meterOf: (queue: MeasuredQueue) => QueueMeter): void {
  for (const queue of queues) {
    const { name } = queue;
    if (name !== undefined) queue.measure?.(meterOf({ name, runningSince: () => queue.runningSince ?? [] }));
  }
}

/** Starts the informers of a controller, and its queues once every informer has completed its first list. */
export async function runController(controller: Controller): Promise<void> {
  const informers = [...controller.informers()];
  for (const informer of informers) informer.start();
  await Promise.all(informers.map((informer) => informer.synced()));
  for (const queue of controller.queues) queue.start();
}

/** Stops a controller. Resolves when its queues and informers have stopped. */
export async function stopController(controller: Controller): Promise<void> {
  const informers = [...controller.informers()];
  await Promise.all([
    ...controller.queues.map((queue) => queue.stop()),
    ...informers.map((informer) => informer.stop()),
  ]);
  // Work that was still running may have started further informers.
  await Promise.all([...controller.informers()].map((informer) => informer.stop()));
  controller.stopped?.();
}

/** Lets a controller that has stopped remove its signs of life. One that it cannot remove expires. */
export async function releaseController(controller: Controller): Promise<void> {
  await controller.release?.().catch(() => undefined);
}
