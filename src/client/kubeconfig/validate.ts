import { appendAll, dnsLabelErrors, goQuote, type Dialect } from '../../foundation/index.js';
import type { ExecConfig, KubeCluster, KubeConfig, KubeContext, KubeUser } from './config.js';
import { aggregate, KubeConfigError } from './errors.js';
import { readBoundedFile } from './files.js';

/** The cluster and user of a context. */
export interface KubeConfigTarget {
  readonly clusterName: string;
  readonly cluster: KubeCluster;
  /** Empty when the context has no user: requests carry no credentials. */
  readonly userName: string;
  readonly user: KubeUser;
  readonly namespace: string | undefined;
}

/** Options of the selection. */
export interface SelectOptions {
  /** Name of the context; default the current one. */
  readonly context?: string | undefined;
  readonly dialect: Dialect;
  /** Maximum size of a file in the configuration, in bytes. */
  readonly maxFileBytes: number;
}

const INTERACTIVE_MODES: ReadonlySet<string> = new Set(['Never', 'IfAvailable', 'Always']);

/**
 * Finds the cluster and the user of a context and validates both, with Kubernetes' messages. Their files must be
 * readable. Other entries are not validated.
 *
 * @throws KubeConfigError `invalid configuration: …` with all problems
 */
export async function selectTarget(config: KubeConfig, options: SelectOptions): Promise<KubeConfigTarget> {
  const { dialect } = options;
  if (isEmpty(config))
    throw invalid([
      `no configuration has been provided, try setting ${dialect.clientConfigVariable} environment variable`,
    ]);
  const name = options.context ?? config.currentContext ?? '';
  if (name === '') throw new KubeConfigError(`no context chosen${known(config)}`);
  const context = config.contexts.get(name);
  if (context === undefined) throw invalid([`context was not found for specified context: ${name}${known(config)}`]);

  const { cluster: clusterName = '', user: userName = '', namespace } = context;
  const cluster = config.clusters.get(clusterName) ?? {};
  const user = config.users.get(userName) ?? {};
  const problems = [
    ...contextProblems(name, context, config, dialect),
    ...(await userProblems(userName, user, options)),
    ...(await clusterProblems(clusterName, cluster, options)),
  ];
  if (problems.length > 0) throw invalid(problems);
  return { clusterName, cluster, userName, user, namespace };
}

/** The most names of contexts in a message. */
const MOST_NAMES = 10;

/** Returns which contexts there are, for the end of a message. */
function known({ contexts }: KubeConfig): string {
  const names = [...contexts.keys()];
  if (names.length === 0) return '; the configuration has none';
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  return `; the configuration has ${names.slice(0, MOST_NAMES).map(goQuote).join(', ')}${more}`;
}

function invalid(problems: readonly string[]): KubeConfigError {
  return new KubeConfigError(`invalid configuration: ${aggregate(problems)}`);
}

function isEmpty({ clusters, users, contexts, currentContext }: KubeConfig): boolean {
  return clusters.size === 0 && users.size === 0 && contexts.size === 0 && currentContext === undefined;
}

/** Returns the problems of a context. A user is optional: many webhooks do not authenticate their callers. */
function contextProblems(name: string, context: KubeContext, config: KubeConfig, dialect: Dialect): string[] {
  const { user, cluster, namespace } = context;
  const problems: string[] = [];
  if (user !== undefined && !config.users.has(user))
    problems.push(`user ${goQuote(user)} was not found for context ${goQuote(name)}`);
  if (cluster === undefined) problems.push(`cluster was not specified for context ${goQuote(name)}`);
  else if (!config.clusters.has(cluster))
    problems.push(`cluster ${goQuote(cluster)} was not found for context ${goQuote(name)}`);
  if (namespace !== undefined && dnsLabelErrors(namespace).length > 0) {
    problems.push(
      `namespace ${goQuote(namespace)} for context ${goQuote(name)} does not conform to the ${dialect.product} DNS_LABEL rules`,
    );
  }
  return problems;
}

async function clusterProblems(name: string, cluster: KubeCluster, { maxFileBytes }: SelectOptions): Promise<string[]> {
  const { server, certificateAuthority: file, certificateAuthorityData: data } = cluster;
  if (!hasContent(cluster)) return ['cluster has no server defined'];
  const problems: string[] = [];
  if (server === undefined)
    problems.push(
      name === '' ? 'default cluster has no server defined' : `no server found for cluster ${goQuote(name)}`,
    );
  if (file !== undefined && data !== undefined) {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    );
  }
  return [...problems, ...(await fileProblems('certificate-authority', file, name, maxFileBytes))];
}

function hasContent({ extensions, ...fields }: KubeCluster): boolean {
  return Object.values(fields).some((value) => value !== undefined && value !== false) || (extensions?.size ?? 0) > 0;
}

async function userProblems(name: string, user: KubeUser, { maxFileBytes }: SelectOptions): Promise<string[]> {
  const problems = await certificateProblems(name, user, maxFileBytes);
  if (user.exec !== undefined) appendAll(problems, execProblems(name, user.exec, user.authProvider !== undefined));
  const methods = methodsOf(user);
  if (methods.length > 1)
    problems.push(
      `more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`,
    );
  const details =
    (user.impersonateGroups?.length ?? 0) +
    (user.impersonateUserExtra?.size ?? 0) +
    (user.impersonateUid === undefined ? 0 : 1);
  if (details > 0 && user.impersonate === undefined)
    problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  return problems;
}

function methodsOf({ token, username, password }: KubeUser): string[] {
  return [
    ...(token === undefined ? [] : ['token']),
    ...(username === undefined && password === undefined ? [] : ['basicAuth']),
  ];
}

async function certificateProblems(name: string, user: KubeUser, maxFileBytes: number): Promise<string[]> {
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  if (clientCertificate === undefined && clientCertificateData === undefined) return [];
  const problems: string[] = [];
  if (clientCertificate !== undefined && clientCertificateData !== undefined) {
    problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`);
  }
  if (clientKey !== undefined && clientKeyData !== undefined) {
    problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
  }
  if (clientKey === undefined && clientKeyData === undefined) {
    problems.push(
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    );
  }
  return [
    ...problems,
    ...(await fileProblems('client-cert', clientCertificate, name, maxFileBytes)),
    ...(await fileProblems('client-key', clientKey, name, maxFileBytes)),
  ];
}

function execProblems(name: string, exec: ExecConfig, hasProvider: boolean): string[] {
  const { command, apiVersion, env = [], interactiveMode } = exec;
  const demand = (what: string): string => `${what} must be specified for ${name} to use exec authentication plugin`;
  const problems: string[] = [];
  if (hasProvider) problems.push(`authProvider cannot be provided in combination with an exec plugin for ${name}`);
  if (command === undefined) problems.push(demand('command'));
  if (apiVersion === undefined) problems.push(demand('apiVersion'));
  if (env.some((variable) => variable.name === '')) problems.push(demand('env variable name'));
  if (interactiveMode === undefined) problems.push(demand('interactiveMode'));
  else if (!INTERACTIVE_MODES.has(interactiveMode))
    problems.push(`invalid interactiveMode for ${name}: ${goQuote(interactiveMode)}`);
  return problems;
}

async function fileProblems(what: string, path: string | undefined, name: string, maxBytes: number): Promise<string[]> {
  if (path === undefined) return [];
  try {
    await readBoundedFile(path, maxBytes);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [`unable to read ${what} ${path} for ${name} due to ${error.message}`];
  }
}
