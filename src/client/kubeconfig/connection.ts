import {
  aClock,
  aCount,
  aFunction,
  anObject,
  aText,
  checkOptions,
  goQuote,
  groupName,
  orch,
  report,
  systemClock,
  systemGroup,
  type Clock,
  type Dialect,
  type HttpClient,
  type OptionChecks,
  type OutboundTls,
  type StreamingHttpClient,
} from '../../foundation/index.js';
import type { CredentialSource } from '../wire/credential.js';
import { HttpConnection, type Connection, type StreamingConnection } from '../wire/http-connection.js';
import type { KubeCluster, KubeConfig, KubeUser } from './config.js';
import { fileCredentials, type FileCredentialOptions } from './credentials.js';
import { KubeConfigError } from './errors.js';
import { oidcCredentials } from './oidc/oidc-credentials.js';
import { createExecCredentials, execChecks, type ExecOptions } from './exec/exec-plugin.js';
import { DEFAULT_MAX_FILE_BYTES, readBoundedFile } from './files.js';
import { impersonationOf } from './impersonated-user.js';
import { checkAuthorities } from './key-pair.js';
import { serverAddress, type ServerAddress } from './server-url.js';
import { selectTarget, type KubeConfigTarget } from './validate.js';

/** Options of a connection. */
export interface ConnectionOptions {
  /** Sends the requests. */
  readonly http: HttpClient;
  /** Default the host's. */
  readonly clock?: Clock | undefined;
  /** Name of the context; default the current one. */
  readonly context?: string | undefined;
  /** Default `orch`. */
  readonly dialect?: Dialect | undefined;
  /** Options of credential plugins. */
  readonly exec?: ExecOptions | undefined;
  /** Maximum size of a file in the configuration, in bytes; default 1 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Default maximum size of a response, in bytes; default 10 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Called for problems that do not fail a request: a file cannot be reread, or credentials cannot be refreshed. */
  readonly warn?: ((error: Error) => void) | undefined;
}

const checks: OptionChecks<ConnectionOptions> = {
  http: aFunction,
  clock: aClock,
  context: aText,
  dialect: anObject,
  exec: execChecks,
  maxFileBytes: aCount('bytes', 1),
  maxResponseBytes: aCount('bytes', 1),
  warn: aFunction,
};

const DEFAULT_MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/**
 * Creates a connection from a configuration: validates the context and reads its files. A plugin runs with the first
 * request. Over plaintext HTTP no credentials are sent, as in Kubernetes, but impersonation headers are.
 *
 * @throws TypeError that names an invalid option
 * @throws KubeConfigError when the context is invalid, or needs a proxy or an auth provider other than `oidc`, which are
 *   not supported
 * @throws CredentialError when credentials in files cannot be used
 */
export function createConnection(
  config: KubeConfig,
  options: ConnectionOptions & { readonly http: StreamingHttpClient },
): Promise<StreamingConnection>;
export function createConnection(config: KubeConfig, options: ConnectionOptions): Promise<Connection>;
export async function createConnection(config: KubeConfig, options: ConnectionOptions): Promise<StreamingConnection> {
  checkOptions('createConnection', options, checks, ['http']);
  const { dialect = orch, maxFileBytes = DEFAULT_MAX_FILE_BYTES, context } = options;
  const target = await selectTarget(config, { context, dialect, maxFileBytes });
  if (target.cluster.proxyUrl !== undefined)
    throw new KubeConfigError(`proxy-url of cluster ${goQuote(target.clusterName)} is not supported`);
  return connectionTo(target, options);
}

/** More options of a connection. */
export interface TargetOptions {
  /** Returns whether credentials may be sent to a plaintext server. Default: to none. */
  readonly isPrivate?: ((server: URL) => boolean) | undefined;
  /** The source of the token, instead of the user entry. */
  readonly token?: CredentialSource | undefined;
}

/**
 * Creates a connection to the server of a context, without its proxy, which is a matter of the HTTP client.
 *
 * @throws as {@link createConnection}
 */
