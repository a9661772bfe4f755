/**
 * The credentials of a kubeconfig for webhooks: its users are named like the hosts that get them.
 *
 * @see release 1.31, `pkg/util/webhook/authentication.go` of the module apiserver
 * @module
 */
import {
  aClock,
  aCount,
  aFunction,
  anObject,
  checkOptions,
  goQuote,
  messageOf,
  report,
  systemClock,
  type Clock,
  type Dialect,
  type FindCredentials,
  type OptionChecks,
  type WebhookCredentials,
} from '../../foundation/index.js';
import type { CredentialSource } from '../wire/credential.js';
import type { KubeConfig, KubeUser } from './config.js';
import { fileCredentials } from './credentials.js';
import { KubeConfigError } from './errors.js';
import { createExecCredentials, execChecks, type ExecOptions } from './exec/exec-plugin.js';
import { DEFAULT_MAX_FILE_BYTES } from './files.js';
import { impersonationOf } from './impersonated-user.js';

/** Options of {@link hostCredentials}. */
export interface HostCredentialOptions {
  /** Default the host's. */
  readonly clock?: Clock | undefined;
  /** Called for problems that do not fail a request: a file cannot be reread. */
  readonly warn?: ((error: Error) => void) | undefined;
  /** Options of credential plugins. */
  readonly exec?: ExecOptions | undefined;
  /** Default `orch`. */
  readonly dialect?: Dialect | undefined;
  /** Maximum size of a file in the configuration, in bytes; default 1 MiB. */
  readonly maxFileBytes?: number | undefined;
}

const checks: OptionChecks<HostCredentialOptions> = {
  clock: aClock,
  warn: aFunction,
  exec: execChecks,
  dialect: anObject,
  maxFileBytes: aCount('bytes', 1),
};

/** Port that the name of a user may leave out. */
const DEFAULT_PORT = 443;

/**
 * Returns the credentials of a kubeconfig for each host. The first user counts that is named like the host:
 *
 * 1. `webhook.example.com:8443`, or `hooks.default.svc:443` for a service;
 * 2. a wildcard for the first labels, the longest first: `*.example.com:8443`, `*.com:8443`;
 * 3. with port 443, the same names without the port;
 * 4. `*`;
 * 5. the user of the current context.
 *
 * The files of all users are read at once, so that a missing one fails early. For the option `admission.webhooks` of a
 * server.
 *
 * @throws TypeError that names an invalid option; KubeConfigError that names the user whose credentials cannot be used
 */
export async function hostCredentials(
  config: KubeConfig,
  options: HostCredentialOptions = {},
): Promise<FindCredentials> {
  checkOptions('hostCredentials', options, checks);
  const sources = new Map<string, () => Promise<WebhookCredentials>>();
  for (const [name, user] of config.users) {
    try {
      sources.set(name, await sourceOf(user, options));
    } catch (error) {
      throw new KubeConfigError(`user ${goQuote(name)}: ${messageOf(error)}`, { cause: error });
    }
  }
  const current = config.contexts.get(config.currentContext ?? '')?.user;
  return async (host, port) => {
    const hostname = host.replace(/:\d+$/, '');
    const names = [...namesOf(`${hostname}:${port}`), ...(port === DEFAULT_PORT ? namesOf(hostname) : []), '*'];
    const found = names.find((name) => sources.has(name)) ?? current;
    return found === undefined ? undefined : sources.get(found)?.();
  };
}

/** Returns the names of users that match a host: its own, then the wildcards. */
function namesOf(target: string): string[] {
  const labels = target.split('.');
  return [target, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)];
}

async function sourceOf(user: KubeUser, options: HostCredentialOptions): Promise<() => Promise<WebhookCredentials>> {
  if (user.authProvider !== undefined) throw new KubeConfigError('auth provider not supported');
  const { clock = systemClock, maxFileBytes = DEFAULT_MAX_FILE_BYTES, exec, dialect } = options;
  const warn = (error: Error): void => report(() => options.warn?.(error));
  const source: CredentialSource | undefined =
    (await fileCredentials(user, { clock, warn, maxFileBytes })) ??
    (user.exec === undefined ? undefined : createExecCredentials(user.exec, undefined, { ...exec, clock, dialect }));
  const impersonation = Object.fromEntries(impersonationOf(user));
  return async () => {
    const { authorization, certificate, key } = (await source?.get()) ?? {};
    const headers = { ...impersonation, ...(authorization === undefined ? {} : { authorization }) };
    return { certificate, key, headers };
  };
}
