/**
 * Calls a user's function that only records something, such as a logger or `onError`. Ignores what it throws, and a
 * rejected promise: recording a failure must not cause another.
 */
export function report(take: () => unknown): void {
  try {
    const noted = take();
    if (noted instanceof Promise) noted.catch(() => undefined);
  } catch {
    // Nothing is left to record the failure with.
  }
}
