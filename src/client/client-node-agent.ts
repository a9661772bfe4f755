import { Agent, createServer, type Server } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { serveNode } from '../transport/node/edge.js';
import type { TransportTarget } from '../transport/target.js';

/**
 * An agent for Node's `http` and `https` whose connections are pairs of streams in memory, with the server's own Node edge
 * on the other end: real HTTP/1.1, without a socket. Nothing is encrypted, whatever the URL says, since nothing leaves the
 * process.
 */
export class InProcessAgent extends Agent {
  readonly #server: Server;
  /** Node refuses an agent whose protocol is not that of the URL. */
  readonly protocol: 'http:' | 'https:';

  /** @param protocol of the URLs that it is used for */
  constructor(target: TransportTarget, protocol: 'http:' | 'https:') {
    super({ keepAlive: false });
    this.protocol = protocol;
    this.#server = createServer((request, response) => void serveNode(target, request, response));
    // Fields are limited by their bytes; past a count Node would drop them without a word.
    this.#server.maxHeadersCount = 0;
  }

  /** Called by Node for each request, since connections are not kept. */
  override createConnection(): Duplex {
    const [near, far] = duplexPair();
    // Without a listener an error of the connection would end the process.
    far.on('error', () => undefined);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    this.#server.emit('connection', far);
    // Watches of the library's version 1 ask for this on every connection of the agent.
    return Object.assign(near, { setKeepAlive: () => near });
  }
}
