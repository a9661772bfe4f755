import type { Clock, Timer } from './clock.js';

const DAY_MS = 24 * 60 * 60_000;

/** What {@link keepAlive} gives. */
export interface KeepAlive {
  /** Somebody waits from now on. */
  hold(): void;
  /** Nobody waits any longer. */
  release(): void;
  /** There is nothing more to wait for. */
  end(): void;
}

const NOTHING: KeepAlive = { hold: () => undefined, release: () => undefined, end: () => undefined };

/**
 * Keeps the process alive while somebody waits for what no timer and no socket announces, such as the next event of a watch
 * in the same process. Does nothing on a clock whose timers cannot hold a process ({@link Timer.ref}).
 */
export function keepAlive(clock: Clock): KeepAlive {
  const probe = clock.after(DAY_MS, () => undefined);
  probe.cancel();
  return probe.ref === undefined ? NOTHING : new HeldProcess(clock);
}

/** One timer for as long as there is something to wait for: to ref it costs next to nothing, and to make one costs as much as an event. */
class HeldProcess implements KeepAlive {
  readonly #clock: Clock;
  #timer: Timer;
  #held = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = this.#arm();
  }

  hold(): void {
    this.#held = true;
    this.#timer.ref?.();
  }

  release(): void {
    this.#held = false;
    this.#timer.unref?.();
  }

  end(): void {
    this.#timer.cancel();
  }

  #arm(): Timer {
    const timer = this.#clock.after(DAY_MS, () => (this.#timer = this.#arm()));
    if (this.#held) timer.ref?.();
    return timer;
  }
}
