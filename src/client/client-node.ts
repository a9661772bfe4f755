/**
 * `@kubernetes/client-node` on a server in the same process, without a socket.
 *
 * The library asks its `KubeConfig` for credentials and for the way to the server before every request, by two public
 * methods: version 2 takes a dispatcher of undici from it, version 1 an agent of Node. These methods are replaced here, on
 * the one instance that is passed in. The library is not imported, and stays as it is.
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

/** What is used of a request of the library: version 2 has the one, version 1 the other. */
export interface ClientNodeRequest {
  setDispatcher?(dispatcher: unknown): void;
  setAgent?(agent: Agent): void;
}

/** What is used of the library's `KubeConfig`. */
export interface KubeConfigLike {
  loadFromString(text: string): void;
  applySecurityAuthentication(request: ClientNodeRequest): Promise<void>;
  applyToHTTPSOptions(options: { agent?: unknown }): Promise<void>;
}

/** What is used of an `ApiServer`. */
export interface InProcessServer extends TransportTarget {
  kubeConfig(options?: KubeConfigOptions): string;
}

/** As whom the library acts. */
export interface ConnectOptions {
  /** Bearer token; default that of the server's owner, in `system:masters`. */
  readonly token?: string;
  /** Namespace of the context, which `KubernetesObjectApi` takes where an object has none. */
  readonly namespace?: string;
}

/** For `http:` the library insists on a cluster whose certificate is not checked. */
const SERVER_URL = 'https://in-process.invalid';

/**
 * Points a `KubeConfig` at a server in this process. Everything that is made from it, or was made before, talks to the
 * server without a socket; what it had loaded is replaced.
 *
 * ```
 * const kubeConfig = connectKubeConfig(new KubeConfig(), server);
 * const core = kubeConfig.makeApiClient(CoreV1Api);
 * ```
 *
 * @param kubeConfig a `KubeConfig` of `@kubernetes/client-node`, version 1 or 2
 * @param server the server; it should speak the `kubernetes` dialect, whose names the library spells
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
  // Version 1 comes here for its watches and logs, both versions for what they do over WebSocket.
  const configure = kubeConfig.applyToHTTPSOptions.bind(kubeConfig);
  kubeConfig.applyToHTTPSOptions = async (request) => {
    await configure(request);
    request.agent = agent;
  };
  return kubeConfig;
}
