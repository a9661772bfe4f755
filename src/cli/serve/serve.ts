import { join } from 'node:path';
import {
  ApiServer,
  controllersOfTests,
  parseControllerList,
  type ApiServerOptions,
  type ControllersOptions,
} from '../../apiserver/index.js';
import { definedOnly, delay, encodeHex, type Logger } from '../../foundation/index.js';
import type { WrittenDefinition } from '../../kinds/index.js';
import { FeatureGates } from '../../server/index.js';
import type { Simulation } from '../../simulation/index.js';
import { importSimulation } from '../../simulation/late.js';
import { claimStore, type Storage } from '../../storage/index.js';
import type { PageOptions } from '../../ui/index.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import type { StoreChoice } from '../storage/choice.js';
import { orStartError } from '../storage/open.js';
import { UsageError } from '../usage-error.js';
import { setUpAuthentication, type AuthenticationSetup } from './authentication.js';
import { applyDefinitions, readCrdDirectory } from './crd-dir.js';
import { readFlagFile, reasonOf } from './files.js';
import { serveFlags } from './flags.js';
import { leaderElectionOf } from './flags/leader-election-flags.js';
import { fairnessOf, limitsOf, portLimitsOf, wrongTokensOf } from './flags/limit-flags.js';
import { networkOptions } from './flags/network-flags.js';
import { belongsToRunningServer, writeKubeConfig } from './kubeconfig-file.js';
import { generatedTls, sharedAuthority, tlsFromFiles, type ServingTls } from './keys/serving-tls.js';
import { setUpSigning } from './keys/signing.js';
import { checkPorts, openListeners, type Listeners, type ListenersOptions } from './listeners.js';
import { addRulesOfFile, RULES_WITHOUT_NODES } from './pod-rules-file.js';
import { readResources } from './resources-file.js';
import { started, storageNotice, withServedStore } from './served-store.js';
import { loggerOf } from './telemetry/log-format.js';
import { observed, requestLog, REQUESTS_LEVEL } from './telemetry/request-log.js';
import { metricsOptions } from './telemetry/telemetry.js';
import { setUpTracing } from './telemetry/tracing.js';
import { awaitTermination } from './termination.js';
import { welcome, type WelcomeFacts } from './welcome.js';

type Values = FlagValues<typeof serveFlags>;

/** The command `serve`: runs a server until a termination signal. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'Serves the API until SIGTERM or SIGINT.',
  flags: serveFlags,
  configurable: true,
  run: runServer,
});

async function runServer(values: Values, host: Host): Promise<number> {
  const logger = loggerOf(values, host);
  const termination = awaitTermination(host);
  try {
    if (values['ui-read-only'] && !values.ui) throw new UsageError('--ui-read-only requires --ui');
    checkPorts({ securePort: values['secure-port'], insecurePort: values['insecure-loopback-port'] });
    const tls = await tlsFromFiles(values['tls-cert-file'], values['tls-private-key-file']);
    const definitions = await readCrdDirectory(values['crd-dir']);
    const resources = await readResources(values.resources);
    const ui = values.ui && (await pageOptions(values));
    await withSetUps(values, tls?.key, host, logger, (options) =>
      withServedStore(values, host, logger, (store) =>
        runWith(
          {
            ...options,
            resources,
            storage: store.storage,
            authentication: { ...options.authentication, ownerToken: store.ownerToken },
          },
          { values, host, logger, tls, definitions, ui, choice: store.choice, requested: termination.requested },
        ),
      ),
    );
    logger.info('ended');
    return 0;
  } finally {
    termination.forget();
  }
}

/** Runs work with the options from flags and files, and reloads changed files meanwhile. */
async function withSetUps(
  values: Values,
  servingKey: string | undefined,
  host: Host,
  logger: Logger,
  work: (options: ApiServerOptions) => Promise<void>,
): Promise<void> {
  const access = await authenticationOf(values, servingKey, host, logger);
  try {
    const signing = await setUpSigning(values, host.clock, logger);
    try {
      const simulation = await simulationOf(values);
      const metrics = await metricsOptions(values);
      const tracing = await setUpTracing(values, values.dialect, logger);
      const { authorization, admission, audit, httpClient } = access;
      const livezGracePeriod = values['livez-grace-period'];
      try {
        await work({
          ...serverOptions(values, host),
          authentication: { ...access.authentication, wrongBootstrapTokens: wrongTokensOf(values) },
          ...{ authorization, admission, simulation },
          certificates: signing.certificates,
          network: { ...networkOptions(values), httpClient },
          observability: { audit, metrics, tracing: tracing.tracing, logger, livezGracePeriod },
        });
      } finally {
        await tracing.close();
      }
    } finally {
      signing.close();
    }
  } finally {
    access.close();
  }
}

