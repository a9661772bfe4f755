/**
 * Connects `@kubernetes/client-node` to a server in the same process, without a socket.
 *
 * Before every request the library gets credentials and the connection to the server from two public methods of its
 * `KubeConfig`: version 2 gets an undici dispatcher, version 1 a Node agent. This module replaces these methods on one
 * instance. It neither imports nor changes the library.
 *
 * @module
 */
import { Agent, createServer, type Server } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { targetOf, type Servable, type TransportTarget } from '../../transport/index.js';
import { serveNode } from '../../transport/node.js';
import type { KubeConfigOptions } from '../kube-config.js';
import { inProcessDispatcher } from './client-node-dispatcher.js';

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
export interface InProcessServer {
  readonly target: TransportTarget;
  kubeConfig(options?: KubeConfigOptions): string;
}

/** Options of the connection. */
export interface ConnectOptions {
  /** Bearer token; default the token of the server's owner, who is in `system:masters`. */
  readonly token?: string | undefined;
  /** Namespace of the context; `KubernetesObjectApi` uses it for objects without a namespace. */
  readonly namespace?: string | undefined;
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

/**
 * An agent for Node's `http` and `https` whose connections are in-memory stream pairs to the server's Node transport:
 * real HTTP/1.1 without a socket. Traffic is never encrypted, not even for `https:`, because it does not leave the
 * process.
 */
export class InProcessAgent extends Agent {
  readonly #server: Server;
  /** Node refuses an agent whose protocol differs from that of the URL. */
  readonly protocol: 'http:' | 'https:';

  /**
   * @param protocol protocol of the URLs that the agent is used for
   * @throws TypeError for an invalid server
   */
  constructor(server: Servable, protocol: 'http:' | 'https:') {
    super({ keepAlive: false });
    const target = targetOf('InProcessAgent', server);
    this.protocol = protocol;
    this.#server = createServer((request, response) => void serveNode(target, request, response));
    // The server limits the size of header fields. A limit on their number would make Node drop fields silently.
    this.#server.maxHeadersCount = 0;
  }

  /** Called by Node for each request, because connections are not kept alive. */
  override createConnection(): Duplex {
    const [near, far] = duplexPair();
    // Without a listener, a connection error would end the process.
    far.on('error', () => undefined);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    this.#server.emit('connection', far);
    // Version 1 of `@kubernetes/client-node` calls this method for watches.
    return Object.assign(near, { setKeepAlive: () => near });
  }
}
