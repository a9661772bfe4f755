/**
 * Connects `@kubernetes/client-node` to a server in the same process, without a socket.
 *
 * Before every request the library gets credentials and the connection to the server from two public methods of its
 * `KubeConfig`: version 2 gets an undici dispatcher, version 1 a Node agent. This module replaces these methods on one
 * instance. It neither imports nor changes the library.
 *
 * @module
 */
import type { Agent } from 'node:http';
import type { TransportTarget } from '../transport/target.js';
import { InProcessAgent } from './client-node-agent.js';
import { inProcessDispatcher } from './client-node-dispatcher.js';
import type { KubeConfigOptions } from './kube-config.js';

export { InProcessAgent } from './client-node-agent.js';
export {
  inProcessDispatcher,
  type DispatchController,
  type DispatchHandler,
  type DispatchHeaders,
  type DispatchOptions,
  type InProcessDispatcher,
} from './client-node-dispatcher.js';

/** The part of the library's requests that is used here: version 2 has `setDispatcher`, version 1 `setAgent`. */
export interface ClientNodeRequest {
  setDispatcher?(dispatcher: unknown): void;
  setAgent?(agent: Agent): void;
}

/** The part of the library's `KubeConfig` that is used here. */
export interface KubeConfigLike {
  loadFromString(text: string): void;
  applySecurityAuthentication(request: ClientNodeRequest): Promise<void>;
  applyToHTTPSOptions(options: { agent?: unknown }): Promise<void>;
}

/** The part of an `ApiServer` that is used here. */
export interface InProcessServer extends TransportTarget {
  kubeConfig(options?: KubeConfigOptions): string;
}

/** Options of the connection. */
export interface ConnectOptions {
  /** Bearer token; default the token of the server's owner, who is in `system:masters`. */
  readonly token?: string;
  /** Namespace of the context; `KubernetesObjectApi` uses it for objects without a namespace. */
  readonly namespace?: string;
}

/** The URL is `https:` because for `http:` the library requires `insecure-skip-tls-verify`. */
const SERVER_URL = 'https://in-process.invalid';

/**
 * Connects a `KubeConfig` to a server in this process. All API clients of this `KubeConfig`, existing and new, use the
 * server without a socket. Replaces the loaded configuration.
 *
 * ```
 * const kubeConfig = connectKubeConfig(new KubeConfig(), server);
 * const core = kubeConfig.makeApiClient(CoreV1Api);
 * ```
 *
 * @param kubeConfig a `KubeConfig` of `@kubernetes/client-node`, version 1 or 2
 * @param server the server; it should use the `kubernetes` dialect, whose names the library uses
 * @returns the same `KubeConfig`
 */
export function connectKubeConfig<Config extends KubeConfigLike>(
  kubeConfig: Config,
  server: InProcessServer,
  options: ConnectOptions = {},
): Config {
  kubeConfig.loadFromString(server.kubeConfig({ ...options, server: SERVER_URL }));
  const dispatcher = inProcessDispatcher(server);
  const agent = new InProcessAgent(server, 'https:');
  const authenticate = kubeConfig.applySecurityAuthentication.bind(kubeConfig);
  kubeConfig.applySecurityAuthentication = async (request) => {
    await authenticate(request);
    if (request.setDispatcher === undefined) request.setAgent?.(agent);
    else request.setDispatcher(dispatcher);
  };
  // Version 1 calls this method for watches and logs; both versions call it for WebSocket connections.
  const configure = kubeConfig.applyToHTTPSOptions.bind(kubeConfig);
  kubeConfig.applyToHTTPSOptions = async (request) => {
    await configure(request);
    request.agent = agent;
  };
  return kubeConfig;
}
