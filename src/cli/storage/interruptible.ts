import type { Host } from '../host.js';
import { awaitTermination } from '../serve/termination.js';
import { StartError } from '../usage-error.js';

/**
 * Runs work that SIGINT or SIGTERM interrupts. The first one aborts the signal, and the work removes its incomplete
 * result, if any; a second one exits the process immediately.
 *
 * @param consequence what the interruption means for the user, for the message
 * @throws StartError when the work was interrupted
 */
export async function interruptible<Result>(
  host: Host,
  work: (signal: AbortSignal) => Promise<Result>,
  consequence = 'the incomplete result was removed',
): Promise<Result> {
  const interrupted = new AbortController();
  const termination = awaitTermination(host);
  void termination.requested.then((name) => interrupted.abort(new StartError(`ended by ${name}; ${consequence}`)));
  try {
    return await work(interrupted.signal);
  } finally {
    termination.forget();
  }
}
