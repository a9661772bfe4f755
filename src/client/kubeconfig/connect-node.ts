/**
 * Connects to a server from Node, by a kubeconfig or a URL.
 *
 * @module
 */
import {
  aName,
  anObject,
  checkOptions,
  consoleLogger,
  chosenDialect,
  either,
  goQuote,
  inSlices,
  jsonValue,
  jsonValueSteps,
  kubernetes,
  LONG_TEXT,
  messageOf,
  nested,
  safeLogger,
  SharedWork,
  type Dialect,
  type JsonValue,
  type OptionChecks,
} from '../../foundation/index.js';
import { environmentProxy, isLoopback, nodeHttpClient, proxyUrl } from '../../transport/node.js';
import type { Client } from '../client.js';
import type { KubeConfigSource, UrlTarget } from '../connect.js';
import type { KubeCluster, KubeConfig, KubeUser } from './config.js';
import { connectionTo } from './connection.js';
import { parseKubeConfig } from './decode.js';
import { KubeConfigError } from './errors.js';
import { DEFAULT_MAX_FILE_BYTES } from './files.js';
import { loadKubeConfig } from './load.js';
import { kubeConfigOfPod } from './pod.js';
import { serverAddress } from './server-url.js';
import { trusting } from './trusting.js';
import { selectTarget, type KubeConfigTarget } from './validate.js';
import { clientOver } from '../wire/client-over.js';
import { aToken, aUrl } from '../wire/connect-fetch.js';
import type { Connection } from '../wire/http-connection.js';
import { checkConnectOptions, type ConnectOptions } from '../wire/connect-options.js';
import { tokenCredentials } from '../wire/token.js';

const sourceChecks: OptionChecks<KubeConfigSource> = { kubeconfig: either(anObject, aName), context: aName };

const urlChecks: OptionChecks<UrlTarget> = {
  url: aUrl,
  token: aToken,
  certificate: nested({ certificate: aName, key: aName }, ['certificate', 'key']),
  authority: aName,
};

/** Value of `User-Agent`. */
const USER_AGENT = 'orch-apiserver';

/** A client, and its connection for what is not an object, such as the documents of discovery. */
export interface Connected {
  readonly client: Client;
  readonly connection: Connection;
}

/** Connects to a server over Node's HTTP. @throws TypeError, KubeConfigError, CredentialError */
export async function connectOnNode(target: KubeConfigSource | UrlTarget, options: ConnectOptions): Promise<Client> {
  const { client } = await openOnNode(target, options);
  return client;
}

/** Does the same for commands, which also read documents. The client closes the connection. @throws as {@link connectOnNode} */
export async function openOnNode(target: KubeConfigSource | UrlTarget, options: ConnectOptions): Promise<Connected> {
  const isUrl = 'url' in target;
  const known = Object.keys(target).some((name) => name in sourceChecks || name in urlChecks);
  if (!known && Object.keys(target).length > 0)
    throw new TypeError(
      `connect: the target needs url, or kubeconfig, or nothing; got ${Object.keys(target).map(goQuote).join(', ')}`,
    );
  checkOptions('connect', target, isUrl ? urlChecks : sourceChecks);
  checkConnectOptions(options);
  const chosen = isUrl ? targetOf(target) : await chosenTarget(target, options);
  const token = isUrl && typeof target.token === 'function' ? tokenCredentials(target.token) : undefined;
  const { limit: { connections } = {}, clock, logger = consoleLogger } = options;
  const http = nodeHttpClient({
    ...{ http2: true, maxSockets: connections, clock },
    proxy: proxyOf(chosen),
  });
  const { warn } = safeLogger(logger);
  const parts = {
    http,
    clock,
    dialect: chosenDialect(options.dialect ?? kubernetes),
    warn: (error: Error) => warn(error.message),
  };
  const connection = trusting(await connectionTo(chosen, parts, { isPrivate, token }));
  const client = clientOver(connection, options, {
    decode: decodeInSlices,
    userAgent: USER_AGENT,
    close: () => http.close(),
  });
  return { client, connection };
}

