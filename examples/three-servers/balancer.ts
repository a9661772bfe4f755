import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP balancer: it passes each connection to one of the servers that were ready at the last check. */
export class TcpBalancer {
  readonly #server: Server;
  readonly #isReady: (url: string) => Promise<boolean>;
  /** The URLs of the servers, with whether each was ready. */
  readonly #targets = new Map<string, boolean>();
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  private constructor(isReady: (url: string) => Promise<boolean>) {
    this.#isReady = isReady;
    this.#server = createServer((client) => this.#accept(client));
  }

  /**
   * @param isReady asks a server for `/readyz`
   * @param port 0 for a free one
   */
  static async start(isReady: (url: string) => Promise<boolean>, port = 0): Promise<TcpBalancer> {
    const balancer = new TcpBalancer(isReady);
    balancer.#server.listen(port, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Adds a server, which gets connections once a check has found it ready. */
  add(url: string): void {
    this.#targets.set(url, false);
  }

  remove(url: string): void {
    this.#targets.delete(url);
  }

  /** Asks every server whether it is ready. @returns those that are */
  async check(): Promise<string[]> {
    await Promise.all(
      [...this.#targets.keys()].map(async (url) => {
        const isReady = await this.#isReady(url);
        if (this.#targets.has(url)) this.#targets.set(url, isReady);
      }),
    );
    return this.#ready();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #ready(): string[] {
    return [...this.#targets].flatMap(([url, isReady]) => (isReady ? [url] : []));
  }

  #accept(client: Socket): void {
    const ready = this.#ready();
    const url = ready[(this.#turn += 1) % ready.length];
    if (url === undefined) {
      client.destroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    this.#join(client, server);
    this.#join(server, client);
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroySoon();
    });
  }
}
