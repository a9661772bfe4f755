import type { Clock, Timer } from '../time/clock.js';

const DAY_MS = 24 * 60 * 60_000;

/** Keeps the process alive on demand; created by {@link keepAlive}. */
export interface KeepAlive {
  /** Keeps the process alive from now on. */
  hold(): void;
  /** Lets the process end. */
  release(): void;
  /** Releases the process for good. */
  end(): void;
}

const NOTHING: KeepAlive = { hold: () => undefined, release: () => undefined, end: () => undefined };

/**
 * Keeps the process alive while a caller waits for an event without a timer or socket, such as the next event of a
 * watch in the same process. Has no effect on a clock whose timers cannot keep a process alive ({@link Timer.ref}).
 */
export function keepAlive(clock: Clock): KeepAlive {
  const probe = clock.after(DAY_MS, () => undefined);
  probe.cancel();
  return probe.ref === undefined ? NOTHING : new HeldProcess(clock);
}

/** Uses one timer for the whole lifetime: a call of `ref` is cheap, and a new timer costs as much as an event. */
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
