/**
 * Code that is being loaded on its first use. The host does that in its own time, so a clock that advances on request
 * must wait for it: otherwise a request that waits for code would run into its timeout.
 *
 * @module
 */
const loads = new Set<Promise<unknown>>();

/** Registers the loading of code until it settles. Returns the same promise. */
export function loading<Result>(load: Promise<Result>): Promise<Result> {
  const done = (): void => void loads.delete(load);
  loads.add(load);
  load.then(done, done);
  return load;
}

/** Resolves when all code that is being loaded now is loaded, or has failed to; undefined when there is none. */
export function codeLoaded(): Promise<void> | undefined {
  return loads.size === 0 ? undefined : Promise.allSettled([...loads]).then(() => undefined);
}