export async function connectionTo(
  target: KubeConfigTarget,
  options: ConnectionOptions,
  { isPrivate = () => false, token }: TargetOptions = {},
): Promise<StreamingConnection> {
  const { dialect = orch, clock = systemClock, maxFileBytes = DEFAULT_MAX_FILE_BYTES, warn: onWarning } = options;
  const warn = (error: Error): void => report(() => onWarning?.(error));
  refuseUnsupported(target);
  const address = serverAddress(target.cluster.server ?? '', target.clusterName);
  const secure = address.url.protocol === 'https:';
  const certificateAuthority = secure ? await authorities(target.cluster, maxFileBytes) : undefined;
  const plugin = (): CredentialSource | undefined | Promise<CredentialSource> =>
    target.user.authProvider === undefined
      ? execCredentials(target, address, certificateAuthority, { ...options, dialect, clock })
      : oidcCredentials(target.user.authProviderConfig ?? { config: new Map() }, {
          ...{ http: options.http, clock, maxFileBytes, warn },
        });
  const sendsCredentials = secure || isPrivate(address.url);
  const source = sendsCredentials
    ? withToken(await credentialsOf(target.user, { clock, maxFileBytes, warn }, plugin), token)
    : undefined;
  return new HttpConnection({
    http: options.http,
    source,
    warn,
    server: address.url,
    namespace: target.namespace,
    impersonation: impersonationOf(target.user),
    tls: secure ? tlsOf(target.cluster, certificateAuthority) : undefined,
    maxBytes: options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
  });
}

/** The auth provider that is supported. */
const OIDC = 'oidc';

function refuseUnsupported({ user }: KubeConfigTarget): void {
  if (user.authProvider !== undefined && user.authProvider !== OIDC)
    throw new KubeConfigError(`no Auth Provider found for name ${goQuote(user.authProvider)}`);
  if (user.username === undefined && user.password === undefined) return;
  if (user.tokenFile !== undefined)
    throw new KubeConfigError('username/password or bearer token may be set, but not both');
}

async function authorities(cluster: KubeCluster, maxFileBytes: number): Promise<string | undefined> {
  const { certificateAuthority: file, certificateAuthorityData: data, insecureSkipTlsVerify } = cluster;
  const pem = data ?? (file === undefined ? undefined : (await readBoundedFile(file, maxFileBytes)).toString('utf8'));
  if (pem === undefined) return undefined;
  if (insecureSkipTlsVerify === true)
    throw new KubeConfigError('specifying a root certificates file with the insecure flag is not allowed');
  return checkAuthorities(pem);
}

/** Returns the credentials of the user; the plugin or auth provider is used only without other credentials. */
async function credentialsOf(
  user: KubeUser,
  options: FileCredentialOptions,
  plugin: () => CredentialSource | undefined | Promise<CredentialSource>,
): Promise<CredentialSource | undefined> {
  return (await fileCredentials(user, options)) ?? plugin();
}

/** Returns credentials with the token of another source. */
function withToken(
  source: CredentialSource | undefined,
  token: CredentialSource | undefined,
): CredentialSource | undefined {
  if (token === undefined || source === undefined) return token ?? source;
  const { replace } = token;
  return {
    get: async () => ({ ...(await source.get()), ...(await token.get()) }),
    ...(replace === undefined
      ? {}
      : { replace: async (refused) => ({ ...(await source.get()), ...(await replace(refused)) }) }),
  };
}

function execCredentials(
  { cluster, user }: KubeConfigTarget,
  { pluginText }: ServerAddress,
  certificateAuthority: string | undefined,
  { exec, clock, dialect }: ConnectionOptions & { readonly clock: Clock; readonly dialect: Dialect },
): CredentialSource | undefined {
  if (user.exec === undefined) return undefined;
  const config = cluster.extensions?.get(`${groupName(systemGroup('client.authentication'), dialect)}/exec`);
  return createExecCredentials(
    user.exec,
    { cluster, server: pluginText, certificateAuthority, config },
    { ...exec, clock, dialect },
  );
}

function tlsOf(cluster: KubeCluster, certificateAuthority: string | undefined): OutboundTls {
  return {
    certificateAuthority,
    serverName: cluster.tlsServerName,
    ...(cluster.insecureSkipTlsVerify === true ? { insecureSkipVerify: true } : {}),
  };
}