/** Context of a run, besides the options of its server. */
interface Run {
  readonly values: Values;
  readonly host: Host;
  readonly logger: Logger;
  /** The serving certificate from files, if given. */
  readonly tls: ServingTls | undefined;
  /** The custom resource definitions to apply. */
  readonly definitions: readonly WrittenDefinition[];
  /** Whether and how the page for people is served. */
  readonly ui: boolean | PageOptions;
  /** The selected store. */
  readonly choice: StoreChoice;
  /** Resolves with the termination signal. */
  readonly requested: Promise<string>;
}

async function runWith(
  options: ApiServerOptions,
  { values, host, logger, tls, definitions, ui, choice, requested }: Run,
): Promise<void> {
  let listeners: Listeners | undefined;
  const server = construct({
    ...options,
    certificates: { ...options.certificates, rootAuthority: () => listeners?.authority },
  });
  const log = values.v >= REQUESTS_LEVEL ? requestLog(logger, host.clock) : undefined;
  const target = log === undefined ? server.target : observed(server.target, log);
  const tlsOf = async (): Promise<ServingTls> =>
    tls ?? orStartError(choice, () => servingTls(values, options.storage, host));
  const path = values['kubeconfig-out'];
  const taken = await belongsToRunningServer(path, values.dialect, host);
  try {
    listeners = await openListeners(target, listenersOptions(values, ui, tlsOf, host));
    await started(server, choice, values);
    await applyDefinitions(server, definitions, logger);
    const kubeconfig = await writeKubeConfig(server, listeners, { path, taken, logger });
    announce({ values, host, logger, choice }, server, listeners, kubeconfig);
    logger.info('ending', { signal: await requested });
    server.health.startShutdown();
    listeners.drain();
    await delay(host.clock, values['shutdown-delay-duration']);
  } finally {
    // A request in flight may take as long as any request may.
    await end(server, listeners, {
      graceMs: values['request-timeout'],
      watchGraceMs: values['shutdown-watch-termination-grace-period'],
    });
  }
}

function listenersOptions(
  values: Values,
  ui: boolean | PageOptions,
  tls: () => Promise<ServingTls>,
  { clock }: Host,
): ListenersOptions {
  return {
    bindAddress: values['bind-address'],
    securePort: values['secure-port'],
    insecurePort: values['insecure-loopback-port'],
    acceptHosts: values['accept-hosts'],
    tls,
    limits: portLimitsOf(values),
    ui,
    clock,
  };
}

/** Returns the options of the page. @throws UsageError for a file that cannot be read */
async function pageOptions(values: Values): Promise<PageOptions> {
  const path = values['ui-oidc-client-secret-file'];
  const secret = path === '' ? '' : (await readFlagFile('ui-oidc-client-secret-file', path)).trim();
  if (path !== '' && secret === '') throw new UsageError(`--ui-oidc-client-secret-file: ${path} is empty`);
  return {
    readOnly: values['ui-read-only'],
    openIdConnect: { clientSecret: secret === '' ? undefined : secret, scopes: values['ui-oidc-scopes'] },
  };
}

/** Returns a generated certificate. Those of servers that share a store are of one authority. */
async function servingTls(
  { dialect, ...values }: Values,
  storage: Storage | undefined,
  { clock, entropy }: Host,
): Promise<ServingTls> {
  const isShared = storage?.isShared === true;
  // Nothing is written to a store of another program or dialect.
  if (isShared) await claimStore(storage, { dialect: dialect.name, continueKey: encodeHex(entropy.bytes(32)) });
  const authority = isShared ? await sharedAuthority({ storage, clock, entropy, dialect }) : undefined;
  const [directory, bindAddress] = [values['cert-dir'], values['bind-address']];
  return generatedTls({ directory, bindAddress, authority, clock, entropy });
}

