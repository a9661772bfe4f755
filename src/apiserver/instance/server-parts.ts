/**
 * The parts of a server that depend only on its options: clock, names, limits, feature gates, storage and catalogue of
 * kinds. Authentication, authorization, controllers and the server itself use them.
 *
 * @module
 */
import {
  CompiledArtefacts,
  consoleLogger,
  definedOnly,
  chosenDialect,
  encodeHex,
  encodeUtf8,
  groupName,
  messageOf,
  orch,
  safeLogger,
  systemClock,
  systemEntropy,
  type Clock,
  type Dialect,
  type Entropy,
  type Logger,
  type UserInfo,
} from '../../foundation/index.js';
import { builtinResources, ComponentStatus, enabledBetas, LateServiceAllocation, Service } from '../../kinds/index.js';
import { CheckedRules } from '../../machinery/index.js';
import {
  Catalogue,
  ComputedStorage,
  ContinueTokens,
  DecodedForms,
  type ResourceDefinition,
  type ResourceInfo,
  type StoreEnvironment,
  type WriteHooks,
} from '../../registry/index.js';
import type { StaticToken } from '../../security/index.js';
import {
  defaultRelease,
  FeatureGates,
  isServedIn,
  MetricRules,
  Metrics,
  releases,
  RuntimeConfig,
  storeMeters,
  type MetricsOptions,
  type Release,
  type ServerLimits,
} from '../../server/index.js';
import { MemoryBudget, type SharedMemory, type Storage } from '../../storage/index.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { componentStatuses } from '../observability/component-statuses.js';
import { limitsOf } from '../options/limit-options.js';
import { checkGivenKinds, checkServerOptions } from '../options/server-options.js';
import type { ServerSnapshot } from '../storage/server-snapshot.js';
import { engineOf, storageOf } from '../storage/storage.js';

/** Basic parts of a server. */
export interface ServerParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The engine below the storage, which another server may go on with. */
  readonly engine: Storage;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly featureGates: FeatureGates;
  readonly limits: ServerLimits;
  readonly release: Release;
  readonly catalogue: Catalogue;
  /** The compiled forms of definitions. */
  readonly compiled: CompiledArtefacts;
  /** The rules that the checks of definitions have compiled. */
  readonly checkedRules: CheckedRules;
  /** The addresses and node ports of services. */
  readonly serviceAllocation: LateServiceAllocation;
  /** Owner of the server: its user, and the token with which tools authenticate as the owner. */
  readonly owner: StaticToken;
  /** Secret, as text, for continue tokens; replaced at startup by the stored one, if any. */
  readonly continueKey: string;
}

/** User of the owner of a server. */
export const OWNER: UserInfo = Object.freeze({
  username: 'system:apiserver',
  groups: Object.freeze(['system:masters', 'system:authenticated']),
});

/**
 * Creates the basic parts of a server.
 *
 * @param origin the state that the server begins with, whose storage is in the options
 * @throws TypeError for invalid or contradictory options, with the option's name
 */
export function serverParts(options: ApiServerOptions, origin?: ServerSnapshot): ServerParts {
  checkServerOptions(options);
  checkGivenKinds(options.resources ?? []);
  const dialect = chosenDialect(options.dialect ?? orch);
  const clock = options.clock ?? systemClock;
  const entropy = options.entropy ?? systemEntropy;
  const token = options.authentication?.ownerToken ?? encodeHex(entropy.bytes(32));
  const limits = limitsOf(options.limits ?? {});
  const featureGates = featureGatesOf(options.featureGates);
  const release = releaseOf(options.release);
  const engine = engineOf(options.storage, { clock, historyMs: limits.watchHistoryMs });
  const decorate = options.interceptor?.storage;
  const storage = storageOf(engine, decorate === undefined ? [] : [decorate]);
  const logger = safeLogger(options.observability?.logger ?? consoleLogger);
  for (const warning of featureGates.warnings) logger.warn(warning);
  const continueKey = origin?.continueKey ?? encodeHex(entropy.bytes(32));
  const resources = [...builtinResources, ...(options.simulation?.metricsKinds ?? []), ...(options.resources ?? [])];
  const betas = [...enabledBetas, ...(options.simulation?.metricsKinds ?? [])];
  const runtimeConfig = runtimeConfigOf(options.runtimeConfig ?? '', { resources, betas }, dialect);
  const writeHooks = new Map<ResourceDefinition, WriteHooks>();
  const metrics = new Metrics(metricRulesOf(options.observability?.metrics, release));
  const environment = {
    ...storeEnvironment({ dialect, clock, storage, limits, featureGates, continueKey }, origin?.sharedMemory),
    meters: storeMeters(metrics, clock),
    writeHooks,
    computed: computedKinds(options, storage, dialect),
  };
  const isEnabled = isServed({ runtimeConfig, featureGates, release, logger });
  const catalogue = new Catalogue(resources, environment, isEnabled, origin?.catalogue);
  const serviceAllocation = new LateServiceAllocation(options.network, { storage, clock, entropy, logger, catalogue });
  writeHooks.set(Service, serviceAllocation);
  const compiled = compiledArtefacts(catalogue.environment.memory);
  return {
    dialect,
    clock,
    entropy,
    engine,
    storage,
    logger,
    metrics,
    featureGates,
    limits,
    release,
    catalogue,
    compiled,
    checkedRules: new CheckedRules(compiled),
    serviceAllocation,
    owner: { token, user: OWNER },
    continueKey,
  };
}

