import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { ApiServerOptions } from '../../apiserver/index.js';
import { UsageError } from '../usage-error.js';
import { onFileChange } from './file-changes.js';
import { orUsageError, readFlagFile, readText, reasonOf } from './files.js';
import type { AuthorizationValues } from './flags/authorization-flags.js';
import { postOfKubeConfig, type ServiceContext } from './kubeconfig-service.js';

type Options = NonNullable<ApiServerOptions['authorization']>;
type ByModes = Extract<Options, { readonly modes: unknown }>;

/** Flags that a configuration file replaces. */
const REPLACED = [
  'authorization-mode',
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
] as const satisfies readonly (keyof AuthorizationValues)[];

/**
 * Returns the authorization options that the flags set. The server itself validates the modes and the configuration
 * file.
 *
 * @throws UsageError when a file cannot be read, or flags exclude each other
 */
export async function authorizationOptions(values: AuthorizationValues, context: ServiceContext): Promise<Options> {
  const policyFile = values['authorization-policy-file'];
  const abac =
    policyFile === ''
      ? {}
      : { abac: { path: policyFile, text: await readFlagFile('authorization-policy-file', policyFile) } };
  const path = values['authorization-config'];
  if (path === '') return { modes: modesOf(values), ...abac, ...(await webhookOf(values, context)) };
  if (REPLACED.some((flag) => values[flag] !== undefined)) {
    throw new UsageError(
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    );
  }
  const text = await readFlagFile('authorization-config', path);
  return {
    configuration: { text, read: () => readText(path), onChange: (changed) => onFileChange(path, changed) },
    connect: ({ kubeConfigFile }) => postOfKubeConfig(kubeConfigFile, 'authorization webhook', context),
    files: { isAbsolute, problemOf },
    ...abac,
  };
}

/** Returns the modes unchecked; the server reports unknown modes together with its other problems. */
const modesOf = (values: AuthorizationValues): ByModes['modes'] =>
  (values['authorization-mode'] ?? ['RBAC']) as ByModes['modes'];

async function webhookOf(values: AuthorizationValues, context: ServiceContext): Promise<Pick<ByModes, 'webhook'>> {
  const flag = 'authorization-webhook-config-file';
  const path = values[flag] ?? '';
  if (path === '') return {};
  const version = values['authorization-webhook-version'];
  const authorizedTtl = values['authorization-webhook-cache-authorized-ttl'];
  const unauthorizedTtl = values['authorization-webhook-cache-unauthorized-ttl'];
  return {
    webhook: {
      post: await orUsageError(flag, () => postOfKubeConfig(path, 'authorization webhook', context)),
      version,
      authorizedTtl,
      unauthorizedTtl,
    },
  };
}

/** Returns the problem with a file that the configuration names, with the message of Kubernetes. */
function problemOf(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? undefined : 'must be a regular file';
  } catch (error) {
    return `error loading file: stat ${path}: ${reasonOf(error).replace(/, stat .*$/, '')}`;
  }
}
