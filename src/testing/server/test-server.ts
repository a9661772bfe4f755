import { ApiServer, controllersOfTests, type ControllerName, type ControllersOptions } from '../../apiserver/index.js';
import type { Client, UntypedObject } from '../../client/index.js';
import type { Simulation, SimulationOptions } from '../../simulation/index.js';
import { importSimulation } from '../../simulation/late.js';
import { loadObjects, type ObjectSource } from '../data/index.js';
import { createDefinitions } from '../definitions.js';
import { createTestClock, type ManualClock } from '../time/manual-clock.js';
import { forkableEntropy } from '../time/seeded-entropy.js';
import { timePart, type TestTime } from '../time/time.js';
import { controllersPart, type TestControllers } from './controller-runs.js';
import { TestCore } from './core.js';
import { forkPart, type TestForks } from './forks.js';
import { Instruments, type InstrumentMembers } from './instruments.js';
import { pagePart, type TestPage } from './page.js';
import { snapshotPart, type TestSnapshots } from './snapshots.js';
import { simulationPart, type TestSimulation } from './simulated.js';
import { checkTestOptions, type TestServerOptions } from './test-options.js';
import { prepareUsers, tokensOfUsers, userPart, type TestUsers } from './users.js';

/** A server whose clock and randomness the test controls. */
export interface TestServer
  extends
    TestTime,
    TestControllers,
    TestForks<TestServer>,
    TestUsers,
    TestSimulation,
    TestPage,
    TestSnapshots,
    InstrumentMembers,
    AsyncDisposable {
  readonly server: ApiServer;
  /** A client with all permissions. */
  readonly client: Client;
  readonly clock: ManualClock;
  /**
   * Restarts the server on the same storage: watches end, and what only memory held is gone. The test server stays the
   * same object, with its log and its rules.
   */
  restart(): Promise<void>;
  /**
   * Loads objects: paths of files and directories, patterns such as `manifests/*.yaml`, strings of YAML or JSON,
   * streams or objects. See `loadObjects`.
   *
   * @returns the objects as stored
   * @throws Error with file and document of the objects that the server refuses
   */
  load(...sources: readonly ObjectSource[]): Promise<UntypedObject[]>;
  /** Closes the server; `await using` calls it automatically. */
  close(): Promise<void>;
}

/** Returns the test server of a core: the members of all parts. */
function testServerOf(core: TestCore): TestServer {
  const { server, client, clock } = core;
  const test: TestServer = {
    ...{ server, client, clock },
    ...timePart(core),
    ...controllersPart(core),
    ...forkPart(core, testServerOf),
    ...userPart(core),
    ...simulationPart(core),
    ...pagePart(core, () => test),
    ...snapshotPart(core, () => test.pageLink()),
    load: (...sources) => loadObjects(server, sources, { settled: () => core.settled() }),
    ...core.instruments.members(server),
    restart: () => core.restart(),
    close: () => core.close(),
    [Symbol.asyncDispose]: () => core.close(),
  };
  return test;
}

/**
 * Starts a server for a test: in memory, without a socket, with controlled time and repeatable randomness. Every run of
 * a test sees the same timestamps, uids and names.
 *
 * ```
 * await using test = await startTestServer({ dialect: 'kubernetes' });
 * await test.client.resource(ConfigMap).namespace('default').create({ metadata: { name: 'a' } });
 * await test.advance('1m');
 * ```
 *
 * @throws as the constructor of `ApiServer` does; Error with all definitions of `crds` that the server refuses, and for
 *   the first object of `manifests` that it refuses
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  checkTestOptions(options);
  const {
    start,
    seed = 0,
    storage,
    crds = [],
    manifests = [],
    simulate = false,
    users,
    recorded,
    ui = false,
    testContext,
    snapshots: _snapshots,
    ...rest
  } = options;
  const simulation = await simulationOf(simulate);
  const ownClock = options.clock === undefined ? createTestClock(start) : undefined;
  const clock = options.clock ?? ownClock ?? createTestClock(start);
  const entropy = forkableEntropy(seed);
  const { authentication: given } = options;
  const authentication = { ...given, tokens: [...(given?.tokens ?? []), ...tokensOfUsers(users, entropy)] };
  const controllers = { ...options.controllers, enable: enabledControllers(options.controllers) };
  const engine = typeof storage === 'function' ? await storage({ clock, entropy }) : storage;
  const instruments = new Instruments(clock, recorded);
  const { interceptor } = instruments;
  const server = await closingOnFailure(
    typeof storage === 'function' ? engine : undefined,
    () =>
      new ApiServer({
        // A write to what the server hands out is a mistake of the code under test: it fails where it happens.
        freezeHanded: rest.freezeHanded ?? true,
        ...{ ...rest, authentication, controllers, simulation, clock, entropy, interceptor },
        storage: engine,
      }),
  );
  // Before the server starts, so that every run creates the roles of the page at the same point.
  if (ui) await closingOnFailure(server, () => server.target.page?.serve(true));
  const core = new TestCore({
    options: { ...options, authentication },
    ...{ server, ownClock, clock, entropy, simulation, instruments, testContext },
  });
  const settled = (): Promise<void> => core.settled();
  return closingOnFailure(server, async () => {
    // The background work of a new server also draws uids. A test that starts earlier would not be repeatable.
    await settled();
    if (crds.length > 0) await createDefinitions(server, crds, settled);
    if (manifests.length > 0) await loadObjects(server, manifests, { settled });
    await prepareUsers(core);
    if (manifests.length > 0) await settled();
    if (engine === undefined || engine.fork !== undefined) await core.begin();
    // The requests that the options caused do not belong to the test.
    instruments.reset();
    return testServerOf(core);
  });
}

/** Returns the controllers to enable: those of the options, and those of tests that the options do not disable. */
function enabledControllers({ enable = [], disable = [] }: ControllersOptions = {}): ControllerName[] {
  const ofTests = controllersOfTests.filter((name) => !disable.includes(name));
  return [...new Set([...enable, ...ofTests])];
}

async function simulationOf(simulate: boolean | SimulationOptions): Promise<Simulation | undefined> {
  if (simulate === false) return undefined;
  const { createSimulation } = await importSimulation();
  return createSimulation(simulate === true ? {} : simulate);
}

/** Closes the engine or server when the next step fails. */
async function closingOnFailure<Result>(
  opened: { close?(): Promise<void> } | undefined,
  step: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (typeof opened?.close === 'function') await opened.close();
    throw error;
  }
}
