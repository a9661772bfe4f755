/**
 * A fixture for vitest: one server is started and prepared for each file, and each test gets a fork of it.
 *
 * @module
 */
import { startSeededServer, type SeededServerOptions } from './server/seeded-server.js';
import type { VitestTest } from './saved-state/running-test.js';
import type { TestServer } from './server/test-server.js';

export type { SeededServerOptions } from './server/seeded-server.js';

/** The fixtures of a test. */
export interface ServerFixtures {
  /** The prepared server, which all tests of the file share. Do not change it. */
  readonly seededServer: TestServer;
  /** A server of the test's own: a fork of {@link seededServer}. It is closed after the test. */
  readonly testServer: TestServer;
}

/** The argument of `test.extend`. */
export interface ServerFixtureDefinitions {
  readonly seededServer: [
    (context: object, use: (server: TestServer) => Promise<void>) => Promise<void>,
    { scope: 'file' | 'worker' },
  ];
  readonly testServer: (
    context: Pick<ServerFixtures, 'seededServer'> & VitestTest,
    use: (server: TestServer) => Promise<void>,
  ) => Promise<void>;
}

/** Options of {@link serverFixtures}. */
export interface ServerFixtureOptions extends SeededServerOptions {
  /**
   * The tests that share a prepared server: those of a file (default), or those of all files that a worker runs. Vitest
   * isolates files from each other, so `worker` needs its option `isolate: false`.
   */
  readonly scope?: 'file' | 'worker' | undefined;
}

/**
 * Returns fixtures for `test.extend` of vitest 3.2 or later. The server starts when the first test of a file uses it.
 *
 * ```
 * import { test as base } from 'vitest';
 *
 * const test = base.extend<ServerFixtures>(serverFixtures({ crds: ['config/crd'] }));
 *
 * test('…', async ({ testServer }) => {
 *   await testServer.client.resource(ConfigMap).namespace('default').create({ metadata: { name: 'a' } });
 * });
 * ```
 *
 * Tests that run side by side (`test.concurrent`) have a server each. When a test fails, the state of its server is saved,
 * and the command that shows it is printed: see `saveSnapshot` of the test server.
 */
export function serverFixtures({ scope = 'file', ...options }: ServerFixtureOptions = {}): ServerFixtureDefinitions {
  if (scope !== 'file' && scope !== 'worker')
    throw new TypeError(`serverFixtures: the option scope must be 'file' or 'worker', got ${JSON.stringify(scope)}`);
  return {
    seededServer: [
      // Vitest reads the names of the fixtures that this one uses from its first parameter, which must be a pattern.
      async ({}, use) => {
        const seeded = await startSeededServer(options);
        await use(seeded);
        await seeded.close();
      },
      { scope },
    ],
    testServer: async ({ seededServer, task, onTestFailed }, use) => {
      const fork = await seededServer.fork({ testContext: { task, onTestFailed } });
      await use(fork);
      await fork.close();
    },
  };
}
