import { toError, type Clock } from '../../foundation/index.js';
import type { PostgresClient } from './driver.js';
import { connectFailure, failureOf, LateAnswer, SqlFailure } from './failure.js';
import { textAt, type Row } from './rows.js';
import type { Statement } from './statements.js';

/** A process of the database that serves a session. */
export interface Backend {
  readonly pid: string;
  /** Time of its start: the number of a process is used again. */
  readonly startedAt: string;
}

/** Settings of the sessions. */
export interface SessionSettings {
  readonly clock: Clock;
  /** Maximum time of a statement, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether statements are prepared by name. */
  readonly preparesStatements: boolean;
}

const IDENTIFY = `SELECT pg_is_in_recovery()::text, pg_backend_pid()::text,
  (SELECT extract(epoch FROM backend_start)::text FROM pg_stat_activity WHERE pid = pg_backend_pid()),
  (extract(epoch FROM clock_timestamp()) * 1000)::float8`;

const END_BACKEND = `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
  WHERE pid::text = $1 AND extract(epoch FROM backend_start)::text = $2`;

/** A connection that is held. It ends with its first failure that is not an answer of the database. */
export class Session {
  readonly #client: PostgresClient;
  readonly #settings: SessionSettings;
  readonly #failing = new Set<(failure: SqlFailure) => void>();
  #end: Error | undefined;
  #backend: Backend | undefined;
  #isPooled = false;
  #databaseClockOffsetMs = 0;
  /** Statements that wait for the one in progress; undefined while there is none. */
  #waiting: (() => void)[] | undefined;
  #running = 0;

  private constructor(client: PostgresClient, settings: SessionSettings) {
    this.#client = client;
    this.#settings = settings;
    client.on('error', (error) => this.#lose(error));
    client.on('end', () => this.#lose(new Error('the connection ended')));
  }

  /**
   * Takes a connection for a primary server.
   *
   * @param connect takes a connection from a pool
   * @throws SqlFailure when there is none, or the server is a standby
   */
  static async open(connect: () => Promise<PostgresClient>, settings: SessionSettings): Promise<Session> {
    const session = new Session(await connect().catch(rethrowConnectFailure), settings);
    try {
      const [row = []] = await session.run(IDENTIFY, []);
      if (textAt(row, 0) === 'true')
        throw new SqlFailure('PostgreSQL is a standby and takes no writes', { hasNoEffect: true });
      session.#identify(row);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** Whether a pooler is in between, so that another process of the database may serve each transaction. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  /** The process that serves the session; undefined when it may change, or the database does not show it. */
  get backend(): Backend | undefined {
    return this.#backend;
  }

  /** Whether the session has ended. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Number of statements in progress. */
  get running(): number {
    return this.#running;
  }

  /** The database's clock, in milliseconds since the epoch, as estimated when the session began. */
  databaseNow(): number {
    return this.#settings.clock.now() + this.#databaseClockOffsetMs;
  }

  /** Runs a statement. @throws SqlFailure */
  query({ name, text }: Statement, values: unknown[]): Promise<readonly Row[]> {
    return this.#send({ text, values, rowMode: 'array', ...(this.#settings.preparesStatements ? { name } : {}) });
  }

  /** Runs a statement that is not prepared by name. @throws SqlFailure */
  run(text: string, values: unknown[]): Promise<readonly Row[]> {
    return this.#send({ text, values, rowMode: 'array' });
  }

  /** Listens on a channel. The listener is also called when the session ends. */
  async listen(channel: string, notified: () => void): Promise<void> {
    this.#client.on('notification', (notification) => {
      if (notification.channel === channel) notified();
    });
    this.#failing.add(notified);
    await this.run(`LISTEN "${channel}"`, []);
  }

  /**
   * Calls back with warnings of the database. A cancelled wait for a synchronous standby is one: the commit stays.
   */
  onNotice(listener: (message: string) => void): void {
    this.#client.on('notice', ({ message = '' }) => listener(message));
  }

  /** Ends the process of another session. Returns whether it is gone. @throws SqlFailure */
  async endBackend({ pid, startedAt }: Backend): Promise<boolean> {
    return (await this.run(END_BACKEND, [pid, startedAt])).length === 0;
  }

  /** Closes the connection; statements in progress fail. */
  close(): void {
    this.#lose(new Error('the connection was closed'));
  }

  #identify(row: Row): void {
    const pid = textAt(row, 1);
    const startedAt = textAt(row, 2);
    const announced = this.#client.processID ?? undefined;
    this.#isPooled = announced !== undefined && pid !== undefined && String(announced) !== pid;
    if (!this.#isPooled && pid !== undefined && startedAt !== undefined) this.#backend = { pid, startedAt };
    const now = Number(row[3]);
    if (Number.isFinite(now)) this.#databaseClockOffsetMs = now - this.#settings.clock.now();
  }

  #send(query: Parameters<PostgresClient['query']>[0]): Promise<readonly Row[]> {
    if (this.#end !== undefined) return Promise.reject(failureOf(this.#end));
    const { clock, timeoutMs } = this.#settings;
    this.#running += 1;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#running -= 1;
        timer.cancel();
        this.#failing.delete(fail);
      };
      const fail = (failure: SqlFailure): void => {
        settle();
        reject(failure);
      };
      const timer = clock.after(timeoutMs, () =>
        this.#lose(new LateAnswer(`PostgreSQL did not answer within ${timeoutMs} ms`)),
      );
      this.#failing.add(fail);
      const start = (): void => {
        this.#client
          .query(query)
          .then(
            ({ rows }) => {
              if (!this.#failing.has(fail)) return;
              settle();
              resolve(rows);
            },
            (error: unknown) => {
              const failure = failureOf(error);
              if (this.#failing.has(fail)) fail(failure);
              // The answer may come before the end of the connection that it announces.
              if (failure.isConnectionLost) this.#lose(toError(error));
            },
          )
          .finally(() => this.#next());
      };
      if (this.#waiting !== undefined) this.#waiting.push(start);
      else {
        this.#waiting = [];
        start();
      }
    });
  }

  /** Sends the next statement. A connection takes one at a time. */
  #next(): void {
    const next = this.#waiting?.shift();
    if (next === undefined) this.#waiting = undefined;
    else if (this.#end === undefined) next();
  }

  #lose(error: Error): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    const failure = failureOf(error);
    for (const fail of [...this.#failing]) fail(failure);
    this.#failing.clear();
    this.#client.release(true);
  }
}

function rethrowConnectFailure(error: unknown): never {
  throw connectFailure(toError(error));
}
