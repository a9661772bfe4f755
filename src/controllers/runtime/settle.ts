import type { Controller, RunningInformer, RunningQueue } from './controller.js';

/** Returns the informers of controllers, which may share some. */
const informersOf = (controllers: readonly Controller[]): readonly RunningInformer[] => [
  ...new Set(controllers.flatMap((controller) => [...controller.informers()])),
];

/**
 * Resolves when the informers of controllers have their first lists, without which no queue starts.
 *
 * @throws ApiError when a collection cannot be listed
 */
export async function allListed(controllers: readonly Controller[]): Promise<void> {
  const unlisted = informersOf(controllers).filter(({ isSynced }) => !isSynced);
  await Promise.all(unlisted.map((informer) => informer.caughtUp()));
}

async function allIdle(queues: readonly RunningQueue[]): Promise<void> {
  while (queues.some((queue) => !queue.idle)) await Promise.all(queues.map((queue) => queue.whenIdle()));
}

function processed(queues: readonly RunningQueue[]): number {
  let total = 0;
  for (const queue of queues) total += queue.processed;
  return total;
}

/**
 * Resolves when the controllers have finished all work caused by changes before the call.
 *
 * Works in rounds: the informers catch up, then the queues drain. The last round is the one in which no queue ran: by
 * then the controllers' own writes have been delivered and caused no further work.
 *
 * @throws ApiError when the collection of an informer cannot be listed
 */
export async function settle(controllers: readonly Controller[], stopped: () => boolean): Promise<void> {
  const queues = controllers.flatMap((controller) => controller.queues);
  while (!stopped()) {
    await allListed(controllers);
    await allIdle(queues);
    const before = processed(queues);
    await Promise.all(informersOf(controllers).map((informer) => informer.caughtUp()));
    let rechecked = 0;
    for (const controller of controllers) rechecked += controller.recheck?.() ?? 0;
    await allIdle(queues);
    if (processed(queues) - before === rechecked) return;
  }
}
