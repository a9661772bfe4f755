import { ApiServer, type ApiServerOptions } from '../api-server.js';
import type { Client, UntypedObject } from '../client/index.js';
import type { Entropy } from '../meta/clock.js';
import { controllersOfTests, type ControllerName } from '../controllers/controller-table.js';
import type { SimulatedCloud } from '../controllers/simulation/cloud/cloud.js';
import type { SimulationOptions } from '../controllers/simulation/node-spec.js';
import type { SimulatedNodeRules, SimulatedPods, Simulation } from '../controllers/simulation/simulation.js';
import { shown } from '../meta/options.js';
import type { Storage } from '../storage/index.js';
import type { DefinitionSource } from '../custom/sources/documents.js';
import { loadObjects, type ObjectSource } from './data/index.js';
import { createDefinitions } from './definitions.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { seededEntropy } from './seeded-entropy.js';

/**
 * Options of {@link startTestServer}: the options of a server, except those that the test controls. All controllers of
 * workloads and other objects run unless `disabledControllers` names them.
 */
export interface TestServerOptions extends Omit<ApiServerOptions, 'clock' | 'entropy' | 'storage' | 'simulation'> {
  /**
   * Storage engine; default in memory. A function gets the test's clock and randomness and creates the engine with
   * them, so that the watch history and expiring objects follow the test's time.
   */
  readonly storage?:
    | Storage
    | ((test: { readonly clock: ManualClock; readonly entropy: Entropy }) => Storage | Promise<Storage>)
    | undefined;
  /** Start time of the server, in milliseconds since the epoch; default the beginning of 2024. */
  readonly startMs?: number | undefined;
  /** Seed of uids, generated names and tokens; default 0. */
  readonly seed?: number | string | undefined;
  /**
   * Simulated nodes that run the pods on the test's clock: true for three nodes, or options. Default none: pods stay
   * Pending. {@link TestServer.pods} and {@link TestServer.nodes} let them fail.
   */
  readonly simulate?: boolean | SimulationOptions | undefined;
  /**
   * Custom resource definitions to create, whose kinds are served when the test begins: objects, texts in YAML or JSON,
   * or paths of files and directories. Definitions of every included dialect are accepted.
   */
  readonly crds?: readonly DefinitionSource[] | undefined;
}

/** A server whose clock and randomness the test controls. */
export interface TestServer extends AsyncDisposable {
  readonly server: ApiServer;
  /** A client with all permissions. */
  readonly client: Client;
  readonly clock: ManualClock;
  /** The pods of the simulated nodes. Requires the option `simulate`. */
  readonly pods: SimulatedPods;
  /** The simulated nodes. Requires the option `simulate`. */
  readonly nodes: SimulatedNodeRules;
  /**
   * Loads objects: paths of files and directories, patterns such as `manifests/*.yaml`, texts in YAML or JSON, streams
   * or objects. See `loadObjects`.
   *
   * @returns the objects as stored
   * @throws Error with file and document of the objects that the server refuses
   */
  load(...sources: readonly ObjectSource[]): Promise<UntypedObject[]>;
  /** The fake cloud of the simulation. Requires the option `simulate: { cloud: true }`. */
  readonly cloud: SimulatedCloud;
  /** Advances the time. Resolves when all resulting work is done, including that of the controllers. */
  advance(ms: number): Promise<void>;
  /** Resolves when no controller has work and nothing can proceed without more time. */
  settled(): Promise<void>;
  /** Closes the server; `await using` calls it automatically. */
  close(): Promise<void>;
}