function authenticationOf(
  values: Values,
  servingKey: string | undefined,
  host: Host,
  logger: Logger,
): Promise<AuthenticationSetup> {
  return setUpAuthentication(values, {
    host,
    logger,
    dialect: values.dialect,
    featureGates: FeatureGates.parse(values['feature-gates']),
    servingKey,
  });
}

/** Creates the simulated nodes; undefined without any. @throws UsageError for rules about pods without nodes, or invalid ones */
async function simulationOf(values: Values): Promise<Simulation | undefined> {
  const { 'simulate-nodes': nodes, 'simulate-pods': rules } = values;
  if (nodes === 0) {
    if (rules !== '') throw new UsageError(RULES_WITHOUT_NODES);
    return undefined;
  }
  const { createSimulation } = await importSimulation();
  const simulation = createSimulation({ nodes, heartbeats: true });
  await addRulesOfFile(simulation, rules);
  return simulation;
}

/** Returns the controllers of the flags. Where nodes are simulated, those of workloads run, too. */
function controllersOf(values: Values): ControllersOptions {
  const { enabled, disabled } = parseControllerList(values.controllers);
  const ofWorkloads =
    values['simulate-nodes'] === 0 ? [] : controllersOfTests.filter((name) => !disabled.includes(name));
  return {
    enable: [...new Set([...enabled, ...ofWorkloads])],
    disable: disabled,
    terminatedPodThreshold: values['terminated-pod-gc-threshold'],
    ...leaderElectionOf(values),
  };
}

/** Returns the options that flags set without files. */
function serverOptions(
  values: Values,
  { version: packageVersion, runtime, platform, clock, entropy }: Host,
): ApiServerOptions {
  return {
    dialect: values.dialect,
    controllers: controllersOf(values),
    featureGates: values['feature-gates'],
    runtimeConfig: values['runtime-config'],
    allowPrivileged: values['allow-privileged'],
    release: values['emulated-version'],
    version: { packageVersion, runtime, platform },
    fairness: fairnessOf(values),
    replaceAgreement: values['replace-agreement'] ?? false,
    limits: {
      ...limitsOf(values),
      historyBytes: values['history-memory'],
      ...definedOnly({ memoryBytes: values['memory-budget'], objectsTextBytes: values['max-objects-text'] }),
    },
    clock,
    entropy,
  };
}

/** Creates the server. @throws UsageError when flags, and therefore options, contradict each other */
function construct(options: ApiServerOptions): ApiServer {
  try {
    return new ApiServer(options);
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

function announce(
  { values, host, logger, choice }: Pick<Run, 'values' | 'host' | 'logger' | 'choice'>,
  server: ApiServer,
  { secure, insecure }: Listeners,
  kubeconfig: string,
): void {
  const storage = storageNotice(choice);
  const { dialect } = server;
  const url = insecure?.url ?? secure?.url;
  const isTerminal = host.stdout.isTTY === true;
  const authorityFile = values['tls-cert-file'] || join(values['cert-dir'], 'ca.crt');
  const facts: WelcomeFacts = {
    version: host.version,
    dialect,
    secure: secure?.url,
    insecure: insecure?.url,
    authorityFile,
    kubeconfig,
    storage,
    page: values.ui && isTerminal && url !== undefined ? server.pageLink(url) : undefined,
  };
  if (isTerminal) host.stdout.write(welcome(facts));
  logger.info('serving', {
    version: host.version,
    dialect: dialect.name,
    urls: [secure?.url, insecure?.url].filter((url) => url !== undefined),
    kubeconfig,
    storage,
  });
}

/**
 * Stops accepting, answers requests in flight, ends watches and closes the storage, in this order: requests in flight
 * need the storage, and a watch connection closes as soon as its watch ends.
 */
async function end(
  server: ApiServer,
  listeners: Listeners | undefined,
  { graceMs, watchGraceMs }: { readonly graceMs: number; readonly watchGraceMs: number },
): Promise<void> {
  const closed = listeners?.close(graceMs + watchGraceMs);
  await server.close({ grace: graceMs, watchGrace: watchGraceMs });
  await closed;
}
