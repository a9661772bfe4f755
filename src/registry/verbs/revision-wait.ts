import { errors, OBJECT_KEYS, onAbort, type Clock } from '../../foundation/index.js';
import type { Revision, Storage } from '../../storage/index.js';
import type { WhileWaiting } from '../store/context.js';

/** Value of `Retry-After`, in seconds, for a client that asked for a future version. */
const RETRY_AFTER_SECONDS = 1;

/** The parts of a server that the wait needs. */
interface WaitEnvironment {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly revisionWaitMs: number;
}

/**
 * Waits, for a limited time, until the store has reached a revision.
 *
 * @param whileWaiting runs the wait outside the limit of requests in flight
 * @returns undefined when it is known to have reached it. The promise rejects with ApiError 504 `Too large resource
 *   version` when the store does not reach it in time
 */
export function waitForRevision(
  environment: WaitEnvironment,
  revision: Revision,
  signal?: AbortSignal,
  whileWaiting?: WhileWaiting,
): Promise<void> | undefined {
  if (revision <= (environment.storage.knownRevision?.() ?? 0)) return undefined;
  return askAndWait(environment, revision, signal, whileWaiting);
}

async function askAndWait(
  environment: WaitEnvironment,
  revision: Revision,
  signal: AbortSignal | undefined,
  whileWaiting: WhileWaiting | undefined,
): Promise<void> {
  const { storage } = environment;
  const current = await storage.currentRevision();
  if (revision <= current) return;
  signal?.throwIfAborted();
  const wait = async (): Promise<void> => {
    const reached = await isReached(environment, current, revision, signal);
    signal?.throwIfAborted();
    if (!reached) throw errors.tooLargeResourceVersion(revision, await storage.currentRevision(), RETRY_AFTER_SECONDS);
  };
  await (whileWaiting === undefined ? wait() : whileWaiting(wait));
}

/**
 * Resolves to true when the store has reached `revision`, which is after `current`; to false on timeout, abort, or the
 * end of the storage watch.
 */
function isReached(
  { storage, clock, revisionWaitMs }: WaitEnvironment,
  current: Revision,
  revision: Revision,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (value: boolean): void => {
      timer.cancel();
      stop();
      watch.stop();
      resolve(value);
    };
    const timer = clock.after(revisionWaitMs, () => settle(false));
    const watch = storage.watch(OBJECT_KEYS, current, {
      acceptsUnreadable: true,
      events: (events) => {
        if ((events.at(-1)?.revision ?? 0) >= revision) queueMicrotask(() => settle(true));
      },
      progress: (at) => {
        if (at >= revision) queueMicrotask(() => settle(true));
      },
      end: () => queueMicrotask(() => settle(false)),
    });
    const stop = onAbort(signal, () => settle(false));
  });
}
