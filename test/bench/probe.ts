import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';

/** The waits that a probe saw beside some work, in milliseconds. */
export interface Probed {
  /** Longest wait for an answer. A wait begins with the answer before it, as that of a request which arrives just then. */
  readonly waitMs: number;
  /** Longest turn of the event loop, to the millisecond. */
  readonly turnMs: number;
  /** The part of this turn that garbage collection took. */
  readonly collectionMs: number;
}

/** Lets connections, timers and other requests run. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sends one request after another while some work runs, and watches the turns of the event loop. */
export async function probed(ask: () => Promise<unknown>, work: () => Promise<unknown>): Promise<Probed> {
  let working = true;
  let waitMs = 0;
  const endTurns = watchTurns();
  const probing = (async () => {
    let last = performance.now();
    for (let isLast = false; !isLast;) {
      await nextTurn();
      isLast = !working;
      await ask();
      const now = performance.now();
      waitMs = Math.max(waitMs, now - last);
      last = now;
    }
  })();
  try {
    await work();
  } finally {
    working = false;
    await probing;
  }
  return { waitMs, ...(await endTurns()) };
}

const TICK_MS = 1;

/**
 * Watches the turns of the event loop until the returned function is called. A timer runs each millisecond: a turn that
 * takes longer delays it. Immediates would tell turns more exactly, but with them the loop never sleeps, and takes a
 * processor from an engine that runs beside it.
 */
function watchTurns(): () => Promise<Omit<Probed, 'waitMs'>> {
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let last = performance.now();
  let longest = { start: last, end: last };
  const tick = (): void => {
    const now = performance.now();
    if (now - last > longest.end - longest.start) longest = { start: last, end: now };
    last = now;
  };
  const timer = setInterval(tick, TICK_MS);
  return async () => {
    clearInterval(timer);
    tick();
    // Collections are reported in a later turn.
    await nextTurn();
    await nextTurn();
    observer.disconnect();
    const inTurn = ({ startTime }: PerformanceEntry): boolean => startTime >= longest.start && startTime < longest.end;
    const collectionMs = collections.filter(inTurn).reduce((sum, { duration }) => sum + duration, 0);
    return { turnMs: Math.max(0, longest.end - longest.start - TICK_MS), collectionMs };
  };
}
