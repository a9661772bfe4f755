/** Requests at a time; a browser has six connections for a server over HTTP/1.1. */
const AT_ONCE = 3;

/** Does something for each item, for a few at once; it does not begin with an item after `signal` has aborted. */
export async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true && !signal.aborted; next = waiting.next())
      await work(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
