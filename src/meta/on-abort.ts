/** Those who wait for a signal to abort, by signal: kept here and not on the signal, which belongs to its owner. */
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
 * Calls back when a signal aborts: the one way to listen to one. However many wait for the same signal, it has one
 * listener, so that Node never warns of a leak, and the last who stops waiting takes it away.
 *
 * @param signal must not have aborted already: that is the caller's to see first. Undefined: never calls back
 * @param callback called once; must not throw
 * @returns stops waiting; may be called more than once
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  let known = waiting.get(signal);
  if (known === undefined) waiting.set(signal, (known = new Waiting()));
  const { callbacks, listener } = known;
  // A function of its own for each call, so that one callback may wait twice.
  const call = (): void => callback();
  if (callbacks.size === 0) signal.addEventListener('abort', listener, { once: true });
  callbacks.add(call);
  return () => {
    if (callbacks.delete(call) && callbacks.size === 0) signal.removeEventListener('abort', listener);
  };
}
