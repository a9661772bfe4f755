import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Bytes that a {@link TcpProxy} drops. */
export type Dropped = 'nothing' | 'requests' | 'answers' | 'everything';

/** Sits between a client and a server, and drops the bytes that a test selects. */
export class TcpProxy {
  /** The target of new connections; an open one keeps its own. */
  target: number;
  #dropped: Dropped = 'nothing';
  #server: Server | undefined;
  #port = 0;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #requestBytes = 0;
  #onRequest: (() => void) | undefined;

  private constructor(target: number) {
    this.target = target;
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Drops bytes from now on. */
  drop(dropped: Dropped): void {
    this.#dropped = dropped;
  }

  /** Closes every connection. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Closes every connection and accepts none until {@link TcpProxy.listen}. */
  async refuse(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.close();
    this.cut();
    await once(server, 'close');
  }

  /** Accepts connections again. */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((client) => this.#join(client));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Resolves when that many more bytes have arrived from clients. */
  async requested(bytes: number): Promise<void> {
    const enough = this.#requestBytes + bytes;
    while (this.#requestBytes < enough) {
      await new Promise<void>((resolve) => {
        this.#onRequest = resolve;
      });
    }
  }

  async close(): Promise<void> {
    await this.refuse();
  }

  #join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    client.on('data', (chunk) => {
      if (this.#dropped !== 'requests' && this.#dropped !== 'everything') server.write(chunk);
      this.#requestBytes += chunk.length;
      this.#onRequest?.();
    });
    server.on('data', (chunk) => {
      if (this.#dropped !== 'answers' && this.#dropped !== 'everything') client.write(chunk);
    });
    for (const [socket, peer] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#pairs.delete(pair);
        peer.destroy();
      });
    }
  }
}
