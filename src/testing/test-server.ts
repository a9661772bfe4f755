import { ApiServer, type ApiServerOptions } from '../api-server.js';
import type { Client } from '../client/index.js';
import type { Entropy } from '../meta/clock.js';
import { shown } from '../meta/options.js';
import type { Storage } from '../storage/index.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { seededEntropy } from './seeded-entropy.js';

/** Options of {@link startTestServer}: those of a server, except for what the test controls. */
export interface TestServerOptions extends Omit<ApiServerOptions, 'clock' | 'entropy' | 'storage'> {
  /**
   * Where objects are kept; default in memory. A function gets the clock and entropy of the test and makes the engine with
   * them, so that old watches and objects that expire age with the test's time.
   */
  readonly storage?:
    | Storage
    | ((test: { readonly clock: ManualClock; readonly entropy: Entropy }) => Storage | Promise<Storage>)
    | undefined;
  /** Time at which the server starts, milliseconds since the epoch; default the beginning of 2024. */
  readonly startMs?: number | undefined;
  /** Seed of uids, generated names and tokens; default 0. The same seed gives the same. */
  readonly seed?: number | string | undefined;
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
  checkTestOptions(options);
  const { startMs, seed = 0, storage, ...serverOptions } = options;
  const clock = createManualClock(startMs);
  const entropy = seededEntropy(seed);
  const engine = typeof storage === 'function' ? await storage({ clock, entropy }) : storage;
  const server = await closingOnFailure(
    typeof storage === 'function' ? engine : undefined,
    () => new ApiServer({ ...serverOptions, clock, entropy, storage: engine }),
  );
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

/** What the test controls is not given; the rest is looked at by the server. */
function checkTestOptions(options: TestServerOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`startTestServer: the options must be an object, got ${shown(options)}`);
  const given = ['clock', 'entropy'].find((name) => name in options);
  if (given !== undefined)
    throw new TypeError(
      `startTestServer: unknown option ${given}: a test server has one of its own; set ${given === 'clock' ? 'startMs' : 'seed'}, or make an ApiServer`,
    );
  const { startMs, seed } = options;
  if (startMs !== undefined && !Number.isFinite(startMs))
    throw new TypeError(
      `startTestServer: the option startMs must be a number of milliseconds since the epoch, got ${shown(startMs)}`,
    );
  if (seed !== undefined && typeof seed !== 'string' && typeof seed !== 'number')
    throw new TypeError(`startTestServer: the option seed must be a number or a text, got ${shown(seed)}`);
}

/** Closes an engine that was made for a server which could not be made: nobody else knows of it. */
async function closingOnFailure(engine: Storage | undefined, make: () => ApiServer): Promise<ApiServer> {
  try {
    return make();
  } catch (error) {
    if (typeof engine?.close === 'function') await engine.close();
    throw error;
  }
}
