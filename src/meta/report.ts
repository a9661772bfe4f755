/**
 * Calls a function of the program's user that only takes note of something: a logger, an `onError`. What it throws is dropped, and a
 * promise of it may reject: taking note of a failure must not become one.
 */
export function report(take: () => unknown): void {
  try {
    const noted = take();
    if (noted instanceof Promise) noted.catch(() => undefined);
  } catch {
    // There is nobody left who could be asked to take note.
  }
}
