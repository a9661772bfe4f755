import { setMaxListeners } from 'node:events';
import { delay, type Clock } from '../../../meta/clock.js';
import { Authentication, type Credentials } from './authentication.js';
import { Connection, type TlsFiles } from './connection.js';
import type { Endpoint } from './endpoint.js';
import { GrpcCode, lostCall, RpcError } from './rpc-error.js';

/** What an {@link EtcdClient} is made from. */
export interface EtcdClientOptions {
  readonly endpoints: readonly Endpoint[];
  readonly clock: Clock;
  readonly credentials: Credentials | undefined;
  readonly tls: () => TlsFiles;
  /** Milliseconds that a call may take, with all its attempts. */
  readonly callTimeoutMs: number;
}

/** How a call is made. */
export interface CallOptions {
  /** Sent again also when it may have been carried out: a read. */
  readonly repeatable: boolean;
  /** In place of the client's own. */
  readonly timeoutMs?: number | undefined;
}

const CONNECT_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Calls to a cluster: one connection to one member at a time, and to the next one when that does not serve. A call that was
 * certainly not carried out is made again until its time is over; one that may have been, only if it may be repeated.
 */
export class EtcdClient {
  readonly #options: EtcdClientOptions;
  readonly #authentication: Authentication;
  #next = 0;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  readonly #open = new Set<Connection>();
  readonly #closing = new AbortController();

  constructor(options: EtcdClientOptions) {
    this.#options = options;
    // Every call that waits for its next attempt is one.
    setMaxListeners(0, this.#closing.signal);
    this.#authentication = new Authentication(options.credentials);
  }

  /** A connection to a member, the same for everybody as long as it serves. @throws RpcError when none of them can be reached */
  connection(): Promise<Connection> {
    if (this.#connection?.usable === true) return Promise.resolve(this.#connection);
    return (this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined)));
  }

  /** Headers that say who calls. @throws RpcError */
  identify(connection: Connection): Promise<Readonly<Record<string, string>>> {
    return this.#authentication.headers(connection, this.#options.callTimeoutMs);
  }

  /** Tells that a member did not take those headers; false when others are of no use. */
  forgetIdentity(headers: Readonly<Record<string, string>>): boolean {
    return this.#authentication.forget(headers);
  }

  /**
   * Makes a call.
   *
   * @throws RpcError whose `effect` says what became of it
   */
  async call(
    path: string,
    message: Uint8Array,
    { repeatable, timeoutMs = this.#options.callTimeoutMs }: CallOptions,
  ): Promise<Buffer> {
    const { clock } = this.#options;
    const deadline = clock.now() + timeoutMs;
    for (let failures = 0; ; failures += 1) {
      const left = deadline - clock.now();
      try {
        return await this.#attempt(path, message, Math.max(left, 1));
      } catch (error) {
        if (!(error instanceof RpcError) || error.remedy === 'never' || (error.effect !== 'none' && !repeatable))
          throw error;
        const pauseMs =
          error.remedy === 'token' && failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
        if (deadline - clock.now() <= pauseMs || this.#closing.signal.aborted) throw error;
        if (pauseMs > 0) await delay(clock, pauseMs, this.#closing.signal);
      }
    }
  }

  /** Leaves a connection that does not serve; the next call goes to another member. */
  leave(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#next += 1;
    connection.probe();
    connection.retire();
  }

  /** Ends every call and every stream. */
  close(): void {
    this.#closing.abort();
    for (const connection of this.#open) connection.destroy();
  }

  async #attempt(path: string, message: Uint8Array, timeoutMs: number): Promise<Buffer> {
    const connection = this.#connection?.usable === true ? this.#connection : await this.connection();
    const headers = await this.#authentication.headers(connection, timeoutMs);
    try {
      return await connection.call(path, message, headers, timeoutMs);
    } catch (error) {
      if (error instanceof RpcError && error.remedy === 'elsewhere') this.leave(connection);
      if (error instanceof RpcError && error.remedy === 'token' && !this.#authentication.forget(headers))
        throw new RpcError(
          GrpcCode.Unauthenticated,
          `etcd wants to know who calls: ${error.message}`,
          'none',
          'never',
          error,
        );
      throw error;
    }
  }

  async #connect(): Promise<Connection> {
    const { endpoints, clock, tls } = this.#options;
    const reasons: string[] = [];
    for (let tried = 0; tried < endpoints.length; tried += 1) {
      if (this.#closing.signal.aborted) throw lostCall('the storage is closed', 'none');
      const endpoint = endpoints[this.#next % endpoints.length] as Endpoint;
      try {
        const connection = await Connection.open(endpoint, { clock, connectTimeoutMs: CONNECT_TIMEOUT_MS, tls });
        return this.#adopt(connection);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        reasons.push(error.message);
        this.#next += 1;
      }
    }
    throw lostCall(`no member of etcd can be reached: ${reasons.join('; ')}`, 'none');
  }

  #adopt(connection: Connection): Connection {
    this.#connection = connection;
    this.#open.add(connection);
    connection.onClose(() => this.#open.delete(connection));
    if (this.#closing.signal.aborted) connection.destroy();
    return connection;
  }
}
