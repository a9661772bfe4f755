import type { ApiServerOptions } from '../../api-server.js';
import type { AuthenticationValues } from './authentication-flags.js';
import { orUsageError } from './files.js';
import { postOfKubeConfig, type ServiceContext } from './kubeconfig-service.js';

const FLAG = 'authentication-token-webhook-config-file';

/**
 * The service that is asked whose token it is; undefined when there is none.
 *
 * @throws UsageError that names the flag, when the configuration or the credentials in it cannot be used
 */
export async function tokenWebhookOptions(
  values: AuthenticationValues,
  context: ServiceContext,
): Promise<ApiServerOptions['tokenWebhook']> {
  const path = values[FLAG];
  if (path === '') return undefined;
  const post = await orUsageError(FLAG, () => postOfKubeConfig(path, 'token webhook', context));
  return {
    post,
    version: values['authentication-token-webhook-version'],
    cacheTtlMs: values['authentication-token-webhook-cache-ttl'],
  };
}
