import { setMaxListeners } from 'node:events';
import { delay, type Clock } from '../../../foundation/index.js';
import { Authentication, type Credentials, type Identity } from './authentication.js';
import { Connection, type TlsFiles } from './connection.js';
import type { Endpoint } from './endpoint.js';
import { GrpcCode, lostCall, RpcError } from './rpc-error.js';

/** Options of an {@link EtcdClient}. */
export interface EtcdClientOptions {
  readonly endpoints: readonly Endpoint[];
  readonly clock: Clock;
  readonly credentials: Credentials | undefined;
  readonly tls: () => TlsFiles;
  /** Timeout of a call with all its attempts, in milliseconds. */
  readonly callTimeoutMs: number;
}

/** Options of a call. */
export interface CallOptions {
  /** Whether the call is repeated even if it may have taken effect: a read. */
  readonly repeatable: boolean;
  /** Timeout in milliseconds; default the client's. */
  readonly timeoutMs?: number | undefined;
}

const CONNECT_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/**
 * Makes calls to a cluster, over one connection to one member at a time, and to the next member when it fails. A call
 * that has certainly not taken effect is repeated until its timeout; one that may have, only if it is repeatable.
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
    // Every call that waits for its next attempt adds a listener.
    setMaxListeners(0, this.#closing.signal);
    this.#authentication = new Authentication(options.credentials);
  }

  /** Returns the shared connection to a member. @throws RpcError when no member can be reached */
  connection(): Promise<Connection> {
    if (this.#connection?.usable === true) return Promise.resolve(this.#connection);
    return (this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined)));
  }

  /** Returns the headers that authenticate a call. @throws RpcError */
  identify(connection: Connection): Identity | Promise<Identity> {
    return this.#authentication.headers(connection, this.#options.callTimeoutMs);
  }

  /** Drops headers that a member has refused. Returns false when new ones would not help. */
  forgetIdentity(headers: Identity): boolean {
    return this.#authentication.forget(headers);
  }

  /**
   * Makes a call.
   *
   * @throws RpcError whose `effect` shows whether the call may have taken effect
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
          error.remedy === 'token' && failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
        if (deadline - clock.now() <= pauseMs || this.#closing.signal.aborted) throw error;
        if (pauseMs > 0) await delay(clock, pauseMs, this.#closing.signal);
      }
    }
  }

  /** Abandons a failed connection; the next call goes to another member. */
  abandon(connection: Connection): void {
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
    const identity = this.#authentication.headers(connection, timeoutMs);
    const headers = identity instanceof Promise ? await identity : identity;
    try {
      return await connection.call(path, message, headers, timeoutMs);
    } catch (error) {
      if (error instanceof RpcError && error.remedy === 'elsewhere') this.abandon(connection);
      if (error instanceof RpcError && error.remedy === 'token' && !this.#authentication.forget(headers))
        throw new RpcError(
          GrpcCode.Unauthenticated,
          `etcd requires authentication: ${error.message}`,
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
