import { PGlite } from '@electric-sql/pglite';
import type { PostgresClient, PostgresPool, PostgresQuery } from '../../../src/storage/postgres/index.js';

type Listeners = { [event: string]: ((argument: never) => void)[] };

/** PostgreSQL compiled to WebAssembly, in this process: one session, which all connections of the pool share. */
export class PglitePool implements PostgresPool {
  readonly #database = new PGlite();

  async connect(): Promise<PostgresClient> {
    await this.#database.waitReady;
    return new PgliteClient(this.#database);
  }

  /** Runs a statement. */
  async run(text: string, values: unknown[]): Promise<unknown[][]> {
    return (await this.#database.query<unknown[]>(text, values, { rowMode: 'array' })).rows;
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

class PgliteClient implements PostgresClient {
  readonly #database: PGlite;
  readonly #listeners: Listeners = {};

  constructor(database: PGlite) {
    this.#database = database;
  }

  async query({ text, values }: PostgresQuery): Promise<{ rows: unknown[][] }> {
    const [, channel] = /^LISTEN "(.*)"$/.exec(text) ?? [];
    if (channel !== undefined) {
      const told = { channel } as never;
      await this.#database.listen(channel, () =>
        this.#listeners['notification']?.forEach((listener) => listener(told)),
      );
      return { rows: [] };
    }
    return { rows: (await this.#database.query<unknown[]>(text, values, { rowMode: 'array' })).rows };
  }

  on(event: string, listener: (argument: never) => void): void {
    (this.#listeners[event] ??= []).push(listener);
  }

  release(): void {
    // All connections are one session, which ends with the pool.
  }
}
