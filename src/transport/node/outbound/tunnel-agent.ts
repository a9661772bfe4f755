import { Agent as HttpAgent } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { toError } from '../../../foundation/index.js';
import { openTunnel } from './proxy.js';

/** An agent for https whose connections go through a proxy. */
export class TunnelAgent extends Agent {
  readonly #proxy: URL;

  constructor(options: AgentOptions, proxy: URL) {
    super(options);
    this.#proxy = proxy;
  }

  /** Called by Node for each new connection. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    void this.#open(options, callback);
    return undefined;
  }

  async #open(
    options: RequestOptions,
    callback: ((error: Error | null, stream: Duplex) => void) | undefined,
  ): Promise<void> {
    try {
      const { host, port } = options;
      const tunnel = await openTunnel(this.#proxy, { host: host ?? '', port: Number(port ?? 443) });
      // The options of a request are those of its TLS connection, besides the address.
      const { path: _path, ...tls } = options as RequestOptions & { readonly path?: string | undefined };
      const socket = connect({ ...(tls as object), socket: tunnel });
      socket.once('close', () => tunnel.destroy());
      callback?.(null, socket);
    } catch (error) {
      // After an error Node uses no stream.
      (callback as ((error: Error) => void) | undefined)?.(toError(error));
    }
  }
}

/** An agent for plaintext connections that go through a tunnel of a proxy, one after the other. */
export class PlainTunnelAgent extends HttpAgent {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super();
    this.#proxy = proxy;
  }

  /** Called by Node for each new connection. */
  override createConnection(
    { host, port }: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    openTunnel(this.#proxy, { host: host ?? '', port: Number(port ?? 80) }).then(
      (tunnel) => callback?.(null, tunnel),
      // After an error Node uses no stream.
      (error: unknown) => (callback as ((error: Error) => void) | undefined)?.(toError(error)),
    );
    return undefined;
  }
}
