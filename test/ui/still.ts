import type { PageClock } from '../../src/ui/web/data/clock.js';
import { Sight } from '../../src/ui/web/data/sight.js';

/** A clock that stands still until it is advanced. */
export class StillClock implements PageClock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  now = (): number => this.#now;

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Calls back what is due, at the new time: late, if it was due before. */
  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) if (timer.at <= this.#now && this.#timers.delete(timer)) timer.callback();
  }
}

/** A tab that a test hides and shows. */
export class TestTab {
  readonly sight: Sight;
  #isHidden: boolean;
  #changed = (): void => undefined;

  /** @param keepsMs how long it keeps its streams while it is hidden */
  constructor(clock: PageClock, { keepsMs = 300_000, isHidden = false } = {}) {
    this.#isHidden = isHidden;
    const changed = (callback: () => void): void => void (this.#changed = callback);
    this.sight = new Sight({ isHidden: () => this.#isHidden, changed }, clock, keepsMs);
  }

  hide(): void {
    this.#isHidden = true;
    this.#changed();
  }

  show(): void {
    this.#isHidden = false;
    this.#changed();
  }
}
