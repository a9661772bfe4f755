import type { Host } from '../host.js';

/** Interval of progress messages, in milliseconds. */
const INTERVAL_MS = 2_000;
/** Interval of the bar on a terminal, in milliseconds. */
const BAR_INTERVAL_MS = 100;
/** Cells of the bar. */
const CELLS = 24;
/** Returns to the beginning of the line, and erases it. */
const ERASE = '\r\u001B[K';

/** Reports progress of long work on stderr: on a terminal as a bar, elsewhere as lines. */
export class Progress {
  readonly #host: Host;
  readonly #work: string;
  #reportedAt: number;
  #drawn = false;

  /** @param work description of the work, for example `reading the backup` */
  constructor(host: Host, work: string) {
    this.#host = host;
    this.#work = work;
    this.#reportedAt = host.clock.now();
  }

  /** Reports that `done` of `all` records are done. */
  at(done: number, all: number): void {
    const { clock, stderr } = this.#host;
    const isTerminal = stderr.isTTY === true;
    const now = clock.now();
    if (now - this.#reportedAt < (isTerminal ? BAR_INTERVAL_MS : INTERVAL_MS)) return;
    this.#reportedAt = now;
    // The number of all may be an estimate.
    const total = Math.max(done, all);
    const records = `${done} of ${total} records`;
    stderr.write(isTerminal ? `${ERASE}${barOf(this.#work, done, total)} ${records}` : `${this.#work}: ${records}\n`);
    this.#drawn = isTerminal;
  }

  /** Erases the bar, before a result is printed in its line, and at the end of the work. */
  end(): void {
    if (this.#drawn) this.#host.stderr.write(ERASE);
    this.#drawn = false;
  }
}

function barOf(work: string, done: number, total: number): string {
  const share = total === 0 ? 1 : done / total;
  const full = Math.floor(share * CELLS);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${work} [${'='.repeat(full)}${' '.repeat(CELLS - full)}] ${percent}%`;
}
