import { Worker } from 'node:worker_threads';
import { SqliteFailure } from './failure.js';
import { THREAD_PROGRAM } from './thread-program.js';
import type {
  OpenedFile,
  SqliteDriver,
  SqlStep,
  SqlValue,
  ThreadAnswer,
  ThreadData,
  ThreadRequest,
} from './thread-program.js';

/** A row, with its values in the order of the selected columns. */
export type SqlRow = readonly SqlValue[];

interface Waiter {
  resolve(rows: readonly SqlRow[]): void;
  reject(failure: SqliteFailure): void;
}

/** Options of a connection. */
export interface ConnectionOptions extends OpenedFile {
  readonly driver: SqliteDriver;
}

/** A failure to open the connection. */
export class OpeningFailure extends SqliteFailure {
  readonly during: NonNullable<ThreadAnswer['failure']>['during'];

  constructor(code: number, message: string, during: OpeningFailure['during']) {
    super(code, message);
    this.during = during;
  }
}

/**
 * A connection to a database file on a thread of its own, so that the disk never blocks the event loop. Requests run in
 * order. The process stays alive while a request is in progress.
 */
export class SqliteConnection {
  readonly #driver: SqliteDriver;
  readonly #find: () => Promise<OpenedFile>;
  #file: OpenedFile | undefined;
  #worker: Worker | undefined;
  readonly #waiters: Waiter[] = [];

  private constructor(driver: SqliteDriver, find: () => Promise<OpenedFile>) {
    this.#driver = driver;
    this.#find = find;
  }

  /**
   * Opens a file and locks it against other processes. Creates it when it does not exist.
   *
   * @throws OpeningFailure
   */
  static open({ driver, ...file }: ConnectionOptions): Promise<SqliteConnection> {
    return SqliteConnection.openFound(driver, async () => file);
  }

  /**
   * Opens a file that is found once the library has been loaded: nothing should be made on the disk that only the library
   * can fill while it is not installed.
   *
   * @param find returns the file, which it may make
   * @throws OpeningFailure, and whatever `find` throws
   */
  static async openFound(driver: SqliteDriver, find: () => Promise<OpenedFile>): Promise<SqliteConnection> {
    const connection = new SqliteConnection(driver, find);
    await connection.#start();
    return connection;
  }

  /** Runs a query and returns its rows. @throws SqliteFailure */
  run(...step: SqlStep): Promise<readonly SqlRow[]> {
    return this.#request({ kind: 'run', step });
  }

  /** Runs the statements of a transaction, all or none of them, in one message. @throws SqliteFailure */
  async transact(steps: readonly SqlStep[]): Promise<void> {
    await this.#request({ kind: 'transact', steps });
  }

  /** Opens a new connection, on a new thread when the old one has ended. @throws SqliteFailure */
  async reopen(): Promise<void> {
    if (this.#worker === undefined) await this.#start();
    else await this.#request({ kind: 'reopen' });
  }

  /** Closes the file and releases the lock after all earlier requests. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    try {
      await this.#request({ kind: 'close' });
    } finally {
      await worker.terminate();
    }
  }

  async #start(): Promise<void> {
    const data: ThreadData = { driver: this.#driver, base: import.meta.url };
    // The thread does not inherit the flags of the process: a source loader would only cost time.
    const worker = new Worker(THREAD_PROGRAM, {
      eval: true,
      workerData: data,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#worker = worker;
    worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#end(worker, error.message));
    worker.on('exit', () => this.#end(worker, 'the thread of the database has ended'));
    try {
      await this.#answer();
      this.#file ??= await this.#find();
      await this.#request({ kind: 'open', file: this.#file });
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  #request(request: ThreadRequest): Promise<readonly SqlRow[]> {
    if (this.#worker === undefined) return Promise.reject(new SqliteFailure(0, 'the thread of the database has ended'));
    this.#worker.postMessage(request);
    return this.#answer();
  }

  /** Returns the next answer. */
  #answer(): Promise<readonly SqlRow[]> {
    if (this.#waiters.length === 0) this.#worker?.ref();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  #settle(answer: ThreadAnswer): void {
    const waiter = this.#waiters.shift();
    if (this.#waiters.length === 0) this.#worker?.unref();
    if (answer.failure === undefined) return waiter?.resolve(answer.rows ?? []);
    const { code, message, during } = answer.failure;
    waiter?.reject(during === 'working' ? new SqliteFailure(code, message) : new OpeningFailure(code, message, during));
  }

  #end(worker: Worker, message: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new SqliteFailure(0, message));
  }
}

/** The connection as a store uses it. */
export type StoreConnection = Pick<SqliteConnection, 'run' | 'transact' | 'reopen' | 'close'>;