/**
 * Starts a server for a test: in memory, without a socket, with controlled time and repeatable randomness. Every run of
 * a test sees the same timestamps, uids and names.
 *
 * ```
 * await using test = await startTestServer({ dialect: 'kubernetes' });
 * await test.client.resource(ConfigMap).namespace('default').create({ metadata: { name: 'a' } });
 * await test.advance(60_000);
 * ```
 *
 * @throws as the constructor of `ApiServer` does; Error with all definitions of `crds` that the server refuses
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  checkTestOptions(options);
  const { startMs, seed = 0, storage, crds = [], simulate = false, ...serverOptions } = options;
  const enabledControllers = enabledControllersOf(options);
  const simulation = await simulationOf(simulate);
  const clock = createManualClock(startMs);
  const entropy = seededEntropy(seed);
  const engine = typeof storage === 'function' ? await storage({ clock, entropy }) : storage;
  const server = await closingOnFailure(
    typeof storage === 'function' ? engine : undefined,
    () => new ApiServer({ ...serverOptions, enabledControllers, simulation, clock, entropy, storage: engine }),
  );
  const settled = async (): Promise<void> => {
    await clock.settle();
    await server.settled();
    await clock.settle();
  };
  // The background work of a new server also draws uids. A test that starts earlier would not be repeatable.
  await settled();
  if (crds.length > 0) await closingOnFailure(server, () => createDefinitions(server, crds, settled));
  return {
    server,
    client: server.client(),
    clock,
    pods: simulation?.pods ?? { matching: withoutSimulation('pods') },
    nodes: simulation?.nodes ?? { matching: withoutSimulation('nodes') },
    cloud: simulation?.cloud ?? noCloud,
    load: (...sources) => loadObjects(server, sources, { settled }),
    settled,
    async advance(ms) {
      await clock.advance(ms);
      await settled();
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Returns the controllers to enable: those of the options, and those of tests that the options do not disable. */
function enabledControllersOf({
  enabledControllers = [],
  disabledControllers = [],
}: TestServerOptions): ControllerName[] {
  const ofTests = controllersOfTests.filter((name) => !disabledControllers.includes(name));
  return [...new Set([...enabledControllers, ...ofTests])];
}

async function simulationOf(simulate: boolean | SimulationOptions): Promise<Simulation | undefined> {
  if (simulate === false) return undefined;
  const { createSimulation } = await import('../controllers/simulation/simulation.js');
  return createSimulation(simulate === true ? {} : simulate);
}

/** Refuses rules on a server without simulated nodes. */
const withoutSimulation = (what: string) => (): never => {
  throw new Error(`test.${what} needs simulated nodes: start the server with startTestServer({ simulate: true })`);
};

/** Refuses rules on a server without a fake cloud. */
const withoutCloud = (): never => {
  throw new Error(
    'test.cloud needs a fake cloud: start the server with startTestServer({ simulate: { cloud: true } })',
  );
};
const noCloud: SimulatedCloud = { loadBalancers: { matching: withoutCloud }, volumes: { matching: withoutCloud } };

/** Refuses options that the test controls; the server checks the rest. */
function checkTestOptions(options: TestServerOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`startTestServer: the options must be an object, got ${shown(options)}`);
  if ('simulation' in options)
    throw new TypeError('startTestServer: the option simulation is not allowed: set simulate, which creates one');
  const given = ['clock', 'entropy'].find((name) => name in options);
  if (given !== undefined)
    throw new TypeError(
      `startTestServer: the option ${given} is not allowed: a test server has its own; set ${given === 'clock' ? 'startMs' : 'seed'}, or create an ApiServer`,
    );
  const { startMs, seed, crds, simulate } = options;
  if (simulate !== undefined && typeof simulate !== 'boolean' && (typeof simulate !== 'object' || simulate === null))
    throw new TypeError(
      `startTestServer: the option simulate must be true, or options such as { nodes: 3 }, got ${shown(simulate)}`,
    );
  if (crds !== undefined && !Array.isArray(crds))
    throw new TypeError(`startTestServer: the option crds must be a list of definitions, got ${shown(crds)}`);
  if (startMs !== undefined && !Number.isFinite(startMs))
    throw new TypeError(
      `startTestServer: the option startMs must be a number of milliseconds since the epoch, got ${shown(startMs)}`,
    );
  if (seed !== undefined && typeof seed !== 'string' && typeof seed !== 'number')
    throw new TypeError(`startTestServer: the option seed must be a number or a text, got ${shown(seed)}`);
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
