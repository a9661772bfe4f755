import type { Duration } from '../../foundation/index.js';
import type { TestCore } from '../server/core.js';
import {
  trackedPart,
  type CatchingUp,
  type DeclaredInformer,
  type TrackedCollection,
  type Versioned,
} from '../server/tracked.js';
import { runUntil, type RunCondition, type RunUntilOptions } from './run-until.js';

/** The time of a test. */
export interface TestTime {
  /**
   * Advances the time. Resolves when all resulting work is done, including that of the controllers.
   *
   * @param duration milliseconds, or a string such as `90s` or `1h30m`
   */
  advance(duration: Duration): Promise<void>;
  /**
   * Advances the time from one timer to the next until a condition holds. It is evaluated when all work is done, at the
   * start and after each timer.
   *
   * ```
   * await test.runUntil(async () => (await jobs.get('backup')).status?.succeeded === 1, { atMost: '30m' });
   * await test.runUntil(async () => expect(await names()).toEqual(['a', 'b']));
   * ```
   *
   * @param condition returns true when it holds; or asserts, and throws until it holds
   * @throws Error when the condition does not hold within the time: with what was last seen, the pending timers and the
   *   controllers that have work. TypeError for invalid arguments, and for any other result of the condition
   */
  runUntil(condition: RunCondition, options?: RunUntilOptions): Promise<void>;
  /** Resolves when no controller and no tracked informer has work, and nothing can proceed without more time. */
  settled(): Promise<void>;
  /**
   * Lets {@link settled}, {@link advance} and {@link runUntil} also wait for an informer of the code under test, until the
   * test server closes or is reset: an informer cannot follow a server into the past.
   *
   * ```
   * test.track(informer); // an Informer of orch-apiserver/controllers
   * test.track(makeInformer(...), { kind: Pod, namespace: 'default' }); // of @kubernetes/client-node
   * ```
   *
   * @param collection what an informer follows that cannot say whether it is current
   * @returns a function that ends the tracking
   * @throws TypeError for a value that is not an informer
   */
  track(informer: CatchingUp | Versioned | DeclaredInformer, collection?: TrackedCollection): () => void;
}

/** Returns the members about time. */
export function timePart(core: TestCore): TestTime {
  return {
    settled: () => core.settled(),
    async advance(duration) {
      await core.clock.advance(duration);
      await core.settled();
    },
    runUntil: (condition, options) => runUntil(core, condition, options),
    track(informer, collection) {
      const part = trackedPart(core, informer, collection);
      const remove = core.addSettled(part);
      const stop = (): Promise<void> => {
        remove();
        return part.stop();
      };
      core.onClose(stop);
      core.onReset(() => void stop());
      return () => void stop();
    },
  };
}
