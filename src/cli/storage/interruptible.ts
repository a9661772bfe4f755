import type { Host } from '../host.js';
import { awaitEnding } from '../serve/ending.js';
import { StartError } from '../usage-error.js';

/**
 * Does work that SIGINT or SIGTERM ends: the first aborts the signal, by which the work undoes what it did; a second one ends the
 * process at once.
 *
 * @throws StartError when it was ended so
 */
export async function interruptible<Result>(
  host: Host,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const ending = awaitEnding(host);
  void ending.requested.then((name) =>
    ended.abort(new StartError(`ended by ${name}; nothing is left of what was begun`)),
  );
  try {
    return await work(ended.signal);
  } finally {
    ending.forget();
  }
}
