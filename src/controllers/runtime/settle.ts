import type { Controller, RunningQueue } from './controller.js';

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
 */
export async function settle(controllers: readonly Controller[], stopped: () => boolean): Promise<void> {
  const queues = controllers.flatMap((controller) => controller.queues);
  while (!stopped()) {
    await allIdle(queues);
    const before = processed(queues);
    // Controllers may share an informer.
    const informers = new Set(controllers.flatMap((controller) => [...controller.informers()]));
    await Promise.all([...informers].map((informer) => informer.caughtUp()));
    let rechecked = 0;
    for (const controller of controllers) rechecked += controller.recheck?.() ?? 0;
    await allIdle(queues);
    if (processed(queues) - before === rechecked) return;
  }
}
