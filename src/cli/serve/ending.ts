import type { Host } from '../host.js';

/** Exit code of a process that is told to end a second time. */
const IMPATIENT = 1;

/**
 * Waits for the first SIGTERM or SIGINT. A second one ends the process at once, whatever it is doing.
 *
 * @returns `requested`: the name of the first signal; `forget` stops listening
 */
export function awaitEnding(host: Host): { readonly requested: Promise<string>; readonly forget: () => void } {
  let forget = (): void => undefined;
  const requested = new Promise<string>((resolve) => {
    let asked = false;
    forget = host.onSignal((signal) => {
      if (asked) return host.exit(IMPATIENT);
      asked = true;
      resolve(signal);
    });
  });
  return { requested, forget };
}
