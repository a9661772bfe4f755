import { createConnection, loadKubeConfig } from '../../client/node.js';
import {
  connectionPost,
  decodeUtf8Lossy,
  type Dialect,
  type HttpClient,
  type Logger,
  type WebhookPost,
} from '../../foundation/index.js';
import type { Host } from '../host.js';

/** Dependencies for connecting to a service. */
export interface ServiceContext {
  readonly host: Host;
  readonly dialect: Dialect;
  readonly http: HttpClient;
  readonly logger: Logger;
}

/** Returns a function that posts to the service described by a kubeconfig.
 *
 * @param what name of the service, for the log
 * @throws Error when the configuration or its credentials are invalid
 */
export async function postOfKubeConfig(
  path: string,
  what: string,
  { host, dialect, http, logger }: ServiceContext,
): Promise<WebhookPost> {
  const connection = await createConnection(await loadKubeConfig({ explicitPath: path, dialect }), {
    http,
    dialect,
    clock: host.clock,
    // A server has no user who could answer a plugin's questions.
    exec: { stdinIsTerminal: () => false, stderr: (chunk) => void host.stderr.write(decodeUtf8Lossy(chunk)) },
    warn: (error) => logger.info(`${what}: credentials`, { reason: error.message }),
  });
  return connectionPost(connection);
}
