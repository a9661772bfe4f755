import type { Host } from '../host.js';

/** How often it is said how far work has come, in milliseconds. */
const INTERVAL_MS = 2_000;

/** Says on stderr how far work has come, if it takes long enough for somebody to wonder. */
export class Progress {
  readonly #host: Host;
  readonly #what: string;
  #saidAt: number;
  #shown = false;

  /** @param what the work, as in `reading the backup` */
  constructor(host: Host, what: string) {
    this.#host = host;
    this.#what = what;
    this.#saidAt = host.clock.now();
  }

  /** So many of all records are done. */
  at(done: number, all: number): void {
    const { clock, stderr } = this.#host;
    const now = clock.now();
    if (now - this.#saidAt < INTERVAL_MS) return;
    this.#saidAt = now;
    const line = `${this.#what}: ${done} of ${Math.max(done, all)} records`;
    // On a terminal the line is written over again.
    stderr.write(stderr.isTTY === true ? `\r${line}` : `${line}\n`);
    this.#shown = true;
  }

  /** Leaves the line that was written over. */
  end(): void {
    if (this.#shown && this.#host.stderr.isTTY === true) this.#host.stderr.write('\n');
  }
}
