import { shown } from '../../foundation/index.js';
import { isRunningTest } from '../saved-state/running-test.js';
import { startSeededServer, type SeededServerOptions } from './seeded-server.js';
import type { TestServer } from './test-server.js';

/** Registers a function that a test runner calls. */
/** The hooks of a test runner: those of Jest, vitest and Bun, or those of `node:test` and Mocha. */
export type TestHooks = {
  readonly beforeEach: (run: () => Promise<void>) => unknown;
  readonly afterEach: (run: () => Promise<void>) => unknown;
} & (
  | {
      readonly beforeAll: (run: () => Promise<void>) => unknown;
      readonly afterAll: (run: () => Promise<void>) => unknown;
    }
  | {
      readonly before: (run: () => Promise<void>) => unknown;
      readonly after: (run: () => Promise<void>) => unknown;
    }
);

type Hook = TestHooks['beforeEach'];

/**
 * Gives each test of a file, or of the block in which it is called, a server of its own: one server is started and
 * prepared before the tests, and each test gets a fork of it, which is closed after the test.
 *
 * ```
 * const server = useTestServer({ crds: ['config/crd'] }); // Jest: its hooks are global
 *
 * test('…', async () => {
 *   await server().client.resource(ConfigMap).namespace('default').create({ metadata: { name: 'a' } });
 * });
 * ```
 *
 * With `node:test`, pass its hooks: `useTestServer(options, { before, beforeEach, afterEach, after })`. For tests that run
 * side by side within a file, use the fixtures of `orch-apiserver/testing/vitest`, or `fork` in each test.
 *
 * @param hooks hooks of the runner; default those that are global
 * @returns a function that returns the server of the running test
 * @throws TypeError when there are no hooks
 */
export function useTestServer(options: SeededServerOptions = {}, hooks?: TestHooks): () => TestServer {
  const { before, beforeEach, afterEach, after } = hooksOf(hooks ?? globalThis, hooks !== undefined);
  let seeded: TestServer | undefined;
  let current: TestServer | undefined;
  before(async () => {
    seeded = await startSeededServer(options);
  });
  // A function with a parameter would be one that calls back, to Jest. Vitest and node:test pass the context of the test.
  beforeEach(async (...[context]: readonly unknown[]) => {
    current = await seeded?.fork({ testContext: isRunningTest(context) ? context : undefined });
  });
  afterEach(async () => {
    const used = current;
    current = undefined;
    await used?.close();
  });
  after(async () => {
    await seeded?.close();
    seeded = undefined;
  });
  return () => {
    if (current !== undefined) return current;
    throw new Error(
      'useTestServer: there is no server outside of a test: call the function in a test or in a beforeEach hook',
    );
  };
}

interface FoundHooks {
  readonly before: Hook;
  readonly beforeEach: Hook;
  readonly afterEach: Hook;
  readonly after: Hook;
}

function hooksOf(source: object, given: boolean): FoundHooks {
  const find = (...names: readonly string[]): Hook => {
    for (const name of names) {
      const hook: unknown = Reflect.get(source, name);
      if (isHook(hook)) return hook;
    }
    throw new TypeError(
      given
        ? `useTestServer: the second argument must have the hooks beforeAll or before, beforeEach, afterEach, afterAll or after; ${names.join(' and ')} is missing in ${shown(source)}`
        : `useTestServer: the test runner has no global ${names[0]}: pass its hooks, such as useTestServer(options, { before, beforeEach, afterEach, after }) with those of node:test`,
    );
  };
  return {
    before: find('beforeAll', 'before'),
    beforeEach: find('beforeEach'),
    afterEach: find('afterEach'),
    after: find('afterAll', 'after'),
  };
}

const isHook = (value: unknown): value is Hook => typeof value === 'function';
