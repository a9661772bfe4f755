import type { RunningTest } from '../saved-state/running-test.js';
import type { ManualClock } from '../time/manual-clock.js';
import type { TestCore } from './core.js';
import { checkTestContext } from './test-options.js';

/** Options of {@link TestForks.fork}. */
export interface TestForkOptions {
  /** Clock of the fork. Default a clock of its own that starts at the current time. */
  readonly clock?: ManualClock | undefined;
  /** Context of the test that uses the fork; see the option of `startTestServer`. Default that of this server. */
  readonly testContext?: RunningTest | undefined;
}

/** Copies of a test server's state. */
export interface TestForks<Server> {
  /**
   * Returns an independent server with the same state and history: objects, kinds, users and tokens, simulated nodes and
   * their rules. It has its own clock, randomness, watches and controllers. Both share what neither has changed, so a
   * fork takes less than a millisecond at any number of objects.
   *
   * The controllers of a fork start with its first write, or when its time advances, or with `settled()`.
   *
   * ```
   * const seeded = await startTestServer({ manifests });
   * await using test = await seeded.fork();
   * ```
   *
   * @throws TypeError when the engine of the option `storage` cannot be forked
   */
  fork(options?: TestForkOptions): Promise<Server>;
  /**
   * Goes back to the state at the end of `startTestServer`, or of the fork. The test server, its `client`, its `server`
   * and its `clock` stay the same objects, and a listener of the server answers from the restored state. The time goes
   * back too, and uids and names repeat. An engine of the option `storage` is closed and replaced by a fork. Open watches end and requests in flight fail, as when a server closes; timers on
   * the clock never fire.
   *
   * @throws TypeError when the engine of the option `storage` cannot be forked
   */
  reset(): Promise<void>;
}

/** Returns the members about forks. */
export function forkPart<Server>(core: TestCore, testServerOf: (core: TestCore) => Server): TestForks<Server> {
  return {
    async fork({ clock, testContext } = {}) {
      checkTestContext('fork', testContext);
      return testServerOf(await core.fork(clock, testContext));
    },
    reset: () => core.reset(),
  };
}
