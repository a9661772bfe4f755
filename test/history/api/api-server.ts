import { ApiServer } from '../../../src/entries/index.js';
import { systemClock, type Clock } from '../../../src/foundation/index.js';
import { listen, type Listener } from '../../../src/transport/node.js';
import type { Storage } from '../../../src/entries/storage.js';
import { turns } from '../driver/turns.js';
import type { Fault, Server } from '../driver/run.js';
import { ApiCalls } from './api-calls.js';
import { ApiStorage } from './api-storage.js';

/** How the servers of a store are made. */
export interface ApiServerParts {
  /** Opens the storage of a server. */
  readonly open: () => Promise<Storage>;
  /** Ends what {@link open} has opened, after its server. */
  readonly close: (storage: Storage) => Promise<void>;
  readonly compact: (revision: number) => Promise<void>;
  readonly continueTokens: Map<string, string>;
}

const ADMIN = { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } };

/** Time by which the clock of a server is wrong at most, in milliseconds. */
const MOST_OFF_MS = 60_000;

/** An API server on a port, which dies and is started again, and whose clock is set. */
export class AbandonedServer implements Server {
  readonly storage: ApiStorage;
  readonly #parts: ApiServerParts;
  readonly #calls: ApiCalls;
  readonly #api: { url: string } = { url: '' };
  #offMs = 0;
  readonly #clock: Clock = { ...systemClock, now: () => systemClock.now() + this.#offMs };
  #halt: () => void = () => undefined;
  #running: { readonly server: ApiServer; readonly listener: Listener; readonly storage: Storage } | undefined;

  private constructor(parts: ApiServerParts) {
    this.#parts = parts;
    this.#calls = new ApiCalls(this.#api);
    const { compact, continueTokens } = parts;
    this.storage = new ApiStorage({ calls: this.#calls, compact, continueTokens });
  }

  static async start(parts: ApiServerParts): Promise<AbandonedServer> {
    const made = new AbandonedServer(parts);
    await made.#start();
    return made;
  }

  /** Ends the server as when its process dies, its connections too, and starts another one. */
  readonly die: Fault = async () => {
    const former = this.#running;
    this.#halt();
    // The port is closed, and open connections end in the middle of their answers.
    await former?.listener.close({ grace: 0 });
    // Not for a number of steps: in the end all clients wait for this server.
    await turns(100);
    await this.#start();
    // As after the death of a process, nothing waits for the rest of it.
    await former?.server.close().catch(() => undefined);
    if (former !== undefined) await this.#parts.close(former.storage);
  };

  /** Sets the clock of the server a minute ahead; then back by two minutes; then right. */
  readonly stepClock: Fault = async () => {
    this.#offMs = this.#offMs === 0 ? MOST_OFF_MS : Math.min(0, -this.#offMs);
    await turns(20);
  };

  async close(): Promise<void> {
    this.#calls.close();
    const last = this.#running;
    if (last === undefined) return;
    await last.listener.close({ grace: 0 });
    await last.server.close();
    await this.#parts.close(last.storage);
  }

  async #start(): Promise<void> {
    const storage = await this.#parts.open();
    const server = new ApiServer({
      storage,
      clock: this.#clock,
      dialect: 'kubernetes',
      authentication: { tokens: [ADMIN] },
      // A client asks for a revision that is not there yet, and gets it soon or not at all.
      limits: { bookmarkInterval: '200ms', revisionWait: '200ms', watchHistory: '24h', watchHistoryEvents: 1_000_000 },
      interceptor: {
        request: async (_request, next) => void (await next()),
        attach: ({ halt }) => void (this.#halt = halt),
      },
      observability: { logger: { info: () => undefined, warn: () => undefined, error: () => undefined } },
    });
    await server.ready();
    const listener = await listen(server, { port: 0 });
    this.#api.url = listener.url;
    this.#running = { server, listener, storage };
  }
}

/** Creates the namespaces of the values. */
export async function makeNamespaces(storage: Storage): Promise<void> {
  const server = new ApiServer({
    storage,
    dialect: 'kubernetes',
    controllers: { leaderElection: false },
    observability: { logger: { info: () => undefined, warn: () => undefined, error: () => undefined } },
  });
  await server.ready();
  const { Namespace } = await import('../../../src/entries/kinds.js');
  for (const name of ['a', 'b']) await server.client().resource(Namespace).create({ metadata: { name } });
  await server.settled();
  await server.close();
}