/** Share of the history and the caches that compiled definitions may take. */
const COMPILED_SHARE = 1 / 4;

const compiledArtefacts = (memory: MemoryBudget): CompiledArtefacts =>
  new CompiledArtefacts(memory.historyBytes * COMPILED_SHARE, (giveUp) => memory.openCache('compiled', giveUp));

/** Applies the options of metrics. @throws TypeError naming the option */
function metricRulesOf(options: MetricsOptions | undefined, release: Release): MetricRules {
  try {
    return new MetricRules(options, release);
  } catch (error) {
    throw new TypeError(`ApiServer: the option ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the storages of the kinds whose objects are computed. */
function computedKinds(
  { controllers, simulation }: ApiServerOptions,
  storage: Storage,
  dialect: Dialect,
): ReadonlyMap<ResourceDefinition, Storage> {
  const components = { storage, disabled: controllers?.disable ?? [], hasScheduler: simulation !== undefined };
  const computed = new Map<ResourceDefinition, Storage>([[ComponentStatus, componentStatuses(components, dialect)]]);
  for (const kind of simulation?.metricsKinds ?? [])
    computed.set(kind, new ComputedStorage(storage, () => Promise.resolve(simulation?.metrics(kind) ?? new Map())));
  return computed;
}

const featureGatesOf = (choice: ApiServerOptions['featureGates']): FeatureGates =>
  typeof choice === 'string' ? FeatureGates.parse(choice) : FeatureGates.from(definedOnly(choice ?? {}));

/** Returns the release of a server. @throws TypeError with the known releases for any other */
function releaseOf(choice: ApiServerOptions['release'] = defaultRelease): Release {
  const found = releases.find((release) => release === choice);
  if (found === undefined)
    throw new TypeError(`release: unknown release ${JSON.stringify(choice)}: one of ${releases.join(', ')}`);
  return found;
}

type Version = Pick<ResourceDefinition, 'group' | 'version'>;

/** The versions that can be served, and the beta versions that are by default. */
interface Versions {
  readonly resources: readonly Version[];
  readonly betas: readonly Version[];
}

/**
 * Parses the option `runtimeConfig`: the served versions. As in Kubernetes, unknown resources are accepted; unknown
 * groups and versions are not.
 *
 * @throws TypeError naming the option, when {@link RuntimeConfig.parse} refuses it
 */
function runtimeConfigOf(text: string, { resources, betas }: Versions, dialect: Dialect): RuntimeConfig {
  const named = ({ group, version }: Version) => ({ group: groupName(group, dialect), version });
  if (text === '') return RuntimeConfig.parse('', { enabledBetas: betas.map(named) });
  const registered = resources.map(named);
  try {
    return RuntimeConfig.parse(text, { registered, enabledBetas: betas.map(named) });
  } catch (error) {
    const known = [...new Set(registered.map(({ group, version }) => `${group}/${version}`))].sort();
    throw new TypeError(`runtimeConfig: ${messageOf(error)}; this server has ${known.join(', ')}`, { cause: error });
  }
}

function storeEnvironment(
  {
    dialect,
    clock,
    storage,
    limits,
    featureGates,
    continueKey,
  }: Pick<ServerParts, 'dialect' | 'clock' | 'storage' | 'limits' | 'featureGates' | 'continueKey'>,
  sharedMemory: SharedMemory | undefined,
): StoreEnvironment {
  const memory = new MemoryBudget(limits, clock);
  if (sharedMemory !== undefined) memory.share(sharedMemory);
  storage.shareBudget?.(memory);
  return {
    storage,
    memory,
    decodedForms: new DecodedForms(memory, clock),
    dialect,
    clock,
    continueTokens: new ContinueTokens(encodeUtf8(continueKey)),
    watchHistoryMs: limits.watchHistoryMs,
    watchHistoryEvents: limits.watchHistoryEvents,
    bookmarkIntervalMs: limits.bookmarkIntervalMs,
    revisionWaitMs: limits.revisionWaitMs,
    watchList: featureGates.enabled('WatchList'),
    watchLogs: new Map(),
    selectorIndexes: new Set(),
  };
}

/** The parts that decide which kinds are served. */
interface Serving {
  readonly runtimeConfig: RuntimeConfig;
  readonly featureGates: FeatureGates;
  readonly release: Release;
  readonly logger: Logger;
}

/**
 * Returns a function that checks whether the release, the version and the feature gate allow a kind. A kind that only
 * one of them excludes is logged. The definitions of custom kinds say which versions are served.
 */
function isServed({ runtimeConfig, featureGates, release, logger }: Serving) {
  const gates = new Set<string>(featureGates.entries().flatMap(([name, on]) => (on ? [name] : [])));
  return (info: ResourceInfo): boolean => {
    const { kind, featureGate, storedVersions, lifecycle }: ResourceDefinition = info.definition;
    if (storedVersions !== undefined) return true;
    const enabled = runtimeConfig.isEnabled(info.group, info.version, info.resource);
    const featured = featureGate === undefined || gates.has(featureGate);
    const released = lifecycle === undefined || isServedIn(release, lifecycle);
    if (enabled && !featured)
      logger.info(`${kind} storage is disabled because the ${featureGate} feature gate is disabled`);
    if (featureGate !== undefined && featured && !enabled)
      logger.info(`${kind} storage is disabled because the version ${info.apiVersion} is disabled`);
    if (enabled && featured && !released)
      logger.info(`${kind} storage is disabled because release ${release} does not serve ${info.apiVersion}`);
    return enabled && featured && released;
  };
}
