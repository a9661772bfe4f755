import type { Client } from '../../client/index.js';
import {
  createManager,
  type EndedRun,
  type ErrorOrigin,
  type Manager,
  type RunnableController,
} from '../../controllers/index.js';
import { aFunction, checkOptions, withMethods, type OptionChecks } from '../../foundation/index.js';
import type { TestCore } from './core.js';

/** Options of {@link TestControllers.run}. */
export interface TestRunOptions {
  /** Where the controllers work. Default: the client of the test server. One over the wire needs the test's clock. */
  readonly client?: Client | undefined;
  /** Called with each error besides {@link RunningControllers.errors}. */
  readonly onError?: ((error: unknown, origin: ErrorOrigin) => void) | undefined;
}

/** An error of a controller of the code under test. */
export interface ControllerError extends ErrorOrigin {
  readonly error: unknown;
}

/** Controllers of the code under test that run. */
export interface RunningControllers {
  /** The runs that have ended, oldest first. */
  readonly runs: readonly EndedRun[];
  /** The errors so far, oldest first. */
  readonly errors: readonly ControllerError[];
  /** Returns the runs of an object that have ended. @param key `namespace/name` */
  runsOf(key: string): readonly EndedRun[];
  /** Stops the controllers: aborts their runs and waits until they have ended. */
  stop(): Promise<void>;
}

/** The controllers of the code under test. */
export interface TestControllers {
  /**
   * Runs controllers of the code under test until the test server closes or is reset. `settled`, `advance` and `runUntil`
   * also wait for their informers and queues, and their time is the test's.
   *
   * @throws TypeError for what `createManager` refuses, and for a client over the wire with another clock
   */
  run(
    controllers: RunnableController | readonly RunnableController[],
    options?: TestRunOptions,
  ): Promise<RunningControllers>;
}

const checks: OptionChecks<TestRunOptions> = {
  client: withMethods('a client, such as test.client or the result of connect()', 'resource'),
  onError: aFunction,
};

/** Returns the members about controllers. */
export const controllersPart = (core: TestCore): TestControllers => ({
  async run(given, options = {}) {
    checkOptions('test.run', options, checks);
    const { client = core.client, onError } = options;
    if (client.backend.remote && client.backend.clock !== core.clock)
      throw new TypeError('test.run: the client must have the clock of the test: connect(…, { clock: test.clock })');
    const runs: EndedRun[] = [];
    const errors: ControllerError[] = [];
    const manager = createManager({
      ...{ client, controllers: 'spec' in given ? [given] : given, frozenCaches: true },
      onRun: (run) => void runs.push(run),
      onError(error, origin) {
        errors.push({ ...origin, error });
        onError?.(error, origin);
      },
    });
    const stop = stopping(core, manager);
    void manager.run();
    await core.settled();
    return { runs, errors, runsOf: (key) => runs.filter((run) => run.key === key), stop };
  },
});

/** Lets a test server wait for a manager, and stop it. @returns a function that stops it */
function stopping(core: TestCore, manager: Manager): () => Promise<void> {
  const remove = core.addSettled(manager);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= abandoned());
  const abandoned = async (): Promise<void> => {
    remove();
    await manager.abandon();
    if (manager.lost.length > 0)
      throw new Error(
        `the runs of controllers do not end although their signals have aborted: ${manager.lost.join(', ')}`,
      );
  };
  core.onClose(stop);
  core.onReset(() => void stop());
  return stop;
}
