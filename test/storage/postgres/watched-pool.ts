import type { PostgresClient, PostgresPool, PostgresQuery } from '../../../src/storage/postgres/index.js';

/** A pool that shows the statements that go through it, and lets a test delay or fail them. */
export class WatchedPool implements PostgresPool {
  /** The statements, by their names without that of the schema. */
  readonly sent: string[] = [];
  /** Called before each statement; its error takes the place of an answer. */
  before: (name: string) => Promise<void> | void = () => undefined;
  /** Called with the rows of each answer. */
  after: (name: string, rows: readonly (readonly unknown[])[]) => void = () => undefined;
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Returns how many statements of a name were sent. */
  count(name: string): number {
    return this.sent.filter((sent) => sent === name).length;
  }

  async connect(): Promise<PostgresClient> {
    const client = await this.#pool.connect();
    const { query } = client;
    client.query = async (given: PostgresQuery) => {
      const name = given.name?.replace(/^orch_[a-z0-9]+_/, '') ?? '';
      this.sent.push(name);
      await this.before(name);
      const answer = await query.call(client, given);
      this.after(name, answer.rows);
      return answer;
    };
    return client;
  }
}
