import type { Clock } from './clock.js';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Keeps the process alive while somebody waits for what no timer and no socket announces, such as the next event of a watch
 * in the same process. Does nothing on a clock whose timers have no {@link Timer.ref}.
 *
 * @returns what ends it; to be called exactly once
 */
export function keepAlive(clock: Clock): () => void {
  let timer = clock.after(DAY_MS, hold);
  if (timer.ref === undefined) {
    timer.cancel();
    return () => undefined;
  }
  timer.ref();
  return () => timer.cancel();

  function hold(): void {
    timer = clock.after(DAY_MS, hold);
    timer.ref?.();
  }
}
