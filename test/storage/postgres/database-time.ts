import { ShiftedClock } from '../etcd/lease-time.js';

/** Runs a statement on a database. */
export type RunStatement = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * Lets time pass for the expiries of a store in PostgreSQL. The clock of the database cannot be moved, so the times of
 * the expiries are moved towards it.
 */
export class DatabaseTime {
  readonly clock = new ShiftedClock();
  readonly #run: RunStatement;
  readonly #schema: string;

  constructor(run: RunStatement, schema: string) {
    this.#run = run;
    this.#schema = schema;
  }

  /** Advances by a number of milliseconds, deletes what expires within them, and tells the engine. */
  async advance(ms: number): Promise<void> {
    this.clock.moveTo(this.clock.now() + ms);
    await this.#run(`UPDATE "${this.#schema}".current SET expires = expires - $1::float8 * interval '1 ms'`, [ms]);
    await this.#run(`SELECT "${this.#schema}".expire_keys(10000)`, []);
    await this.#run(`NOTIFY "orch_${this.#schema}"`, []);
  }
}
