/** The part of a work queue that runs and settles controllers. */
export interface RunningQueue {
  start(): void;
  stop(): Promise<void>;
  readonly idle: boolean;
  /** How often work was begun. */
  readonly processed: number;
  whenIdle(): Promise<void>;
}

/** The part of an informer that runs and settles controllers. */
export interface RunningInformer {
  start(): void;
  stop(): Promise<void>;
  synced(): Promise<void>;
  caughtUp(): Promise<void>;
}

/** A controller: what it watches, and what it works on. It begins to work when everything that it watches has been listed. */
export interface Controller {
  readonly name: string;
  /** The informers that run, or are to run, now. */
  informers(): Iterable<RunningInformer>;
  readonly queues: readonly RunningQueue[];
  /**
   * Looks again at what no watch tells of.
   *
   * @returns how many runs of a queue that makes
   */
  recheck?(): number;
}

/** Starts the informers of a controller, and its queues once the informers have listed. */
export async function runController(controller: Controller): Promise<void> {
  const informers = [...controller.informers()];
  for (const informer of informers) informer.start();
  await Promise.all(informers.map((informer) => informer.synced()));
  for (const queue of controller.queues) queue.start();
}

/** Stops a controller. Resolves when nothing of it runs. */
export async function stopController(controller: Controller): Promise<void> {
  const informers = [...controller.informers()];
  await Promise.all([
    ...controller.queues.map((queue) => queue.stop()),
    ...informers.map((informer) => informer.stop()),
  ]);
  // What was still running may have begun to watch something more.
  await Promise.all([...controller.informers()].map((informer) => informer.stop()));
}
