import type { ApiServerOptions } from '../../api-server.js';
import { createConnection, loadKubeConfig } from '../../client/kubeconfig/index.js';
import type { Dialect } from '../../names/index.js';
import { connectionPost, type HttpClient } from '../../outbound/index.js';
import type { Logger } from '../../server/logger.js';
import type { Host } from '../host.js';
import type { AuthenticationValues } from './authentication-flags.js';
import { orUsageError } from './files.js';

const FLAG = 'authentication-token-webhook-config-file';

/** What reaching the service takes. */
export interface TokenWebhookContext {
  readonly host: Host;
  readonly dialect: Dialect;
  readonly http: HttpClient;
  readonly logger: Logger;
}

/**
 * The service that is asked whose token it is; undefined when there is none.
 *
 * @throws UsageError that names the flag, when the configuration or the credentials in it cannot be used
 */
export async function tokenWebhookOptions(values: AuthenticationValues, { host, dialect, http, logger }: TokenWebhookContext): Promise<ApiServerOptions['tokenWebhook']> {
  const path = values[FLAG];
  if (path === '') return undefined;
  const connection = await orUsageError(FLAG, async () => {
    const config = await loadKubeConfig({ explicitPath: path, dialect });
    return createConnection(config, {
      http,
      dialect,
      clock: host.clock,
      // Nobody sits before a server to answer a plugin's questions.
      exec: { stdinIsTerminal: () => false, stderr: (chunk) => void host.stderr.write(new TextDecoder().decode(chunk)) },
      warn: (error) => logger.info('token webhook: credentials', { reason: error.message }),
    });
  });
  return { post: connectionPost(connection), version: values['authentication-token-webhook-version'], cacheTtlMs: values['authentication-token-webhook-cache-ttl'] };
}
