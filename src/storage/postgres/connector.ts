import type { PostgresPool } from './driver.js';
import { SqlFailure } from './failure.js';
import { Session, type SessionSettings } from './session.js';

/** Opens sessions on the first server of several that is a primary. */
export class Connector {
  readonly #pools: readonly PostgresPool[];
  readonly #settings: SessionSettings;
  /** The pool that gave the last session. */
  #current = 0;
  #closed = false;
  readonly #open = new Set<Session>();

  /** @param pools one for each server, at least one */
  constructor(pools: readonly PostgresPool[], settings: SessionSettings) {
    this.#pools = pools;
    this.#settings = settings;
  }

  /** Opens a session. @throws SqlFailure of the last server that was tried */
  async connect(): Promise<Session> {
    let failure: unknown;
    for (let tried = 0; tried < this.#pools.length && !this.#closed; tried += 1) {
      const index = (this.#current + tried) % this.#pools.length;
      const pool = this.#pools[index] as PostgresPool;
      try {
        const session = await Session.open(() => pool.connect(), this.#settings);
        this.#current = index;
        return this.#keep(session);
      } catch (error) {
        failure = error;
      }
    }
    throw failure ?? closed();
  }

  /** Closes all sessions. */
  close(): void {
    this.#closed = true;
    for (const session of this.#open) session.close();
    this.#open.clear();
  }

  #keep(session: Session): Session {
    if (this.#closed) {
      session.close();
      throw closed();
    }
    for (const other of this.#open) if (other.isOver) this.#open.delete(other);
    this.#open.add(session);
    return session;
  }
}

const closed = (): SqlFailure => new SqlFailure('the storage is closed', { hasNoEffect: true });

/** A place for one session at a time; a new one begins when it is needed. */
export class Lane {
  readonly #connector: Connector;
  #session: Session | undefined;
  #connecting: Promise<Session> | undefined;

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  /** Number of statements in progress. */
  get running(): number {
    return this.#session?.running ?? (this.#connecting === undefined ? 0 : 1);
  }

  /** Returns the session, connected. @throws SqlFailure */
  session(): Promise<Session> {
    if (this.#session !== undefined && !this.#session.isOver) return Promise.resolve(this.#session);
    this.#session = undefined;
    this.#connecting ??= this.#connector
      .connect()
      .then((session) => (this.#session = session))
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }
}
