import { ApiError, definedOnly, formatGoDuration, within, type Clock, type Logger } from '../../foundation/index.js';
import type { ControlledServer } from './controlled-server.js';
import { Rules } from './rules.js';

/** The port of a server's API. */
export interface ServedPort {
  readonly url: string;
  /** Authority of the port's certificate, PEM; undefined for plain HTTP. */
  readonly certificateAuthority: string | undefined;
  close(): Promise<void>;
}

/** A server with its port. */
export interface ServedServer {
  /** Empty for the server that the program started. */
  readonly id: string;
  readonly server: ControlledServer;
  readonly port: ServedPort;
  /** The fault rules that were added by the control API. */
  readonly faults: Rules;
  /** The rules of its simulation that were added by the control API. */
  readonly rules: Rules;
}

/** Dependencies of {@link ControlledServers}. */
export interface ControlledServersOptions {
  /** Opens a port for the API of a server. @param id of a fork; empty for the first server */
  readonly open: (server: ControlledServer, id: string) => Promise<ServedPort>;
  /** Maximum number of forks at a time. */
  readonly maxForks: number;
  /** Time that a server has to end before it is abandoned, in milliseconds. Its port is closed in any case. */
  readonly closeMs: number;
  /** Clock of the host. The time of a server may stand still. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the URL of the control API. Called for each description of a server. */
  readonly controlUrl: () => string;
}

/** The server that a program started, and its forks, each with a port of its own. */
export class ControlledServers {
  /** The server that the program started. */
  readonly main: ServedServer;
  readonly #options: ControlledServersOptions;
  readonly #forks = new Map<string, ServedServer>();
  /** Forks that have no port yet. */
  #opening = 0;
  #made = 0;
  #rules = 0;
  #closed = false;

  private constructor(main: ServedServer, options: ControlledServersOptions) {
    this.main = main;
    this.#options = options;
  }

  /** Opens the port of the first server. Closes the server when that fails. */
  static async start(server: ControlledServer, options: ControlledServersOptions): Promise<ControlledServers> {
    return new ControlledServers(await served('', server, options), options);
  }

  /** URL of the control API. */
  get controlUrl(): string {
    return this.#options.controlUrl();
  }

  /** The forks, oldest first. */
  get forks(): readonly ServedServer[] {
    return [...this.#forks.values()];
  }

  /** Returns a fork. @throws ApiError 404 */
  fork(id: string): ServedServer {
    const found = this.#forks.get(id);
    if (found === undefined)
      throw new ApiError({
        message: `fork ${JSON.stringify(id)} not found: it was deleted, or never existed`,
        reason: 'NotFound',
        code: 404,
      });
    return found;
  }

  /** Forks a server and opens a port for the fork. @throws ApiError 501 | 429 | 503 */
  async add({ server }: ServedServer): Promise<ServedServer> {
    const fork = server.fork ?? notSupported('fork');
    if (this.#forks.size + this.#opening >= this.#options.maxForks)
      throw new ApiError({
        message: `there are ${this.#options.maxForks} forks, the maximum: delete those that are no longer needed, or raise the maximum with --max-forks`,
        reason: 'TooManyRequests',
        code: 429,
      });
    this.#opening += 1;
    try {
      this.#made += 1;
      const made = await served(`f${this.#made}`, await fork(), this.#options);
      if (this.#closed) {
        await this.#end(made);
        throw new ApiError({ message: 'the program is ending', reason: 'ServiceUnavailable', code: 503 });
      }
      this.#forks.set(made.id, made);
      return made;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Returns the id of a new rule. */
  nextRuleId(): string {
    this.#rules += 1;
    return `r${this.#rules}`;
  }

  /** Closes a fork and its port. @throws ApiError 404 */
  async remove(id: string): Promise<void> {
    const fork = this.fork(id);
    this.#forks.delete(id);
    await this.#end(fork);
  }

  /** Closes all servers and ports. A failure does not stop the sequence. @throws the first failure */
  async close(): Promise<void> {
    this.#closed = true;
    const forks = this.forks;
    this.#forks.clear();
    const outcomes = await Promise.allSettled([...forks, this.main].map((served) => this.#end(served)));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  /** Stops accepting, ends the server with its watches, and closes what is left of the connections. */
  async #end({ id, server, port }: ServedServer): Promise<void> {
    const { clock, closeMs, logger } = this.#options;
    const closing = port.close();
    // A delayed request would hold the server until its time has passed.
    server.faults?.clear();
    const late = new Error(`the server did not end within ${formatGoDuration(closeMs)}`);
    try {
      await within(
        clock,
        closeMs,
        () => server.close(),
        () => late,
      );
    } catch (error) {
      if (error !== late) throw error;
      logger.error('a server is abandoned: it has closed its port, but a request of it does not end', { id });
    } finally {
      await closing;
    }
  }
}

async function served(id: string, server: ControlledServer, { open }: ControlledServersOptions): Promise<ServedServer> {
  try {
    return { id, server, port: await open(server, id), faults: new Rules('fault rule'), rules: new Rules('rule') };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Refuses a command whose part the server does not have. @throws ApiError 501 */
export function notSupported(part: string): never {
  throw new ApiError({ message: `this test server has no ${part}`, reason: 'NotImplemented', code: 501 });
}

/** Addresses and credentials of a server. A type alias, which the compiler accepts as a JSON object. */
export type ServerDescription = {
  /** Absent for the server that the program started. */
  readonly id?: string | undefined;
  /** URL of the Kubernetes API. */
  readonly url: string;
  /** Bearer token of the owner, for the Kubernetes API. */
  readonly token: string;
  readonly certificateAuthority?: string | undefined;
  /** URL of the commands of this server. */
  readonly control: string;
  /** YAML. */
  readonly kubeconfig: string;
};

/** Returns the description of a server for its users. */
export function described({ id, server, port }: ServedServer, control: string): ServerDescription {
  const { url, certificateAuthority } = port;
  return {
    ...(id === '' ? {} : { id }),
    url,
    token: server.token,
    ...definedOnly({ certificateAuthority }),
    control: id === '' ? control : `${control}/forks/${id}`,
    kubeconfig: server.kubeConfig({ server: url, certificateAuthority }),
  };
}
