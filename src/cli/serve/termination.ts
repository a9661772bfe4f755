import type { Host } from '../host.js';

/** Exit code after a second termination signal. */
const FORCED_EXIT_CODE = 1;

/**
 * Time after the first signal during which further signals are ignored as duplicates, in milliseconds. Ctrl-C reaches a
 * whole process group, and a package manager in the group forwards the signal, so the program receives it twice.
 */
const DUPLICATE_MS = 1000;

/** Waits for the first SIGTERM or SIGINT. A signal more than one second later exits the process immediately.
 *
 * @returns `requested`: the name of the first signal; `forget` stops listening
 */
export function awaitTermination(host: Host): { readonly requested: Promise<string>; readonly forget: () => void } {
  let forget = (): void => undefined;
  const requested = new Promise<string>((resolve) => {
    let requestedAt: number | undefined;
    forget = host.onSignal((signal) => {
      const now = host.clock.now();
      if (requestedAt === undefined) {
        requestedAt = now;
        resolve(signal);
      } else if (now - requestedAt >= DUPLICATE_MS) host.exit(FORCED_EXIT_CODE);
    });
  });
  return { requested, forget };
}
