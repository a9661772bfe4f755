import { errors } from '../meta/api-error.js';
import type { Clock } from '../meta/clock.js';
import { onAbort } from '../meta/on-abort.js';
import type { Revision, Storage } from '../storage/storage.js';
import type { Waiting } from './context.js';

/** Every key of the API starts with this. */
const ROOT = '/registry/';

/** Seconds after which a client that asked for the future is told to come again. */
const RETRY_AFTER_SECONDS = 1;

/** What waiting needs. */
interface WaitEnvironment {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly revisionWaitMs: number;
}

/**
 * Waits, within bounds, until the store has reached a revision.
 *
 * @param waiting runs the wait, where there is one
 * @throws ApiError 504 `Too large resource version` when it does not come in time
 */
export async function waitForRevision(
  environment: WaitEnvironment,
  revision: Revision,
  signal?: AbortSignal,
  waiting?: Waiting,
): Promise<void> {
  const { storage } = environment;
  const current = await storage.currentRevision();
  if (revision <= current) return;
  signal?.throwIfAborted();
  const wait = async (): Promise<void> => {
    const reached = await reaches(environment, current, revision, signal);
    signal?.throwIfAborted();
    if (!reached) throw errors.tooLargeResourceVersion(revision, await storage.currentRevision(), RETRY_AFTER_SECONDS);
  };
  await (waiting === undefined ? wait() : waiting(wait));
}

/** Whether a revision after `current` comes before the time is out, the client gone or the store closed. */
function reaches(
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
    const watch = storage.watch(ROOT, current, {
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
