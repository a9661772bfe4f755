/**
 * Calls a user's function that only records something, such as a logger or `onError`. Ignores errors that it throws,
 * and a rejected promise: recording a failure must not cause another.
 */
export function report(record: () => unknown): void {
  try {
    const result = record();
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // The function that failed is the only record of failures.
  }
}
