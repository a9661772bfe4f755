import type { Host } from '../host.js';

/** Interval of progress messages, in milliseconds. */
const INTERVAL_MS = 2_000;

/** Reports progress of long work on stderr. */
export class Progress {
  readonly #host: Host;
  readonly #work: string;
  #reportedAt: number;
  #shown = false;

  /** @param work description of the work, for example `reading the backup` */
  constructor(host: Host, work: string) {
    this.#host = host;
    this.#work = work;
    this.#reportedAt = host.clock.now();
  }

  /** Reports that `done` of `all` records are done. */
  at(done: number, all: number): void {
    const { clock, stderr } = this.#host;
    const now = clock.now();
    if (now - this.#reportedAt < INTERVAL_MS) return;
    this.#reportedAt = now;
    const line = `${this.#work}: ${done} of ${Math.max(done, all)} records`;
    // On a terminal each report overwrites the line.
    stderr.write(stderr.isTTY === true ? `\r${line}` : `${line}\n`);
    this.#shown = true;
  }

  /** Ends the overwritten line. */
  end(): void {
    if (this.#shown && this.#host.stderr.isTTY === true) this.#host.stderr.write('\n');
  }
}
