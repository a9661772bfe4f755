import type { Host } from '../host.js';

/** Exit code of a process that is told to end a second time. */
const IMPATIENT = 1;

/**
 * Time after the first signal in which further ones are taken for its echo, in milliseconds. Ctrl-C reaches a whole process group, and
 * a package manager in it passes the signal on: the program then gets one request twice.
 */
const ECHO_MS = 1000;

/**
 * Waits for the first SIGTERM or SIGINT. One that comes more than a second later ends the process at once, whatever it is doing.
 *
 * @returns `requested`: the name of the first signal; `forget` stops listening
 */
export function awaitEnding(host: Host): { readonly requested: Promise<string>; readonly forget: () => void } {
  let forget = (): void => undefined;
  const requested = new Promise<string>((resolve) => {
    let askedAt: number | undefined;
    forget = host.onSignal((signal) => {
      const now = host.clock.now();
      if (askedAt === undefined) {
        askedAt = now;
        resolve(signal);
      } else if (now - askedAt >= ECHO_MS) host.exit(IMPATIENT);
    });
  });
  return { requested, forget };
}
