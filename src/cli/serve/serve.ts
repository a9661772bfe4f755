import { join } from 'node:path';
import { ApiServer } from '../../api-server.js';
import { parseTokenFile, type StaticToken } from '../../authn/index.js';
import { delay } from '../../meta/index.js';
import { FeatureGates } from '../../server/feature-gates.js';
import type { Logger } from '../../server/logger.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { createJsonLogger } from '../json-logger.js';
import { UsageError } from '../usage-error.js';
import { awaitEnding } from './ending.js';
import { Entrance } from './entrance.js';
import { readFlagFile, reasonOf, writePrivateFile } from './files.js';
import { serveFlags } from './flags.js';
import { openListeners, type Listeners } from './listeners.js';
import { servingTls } from './serving-tls.js';
import { MEMORY_NOTICE, welcome, type WelcomeFacts } from './welcome.js';

type Values = FlagValues<typeof serveFlags>;

/** Level of `--v` from which on every request is logged. */
const REQUESTS_LEVEL = 3;

/** How long a request in flight may still take when the server ends: as long as any request may. */
const DRAIN_MS = 60_000;

/** Runs a server until it is told to end. */
export const serve = defineCommand({ name: 'serve', summary: 'Serves the API until SIGTERM or SIGINT.', flags: serveFlags, run: runServer });

async function runServer(values: Values, host: Host): Promise<number> {
  const logger = createJsonLogger(host.stderr, host.clock);
  const ending = awaitEnding(host);
  try {
    let listeners: Listeners | undefined;
    const server = new ApiServer({ ...(await serverOptions(values, host, logger)), rootCertificateAuthority: () => listeners?.authority });
    const requestLog = values.v >= REQUESTS_LEVEL ? logger : undefined;
    const entrance = new Entrance(server, { clock: host.clock, requestLog });
    try {
      listeners = await openListeners(entrance, listenersOptions(values, host));
      await server.ready();
      await writeKubeConfig(server, listeners, values);
      announce(values, server, listeners, host, logger);
      logger.info('ending', { signal: await ending.requested });
      server.health.startShutdown();
      await delay(host.clock, values['shutdown-delay-duration']);
    } finally {
      await end(server, entrance, listeners);
    }
    logger.info('ended');
    return 0;
  } finally {
    ending.forget();
  }
}

async function serverOptions(values: Values, host: Host, logger: Logger) {
  const { version: packageVersion, runtime, platform, clock, entropy } = host;
  for (const warning of FeatureGates.parse(values['feature-gates']).warnings) logger.info(warning);
  return {
    dialect: values.dialect,
    tokens: await readTokens(values['token-auth-file'], logger),
    anonymous: values['anonymous-auth'],
    featureGates: values['feature-gates'],
    runtimeConfig: values['runtime-config'],
    version: { packageVersion, runtime, platform },
    clock,
    entropy,
    logger,
  };
}

async function readTokens(path: string, logger: Logger): Promise<readonly StaticToken[]> {
  if (path === '') return [];
  const content = await readFlagFile('token-auth-file', path);
  try {
    const { tokens, warnings } = parseTokenFile(content, path);
    for (const warning of warnings) logger.info(warning);
    return tokens;
  } catch (error) {
    throw new UsageError(`--token-auth-file: ${reasonOf(error)}`);
  }
}

function listenersOptions(values: Values, { clock, entropy }: Host) {
  const bindAddress = values['bind-address'];
  return {
    bindAddress,
    securePort: values['secure-port'],
    insecurePort: values['insecure-loopback-port'],
    tls: () => servingTls({ certFile: values['tls-cert-file'], keyFile: values['tls-private-key-file'], directory: values['cert-dir'], bindAddress, clock, entropy }),
    clock,
  };
}

async function writeKubeConfig(server: ApiServer, { secure, insecure, authority }: Listeners, values: Values): Promise<void> {
  const path = values['kubeconfig-out'];
  const url = secure?.url ?? insecure?.url;
  if (path === '' || url === undefined) return;
  await writePrivateFile('kubeconfig-out', path, server.kubeConfig({ server: url, ...(authority === undefined ? {} : { certificateAuthority: authority }) }));
}

function announce(values: Values, { dialect }: ApiServer, { secure, insecure }: Listeners, host: Host, logger: Logger): void {
  const kubeconfig = values['kubeconfig-out'];
  const authorityFile = values['tls-cert-file'] || join(values['cert-dir'], 'ca.crt');
  const facts: WelcomeFacts = { version: host.version, dialect, secure: secure?.url, insecure: insecure?.url, authorityFile, kubeconfig };
  if (host.stdout.isTTY === true) host.stdout.write(welcome(facts));
  logger.info('serving', { version: host.version, dialect: dialect.name, urls: [secure?.url, insecure?.url].filter((url) => url !== undefined), kubeconfig, storage: MEMORY_NOTICE });
}

/**
 * Stops accepting, answers what has come in, ends the watches and closes the storage, in this order: a request in flight
 * finds its storage open, and a connection that watches ends as soon as its watch does.
 */
async function end(server: ApiServer, entrance: Entrance, listeners: Listeners | undefined): Promise<void> {
  const closed = listeners?.close(DRAIN_MS);
  await entrance.idle(DRAIN_MS);
  await server.close();
  await closed;
}
