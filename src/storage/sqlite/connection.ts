import { Worker } from 'node:worker_threads';
import { SqliteFailure } from './failure.js';
import { THREAD_PROGRAM } from './thread-program.js';
import type { SqlStep, SqlValue, ThreadAnswer, ThreadData, ThreadRequest } from './thread-program.js';

/** A row, in the order of the columns that were asked for. */
export type SqlRow = readonly SqlValue[];

interface Waiter {
  resolve(rows: readonly SqlRow[]): void;
  reject(failure: SqliteFailure): void;
}

/** What a connection opens. */
export type ConnectionOptions = Omit<ThreadData, 'base'>;

/** Told instead of a {@link SqliteFailure} when the connection could not be opened. */
export class OpeningFailure extends SqliteFailure {
  readonly during: NonNullable<ThreadAnswer['failure']>['during'];

  constructor(code: number, message: string, during: OpeningFailure['during']) {
    super(code, message);
    this.during = during;
  }
}

/**
 * A connection to a database file that lives on a thread of its own, so that no disk holds up the loop. Requests are done in
 * order. While one is under way the process stays alive for it.
 */
export class SqliteConnection {
  private readonly options: ConnectionOptions;
  private worker: Worker | undefined;
  private readonly waiters: Waiter[] = [];

  private constructor(options: ConnectionOptions) {
    this.options = options;
  }

  /**
   * Opens a file, which is made when it does not exist, and locks it against others.
   *
   * @throws OpeningFailure
   */
  static async open(options: ConnectionOptions): Promise<SqliteConnection> {
    const connection = new SqliteConnection(options);
    await connection.start();
    return connection;
  }

  /** Rows of a query. @throws SqliteFailure */
  run(...step: SqlStep): Promise<readonly SqlRow[]> {
    return this.request({ kind: 'run', step });
  }

  /** Runs the first statements of a transaction, which {@link transact} completes or {@link discard} takes back. What goes wrong `transact` tells. */
  begin(steps: readonly SqlStep[]): void {
    this.post({ kind: 'begin', steps });
  }

  /** Takes back what was begun. */
  discard(): void {
    this.post({ kind: 'discard' });
  }

  /** Runs statements and those that were begun with, all or none of them. @throws SqliteFailure */
  async transact(steps: readonly SqlStep[]): Promise<void> {
    await this.request({ kind: 'transact', steps });
  }

  /** Starts over with a new connection, on a new thread when the old one has ended. @throws SqliteFailure */
  async reopen(): Promise<void> {
    if (this.worker === undefined) await this.start();
    else await this.request({ kind: 'reopen' });
  }

  /** Closes the file and gives the lock back, when what was asked for before is done. */
  async close(): Promise<void> {
    const { worker } = this;
    if (worker === undefined) return;
    try {
      await this.request({ kind: 'close' });
    } finally {
      await worker.terminate();
    }
  }

  private async start(): Promise<void> {
    const data: ThreadData = { ...this.options, base: import.meta.url };
    // The flags of the process are not for the thread: what translates sources for it would only cost time here.
    const worker = new Worker(THREAD_PROGRAM, {
      eval: true,
      workerData: data,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.worker = worker;
    worker.on('message', (answer: ThreadAnswer) => this.settle(answer));
    worker.on('error', (error) => this.end(worker, error.message));
    worker.on('exit', () => this.end(worker, 'the thread of the database has ended'));
    try {
      await this.answer();
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  /** Sends what has no answer. */
  private post(request: ThreadRequest): void {
    this.worker?.postMessage(request);
  }

  private request(request: ThreadRequest): Promise<readonly SqlRow[]> {
    if (this.worker === undefined) return Promise.reject(new SqliteFailure(0, 'the thread of the database has ended'));
    this.worker.postMessage(request);
    return this.answer();
  }

  /** The next answer that is not waited for yet. */
  private answer(): Promise<readonly SqlRow[]> {
    if (this.waiters.length === 0) this.worker?.ref();
    return new Promise((resolve, reject) => this.waiters.push({ resolve, reject }));
  }

  private settle(answer: ThreadAnswer): void {
    const waiter = this.waiters.shift();
    if (this.waiters.length === 0) this.worker?.unref();
    if (answer.failure === undefined) return waiter?.resolve(answer.rows ?? []);
    const { code, message, during } = answer.failure;
    waiter?.reject(during === 'working' ? new SqliteFailure(code, message) : new OpeningFailure(code, message, during));
  }

  private end(worker: Worker, message: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const waiter of this.waiters.splice(0)) waiter.reject(new SqliteFailure(0, message));
  }
}

/** What a store asks of its connection. */
export type StoreConnection = Pick<SqliteConnection, 'run' | 'begin' | 'discard' | 'transact' | 'reopen' | 'close'>;
