import { access } from 'node:fs/promises';
import { parseControllerList } from '../../apiserver/index.js';
import { encodeHex, messageOf, type HttpClient, type Logger } from '../../foundation/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import type { Handler } from '../../server/index.js';
import {
  commandHandler,
  controlHandler,
  ControlledServers,
  controlledTestServer,
  createRunningClock,
  described,
  pageCommands,
  startTestServer,
  type ControlledServer,
  type ServedPort,
} from '../../testing/index.js';
import { createServingCertificate, nodeHttpClient, type ServingCertificate } from '../../transport/node.js';
import type { TestCommands } from '../../ui/index.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { orUsageError, writePrivateFile } from '../serve/files.js';
import { networkOptions } from '../serve/flags/network-flags.js';
import { openListener } from '../serve/listeners.js';
import { loggerOf } from '../serve/telemetry/log-format.js';
import { readResources } from '../serve/resources-file.js';
import { addRulesOfFile, RULES_WITHOUT_NODES } from '../serve/pod-rules-file.js';
import { observed, requestLog, REQUESTS_LEVEL } from '../serve/telemetry/request-log.js';
import { awaitTermination } from '../serve/termination.js';
import { StartError, UsageError } from '../usage-error.js';
import { testServerFlags } from './flags.js';

type Values = FlagValues<typeof testServerFlags>;

const LOOPBACK = '127.0.0.1';
/** Bytes of a random token. */
const TOKEN_BYTES = 32;
/** Time that open connections have when a server ends, in milliseconds. */
const GRACE_MS = 1000;
/** Time that a server has to end, in milliseconds; longer than that of its connections. */
const CLOSE_MS = 5000;

/** The command `test-server`: runs a server for tests in other languages, with its control API. */
export const testServer = defineCommand({
  name: 'test-server',
  summary: 'Runs a server for tests in any language, which a control API forks, resets and controls.',
  flags: testServerFlags,
  run: async (values, host) =>
    runTestServer(values, host, { objects: [], resources: await readResources(values.resources) }),
});

/** Kinds and objects of a test server. */
export interface TestContent {
  /** Kinds that it serves besides the built-in ones. */
  readonly resources: readonly ResourceDefinition[];
  /** Loaded at the start, before the objects of the flags. */
  readonly objects: readonly object[];
}

/**
 * Runs a test server until it is ended.
 *
 * @throws UsageError | StartError
 */
export async function runTestServer(values: Values, host: Host, content: TestContent): Promise<number> {
  const logger = loggerOf(values, host);
  const termination = awaitTermination(host);
  let forgetParent = (): void => undefined;
  const ends = [termination.requested];
  if (values['exit-with-parent'])
    ends.push(new Promise((resolve) => (forgetParent = host.onParentEnd(() => resolve('the end of the parent')))));
  try {
    const running = await start(values, content, host, logger);
    try {
      await announce(running, values, host, logger);
      logger.info('ending', { signal: await Promise.race(ends) });
    } finally {
      await running.close();
    }
    logger.info('ended');
    return 0;
  } finally {
    forgetParent();
    termination.forget();
  }
}

/** A running program. */
interface Running {
  readonly servers: ControlledServers;
  readonly control: { readonly url: string; readonly token: string };
  close(): Promise<void>;
}

