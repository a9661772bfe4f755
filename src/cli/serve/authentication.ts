import type {
  AdmissionOptions,
  AuditOptions,
  AuthenticationOptions,
  AuthorizationOptions,
} from '../../apiserver/index.js';
import { aggregate } from '../../client/node.js';
import type { Dialect, HttpClient, Logger } from '../../foundation/index.js';
import { parseTokenFile, type StaticToken } from '../../security/index.js';
import type { FeatureGates } from '../../server/index.js';
import { nodeHttpClient } from '../../transport/node.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';
import { admissionOptions, type AdmissionValues } from './admission.js';
import { auditOptions } from './audit.js';
import { authenticationProblems, authenticationWarnings } from './authentication-checks.js';
import { authorizationOptions } from './authorization.js';
import { orUsageError, readFlagFile } from './files.js';
import type { AuditValues } from './flags/audit-flags.js';
import type { AuthenticationValues } from './flags/authentication-flags.js';
import type { AuthorizationValues } from './flags/authorization-flags.js';
import { AuthorityFile } from './keys/authority-file.js';
import { serviceAccountOptions } from './keys/service-account-options.js';
import { webTokenOptions } from './keys/web-token-options.js';
import { postOfKubeConfig, type ServiceContext } from './kubeconfig-service.js';

/** Dependencies for reading the flags. */
export interface AuthenticationContext {
  readonly host: Host;
  readonly logger: Logger;
  readonly dialect: Dialect;
  readonly featureGates: FeatureGates;
  /** Content of `--tls-private-key-file`, if given. */
  readonly servingKey: string | undefined;
}

/** Authentication, authorization, admission and audit options of a server, built from its flags. */
export interface AuthenticationSetup {
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  readonly admission: AdmissionOptions;
  readonly audit: AuditOptions | undefined;
  /** Sends all requests of the server. */
  readonly httpClient: HttpClient;
  /** Stops background work. Call it after the server is closed. */
  close(): void;
}

/** Reads all files that the flags name, and reloads files that may change.
 *
 * @throws UsageError when a flag or a file is invalid; no background work remains
 */
export async function setUpAuthentication(
  values: AuthenticationValues & AuthorizationValues & AdmissionValues & AuditValues,
  context: AuthenticationContext,
): Promise<AuthenticationSetup> {
  const { host, logger, featureGates } = context;
  const problems = authenticationProblems(values, featureGates);
  if (problems.length > 0) throw new UsageError(aggregate(problems));
  for (const warning of authenticationWarnings(values)) logger.info(warning);
  const clientAuthorities = await authorityFile(values, 'client-ca-file', 'client-ca-bundle');
  const proxyAuthorities = await authorityFile(values, 'requestheader-client-ca-file', 'request-header');
  const http = nodeHttpClient();
  const options = {
    authentication: {
      ...(await credentialOptions(values, context, http)),
      ...certificateOptions(values, clientAuthorities, proxyAuthorities),
    },
    authorization: await authorizationOptions(values, { ...context, http }),
    admission: await admissionOptions(values, { ...context, http }),
    // Last: it opens a file, and nothing after it may fail.
    audit: await auditOptions(values, { ...context, http }),
    httpClient: http,
  };
  const files = [clientAuthorities, proxyAuthorities].filter((file) => file !== undefined);
  for (const file of files) file.watch(host.clock, logger);
  return {
    ...options,
    close() {
      for (const file of files) file.close();
      http.close();
    },
  };
}

async function authorityFile(
  values: AuthenticationValues,
  flag: 'client-ca-file' | 'requestheader-client-ca-file',
  purpose: string,
): Promise<AuthorityFile | undefined> {
  return values[flag] === '' ? undefined : AuthorityFile.read(flag, purpose, values[flag]);
}

function certificateOptions(
  values: AuthenticationValues,
  clients: AuthorityFile | undefined,
  proxy: AuthorityFile | undefined,
): AuthenticationOptions {
  return {
    clientCertificates: clients === undefined ? undefined : { certificateAuthorities: clients.current },
    requestHeader:
      proxy === undefined
        ? undefined
        : {
            certificateAuthorities: proxy.current,
            allowedNames: values['requestheader-allowed-names'],
            usernameHeaders: values['requestheader-username-headers'],
            groupHeaders: values['requestheader-group-headers'],
            extraHeaderPrefixes: values['requestheader-extra-headers-prefix'],
          },
  };
}

async function credentialOptions(
  values: AuthenticationValues,
  { host, logger, dialect, servingKey }: AuthenticationContext,
  http: ReturnType<typeof nodeHttpClient>,
): Promise<AuthenticationOptions> {
  const anonymous = values['anonymous-auth'];
  const apiAudiences = values['api-audiences'];
  const tokenWebhook = await tokenWebhookOptions(values, { host, dialect, http, logger });
  return {
    tokens: await readTokens(values['token-auth-file'], logger),
    anonymous,
    ...(apiAudiences.length === 0 ? {} : { apiAudiences }),
    serviceAccounts: await serviceAccountOptions(values, servingKey, logger),
    bootstrapTokens: values['enable-bootstrap-token-auth'],
    ...(await webTokenOptions(values, dialect)),
    tokenWebhook,
  };
}

async function readTokens(path: string, logger: Logger): Promise<readonly StaticToken[]> {
  if (path === '') return [];
  const content = await readFlagFile('token-auth-file', path);
  const { tokens, warnings } = await orUsageError('token-auth-file', () => parseTokenFile(content, path));
  for (const warning of warnings) logger.info(warning);
  return tokens;
}

const FLAG = 'authentication-token-webhook-config-file';

/** Returns the options of the token webhook; undefined when none is configured.
 *
 * @throws UsageError that names the flag, when the configuration or its credentials are invalid
 */
async function tokenWebhookOptions(
  values: AuthenticationValues,
  context: ServiceContext,
): Promise<AuthenticationOptions['tokenWebhook']> {
  const path = values[FLAG];
  if (path === '') return undefined;
  const post = await orUsageError(FLAG, () => postOfKubeConfig(path, 'token webhook', context));
  return {
    post,
    version: values['authentication-token-webhook-version'],
    cacheTtl: values['authentication-token-webhook-cache-ttl'],
  };
}