/**
 * Returns the proxies: that of the cluster for its server, and those of the environment for others, such as issuers of tokens.
 *
 * @throws KubeConfigError for the proxy of the cluster, Error for one of the environment that is not the URL of a proxy
 */
function proxyOf({ cluster, clusterName }: KubeConfigTarget): (url: URL) => URL | undefined {
  const ofEnvironment = environmentProxy();
  const proxy = clusterProxy(cluster, clusterName);
  if (proxy === undefined) return ofEnvironment;
  const { origin } = serverAddress(cluster.server ?? '', clusterName).url;
  return (url) => (url.origin === origin ? proxy : ofEnvironment(url));
}

function clusterProxy({ proxyUrl: text = '' }: KubeCluster, name: string): URL | undefined {
  try {
    return proxyUrl(`proxy-url of cluster ${goQuote(name)}`, text);
  } catch (error) {
    throw new KubeConfigError(`invalid configuration: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns whether what is sent to a server does not leave this machine. */
const isPrivate = ({ hostname }: URL): boolean => isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));

/** Decodes a long text in several turns. */
function decodeInSlices(text: string): JsonValue | Promise<JsonValue> {
  if (text.length < LONG_TEXT) return jsonValue(text);
  const work = new SharedWork();
  return inSlices(work, jsonValueSteps(work, text));
}

/** @throws TypeError for credentials that would be sent in plaintext */
function targetOf({ url: given, token, certificate, authority }: UrlTarget): KubeConfigTarget {
  const url = new URL(given);
  const secure = url.protocol === 'https:';
  if (!secure && token !== undefined && !isPrivate(url))
    throw new TypeError(
      `connect: a token would be sent to ${url.host} in plaintext: use https://, or pass a function fetch that may send it`,
    );
  if (!secure && (certificate ?? authority) !== undefined)
    throw new TypeError('connect: a certificate is for https://: leave it out, or use https://');
  requirePem('authority', authority);
  requirePem('certificate.certificate', certificate?.certificate);
  requirePem('certificate.key', certificate?.key);
  const user: KubeUser = {
    token: typeof token === 'string' ? token : undefined,
    clientCertificateData: certificate?.certificate,
    clientKeyData: certificate?.key,
  };
  const cluster: KubeCluster = { server: url.href, certificateAuthorityData: authority };
  return { clusterName: url.host, cluster, userName: '', user, namespace: undefined };
}

/** @throws TypeError for a text that has nothing in PEM, such as the path of a file */
function requirePem(option: string, text: string | undefined): void {
  if (text !== undefined && !text.includes('-----BEGIN '))
    throw new TypeError(`connect: the option ${option} must be the content of a file in PEM, not its path`);
}

async function chosenTarget(source: KubeConfigSource, options: ConnectOptions): Promise<KubeConfigTarget> {
  const dialect = chosenDialect(options.dialect ?? kubernetes);
  const { warn } = safeLogger(options.logger ?? consoleLogger);
  const config = await configOf(source, dialect, (error) => warn(error.message));
  return selectTarget(config, { context: source.context, dialect, maxFileBytes: DEFAULT_MAX_FILE_BYTES });
}

async function configOf(
  { kubeconfig }: KubeConfigSource,
  dialect: Dialect,
  warn: (error: Error) => void,
): Promise<KubeConfig> {
  if (typeof kubeconfig === 'object') return kubeconfig;
  if (kubeconfig !== undefined) {
    const isText = kubeconfig.includes('\n');
    const given = isText
      ? await parseKubeConfig(kubeconfig, { dialect })
      : await loadKubeConfig({ explicitPath: kubeconfig, dialect });
    if (given.clusters.size === 0 && given.contexts.size === 0)
      throw new KubeConfigError(
        `invalid configuration: ${isText ? 'the text' : `the file ${goQuote(kubeconfig)}`} has neither clusters nor contexts`,
      );
    return given;
  }
  const config = await loadKubeConfig({ dialect, warn });
  if (config.clusters.size > 0 || config.currentContext !== undefined) return config;
  // As the clients of Kubernetes do: without a configuration, a pod uses its account.
  return kubeConfigOfPod({ dialect }).catch((error: unknown) => {
    if (error instanceof KubeConfigError) return config;
    throw error;
  });
}
