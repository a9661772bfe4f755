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
 * Resolves when controllers have nothing left to do about anything that happened before the call.
 *
 * It goes in rounds: the informers catch up with the present, and the queues run empty. A round in which nothing was
 * worked on is the last: whatever controllers wrote before it has been delivered in it, and made no work.
 */
export async function settle(controllers: readonly Controller[], stopped: () => boolean): Promise<void> {
  const queues = controllers.flatMap((controller) => controller.queues);
  while (!stopped()) {
    await allIdle(queues);
    const before = processed(queues);
    // Several controllers may share one.
    const informers = new Set(controllers.flatMap((controller) => [...controller.informers()]));
    await Promise.all([...informers].map((informer) => informer.caughtUp()));
    let rechecked = 0;
    for (const controller of controllers) rechecked += controller.recheck?.() ?? 0;
    await allIdle(queues);
    if (processed(queues) - before === rechecked) return;
  }
}
