import type { Duration } from '../meta/duration.js';
import type { TestCore } from './core.js';

/** The time of a test. */
export interface TestTime {
  /**
   * Advances the time. Resolves when all resulting work is done, including that of the controllers.
   *
   * @param duration milliseconds, or a text such as `90s` or `1h30m`
   */
  advance(duration: Duration): Promise<void>;
  /** Resolves when no controller and no tracked informer has work, and nothing can proceed without more time. */
  settled(): Promise<void>;
}

/** Returns the members about time. */
export function timePart(core: TestCore): TestTime {
  return {
    settled: () => core.settled(),
    async advance(duration) {
      await core.clock.advance(duration);
      await core.settled();
    },
  };
}