async function start(values: Values, content: TestContent, host: Host, logger: Logger): Promise<Running> {
  const token = (): string => encodeHex(host.entropy.bytes(TOKEN_BYTES));
  const certificate = await createServingCertificate({ clock: host.clock, entropy: host.entropy });
  // Calls webhooks that convert custom resources, with the authorities that their definitions name.
  const httpClient = nodeHttpClient();
  const context = { ownerToken: token(), certificate, httpClient, host, logger };
  const server = await startServer(values, content, context);
  const control = { url: '', token: token() };
  const commands = (): Handler => commandHandler({ servers, logger });
  let port = values.port;
  const servers = await ControlledServers.start(server, {
    maxForks: values['max-forks'],
    closeMs: CLOSE_MS,
    clock: host.clock,
    logger,
    controlUrl: () => control.url,
    open: (opened, id) => {
      const test: TestCommands = (request, path) => pageCommands(commands(), id)(request, path);
      const options = { port, certificate, values, host, logger, test };
      // The port of the flag is for the first server.
      port = 0;
      return openPort(opened, options);
    },
  });
  try {
    const handle = controlHandler({ servers, token: control.token, version: host.version, logger });
    const listener = await openListener('control-port', { handle }, { host: LOOPBACK, port: values['control-port'] });
    control.url = listener.url;
    return {
      servers,
      control,
      async close() {
        const closed = listener.close({ grace: GRACE_MS });
        try {
          await servers.close();
        } finally {
          httpClient.close();
          await closed;
        }
      },
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}

/** The parts that a server needs besides the flags. */
interface ServerContext {
  readonly ownerToken: string;
  readonly certificate: ServingCertificate;
  readonly httpClient: HttpClient;
  readonly host: Host;
  readonly logger: Logger;
}

async function startServer(
  values: Values,
  { objects, resources }: TestContent,
  { ownerToken, certificate, httpClient, host, logger }: ServerContext,
): Promise<ControlledServer> {
  const { crds, load: manifests, seed } = values;
  const startMs = values['start-time'];
  for (const path of crds) await orUsageError('crds', () => access(path));
  for (const path of manifests) await orUsageError('load', () => access(path));
  const runningClock = values.time === 'real' ? createRunningClock(host.clock, startMs) : undefined;
  const { enabled, disabled } = parseControllerList(values.controllers);
  const { 'simulate-nodes': nodes, 'simulate-pods': rules } = values;
  if (nodes === 0 && rules !== '') throw new UsageError(RULES_WITHOUT_NODES);
  try {
    const test = await startTestServer({
      dialect: values.dialect,
      ...(runningClock === undefined ? { start: startMs } : { clock: runningClock }),
      seed,
      // A predictable token would give other users of the machine access to the port.
      authentication: { ownerToken },
      certificates: { rootAuthority: () => certificate.caPem },
      resources,
      crds,
      manifests: [...objects, ...manifests],
      simulate: nodes === 0 ? false : { nodes },
      controllers: { enable: enabled, disable: disabled },
      featureGates: values['feature-gates'],
      runtimeConfig: values['runtime-config'],
      network: { ...networkOptions(values), httpClient },
      release: values['emulated-version'],
      observability: { logger },
    });
    await addRulesOfFile(test, rules);
    return controlledTestServer(test, { ownerToken, runningClock, simulates: nodes > 0 });
  } catch (error) {
    throw error instanceof UsageError ? error : new StartError(messageOf(error));
  }
}

/** Context of the ports of servers. */
interface PortContext {
  readonly port: number;
  readonly certificate: ServingCertificate;
  readonly values: Values;
  readonly host: Host;
  readonly logger: Logger;
  /** Runs the commands of the server's page. */
  readonly test: TestCommands;
}

/** Opens the port of a server's API, with TLS: clients based on client-go send a token only over TLS. */
async function openPort(
  { target }: ControlledServer,
  { port, certificate: { certPem, keyPem, caPem }, values, host, logger, test }: PortContext,
): Promise<ServedPort> {
  const served = values.v >= REQUESTS_LEVEL ? observed(target, requestLog(logger, host.clock)) : target;
  const tls = { key: keyPem, cert: certPem };
  const listener = await openListener('port', served, { host: LOOPBACK, port, tls, ui: values.ui && { test } });
  return { url: listener.url, certificateAuthority: caPem, close: () => listener.close({ grace: GRACE_MS }) };
}

/** Prints how to reach the server. */
async function announce({ servers, control }: Running, values: Values, host: Host, logger: Logger): Promise<void> {
  const server = described(servers.main, control.url);
  const { kubeconfig, url } = server;
  const path = values.kubeconfig;
  if (path !== '') await writePrivateFile('kubeconfig', path, kubeconfig);
  const form = values.output ?? (path === '' ? 'kubeconfig' : 'json');
  const text =
    form === 'json'
      ? JSON.stringify({ ...server, controlToken: control.token })
      : `# Control API: ${control.url}, with the token ${control.token}\n${kubeconfig}`.trimEnd();
  host.stdout.write(`${text}\n`);
  logger.info('serving', { version: host.version, dialect: values.dialect.name, urls: [url, control.url] });
}
