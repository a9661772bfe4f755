import { ApiServer, type ApiServerOptions } from '../api-server.js';
import type { Client } from '../client/index.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { seededEntropy } from './seeded-entropy.js';

/** Options of {@link startTestServer}: those of a server, except for what the test controls. */
export interface TestServerOptions extends Omit<ApiServerOptions, 'clock' | 'entropy'> {
  /** Time at which the server starts, milliseconds since the epoch; default the beginning of 2024. */
  readonly startMs?: number;
  /** Seed of uids, generated names and tokens; default 0. The same seed gives the same. */
  readonly seed?: number | string;
}

/** A server whose time and chance belong to the test. */
export interface TestServer extends AsyncDisposable {
  readonly server: ApiServer;
  /** A client of the server's owner. */
  readonly client: Client;
  readonly clock: ManualClock;
  /** Moves the time on, and resolves when everything that follows from it is done, controllers included. */
  advance(ms: number): Promise<void>;
  /** Resolves when no controller has work left and nothing can go on without more time. */
  settled(): Promise<void>;
  /** Ends the server; `await using` does it by itself. */
  close(): Promise<void>;
}

/**
 * Starts a server for a test: in memory, without a socket, in time that stands still and with chance that repeats. Two runs
 * of one test see the same timestamps, uids and names.
 *
 * ```
 * await using test = await startTestServer({ dialect: 'kubernetes' });
 * await test.client.resource(ConfigMap).namespace('default').create({ metadata: { name: 'a' } });
 * await test.advance(60_000);
 * ```
 *
 * @throws as the constructor of `ApiServer` does
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { startMs, seed = 0, ...serverOptions } = options;
  const clock = createManualClock(startMs);
  const server = new ApiServer({ ...serverOptions, clock, entropy: seededEntropy(seed) });
  const settled = async (): Promise<void> => {
    await clock.settle();
    await server.settled();
    await clock.settle();
  };
  // What a new server makes in the background draws uids too: a test that begins before it is done would not repeat itself.
  await settled();
  return {
    server,
    client: server.client(),
    clock,
    settled,
    async advance(ms) {
      await clock.advance(ms);
      await settled();
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
