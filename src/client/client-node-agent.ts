import { Agent, createServer, type Server } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { serveNode } from '../transport/node/edge.js';
import type { TransportTarget } from '../transport/target.js';

/**
 * An agent for Node's `http` and `https` whose connections are in-memory stream pairs to the server's Node transport:
 * real HTTP/1.1 without a socket. Traffic is never encrypted, not even for `https:`, because it does not leave the
 * process.
 */
export class InProcessAgent extends Agent {
  readonly #server: Server;
  /** Node refuses an agent whose protocol differs from that of the URL. */
  readonly protocol: 'http:' | 'https:';

  /** @param protocol protocol of the URLs that the agent is used for */
  constructor(target: TransportTarget, protocol: 'http:' | 'https:') {
    super({ keepAlive: false });
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
