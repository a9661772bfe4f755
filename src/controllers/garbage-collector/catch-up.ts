/**
 * A wait that many share: each caller gets one that begins after its call, and at most one runs at a time.
 *
 * @param run the wait
 */
export function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    const started = run().finally(() => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  };
  return () => {
    if (current === undefined) return begin();
    next ??= current.then(ignore, ignore).then(() => {
      next = undefined;
      return begin();
    });
    return next;
  };
}

function ignore(): void {
  // Who waits for the next run does not mind how the last one ended.
}
