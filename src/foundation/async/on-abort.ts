/** Waiting callbacks by signal, stored here because the signal belongs to its owner. */
const waiting = new WeakMap<AbortSignal, Waiting>();

/** The callbacks of one signal, and the one listener that calls them. */
class Waiting {
  readonly callbacks = new Set<() => void>();
  readonly listener = (): void => {
    for (const callback of [...this.callbacks]) callback();
    this.callbacks.clear();
  };
}

/**
 * Calls back when a signal aborts: the only way in this project to listen to a signal. All callbacks of a signal share
 * one listener, so Node never warns of a leak. The last callback that stops waiting removes the listener.
 *
 * @param signal must not be aborted yet, which the caller checks first. Undefined: never calls back
 * @param callback called once; must not throw
 * @returns a function that stops waiting; may be called more than once
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  let known = waiting.get(signal);
  if (known === undefined) waiting.set(signal, (known = new Waiting()));
  const { callbacks, listener } = known;
  // A separate function for each call, so that one callback can wait twice.
  const call = (): void => callback();
  if (callbacks.size === 0) signal.addEventListener('abort', listener, { once: true });
  callbacks.add(call);
  return () => {
    if (callbacks.delete(call) && callbacks.size === 0) signal.removeEventListener('abort', listener);
  };
}
