/** Lets connections, timers and other requests run. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Sends one request after another while some work runs, and returns the longest wait for an answer, in milliseconds. A
 * wait begins with the answer before it, as that of a request which arrives just then.
 */
export async function longestWait(ask: () => Promise<unknown>, work: () => Promise<unknown>): Promise<number> {
  let working = true;
  let longest = 0;
  const probing = (async () => {
    let last = performance.now();
    for (let isLast = false; !isLast;) {
      await nextTurn();
      isLast = !working;
      await ask();
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  })();
  try {
    await work();
  } finally {
    working = false;
    await probing;
  }
  return longest;
}
