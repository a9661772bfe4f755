import type { Clock, Timer } from '../../foundation/index.js';
import type { Revision } from '../storage.js';
import type { Reads } from './reads.js';
import { numberAt } from './rows.js';
import type { Statements } from './statements.js';

/** The parts that {@link Upkeep} works with. */
export interface UpkeepParts {
  readonly clock: Clock;
  readonly reads: Reads;
  readonly statements: Statements;
  /** Interval of compaction, in milliseconds; 0 for never. */
  readonly compactionIntervalMs: number;
  /** Age from which history is compacted, in milliseconds. */
  readonly historyMs: number;
  /** Number of revisions that are kept, whatever their age. */
  readonly maxEvents: number;
  /** Called when keys have expired. */
  readonly expired: () => void;
  readonly onError: (error: unknown) => void;
}

const EXPIRY_INTERVAL_MS = 1_000;
/** Maximum number of keys that expire in one transaction. */
const MAX_EXPIRED = 500;
/** Number of versions that are looked at in one transaction of the cleaning. */
const CLEANED = 2_000;
/** Share of the interval that must have passed since another server's turn. */
const TURN_SHARE = 0.9;

/**
 * Expires keys, and compacts the history. Every server does both: keys expire by the clock of the database, and of all
 * servers, one takes the turn to compact.
 */
export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #timers = new Set<Timer>();
  /** Newest revisions by the time at which they were seen, the oldest first. */
  #seen: { readonly at: number; readonly revision: Revision }[] = [];
  #stopped = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  /** Starts the timers. */
  start(): void {
    const { compactionIntervalMs } = this.#parts;
    this.#every(EXPIRY_INTERVAL_MS, () => this.expire());
    if (compactionIntervalMs > 0) this.#every(compactionIntervalMs, () => this.#compact());
  }

  /** Stops the timers. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) timer.cancel();
  }

  /** Deletes the keys whose time has come. */
  async expire(): Promise<void> {
    const { reads, statements, expired } = this.#parts;
    let isMore = true;
    while (isMore && !this.#stopped) {
      const [row = []] = await reads.query(statements.expire, [MAX_EXPIRED]);
      const count = numberAt(row, 0);
      if (count > 0) expired();
      isMore = count === MAX_EXPIRED;
    }
  }

  /** Deletes the versions that no readable revision shows any more. */
  async clean(): Promise<void> {
    const { reads, statements } = this.#parts;
    let isMore = true;
    while (isMore && !this.#stopped) isMore = (await reads.query(statements.clean, [CLEANED]))[0]?.[0] === true;
  }

  async #compact(): Promise<void> {
    const { reads, statements, compactionIntervalMs, maxEvents } = this.#parts;
    const newest = await reads.currentRevision();
    const target = Math.max(this.#outdated(newest), newest - maxEvents);
    const turn = await reads.query(statements.claimCompaction, [compactionIntervalMs * TURN_SHARE]);
    if (turn.length === 0) return;
    if (target > 0) await reads.query(statements.compact, [target]);
    await this.clean();
  }

  /** Notes the newest revision, and returns the newest one that was seen longer ago than the history lasts; 0 if none. */
  #outdated(newest: Revision): Revision {
    const { clock, historyMs } = this.#parts;
    const before = clock.now() - historyMs;
    this.#seen.push({ at: clock.now(), revision: newest });
    let outdated = 0;
    while (this.#seen[0] !== undefined && this.#seen[0].at <= before) outdated = this.#seen.shift()?.revision ?? 0;
    if (outdated > 0) this.#seen.unshift({ at: before, revision: outdated });
    return outdated;
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    if (this.#stopped) return;
    const timer = this.#parts.clock.after(intervalMs, () => {
      this.#timers.delete(timer);
      void work()
        .catch((error: unknown) => {
          if (!this.#stopped) this.#parts.onError(error);
        })
        .then(() => this.#every(intervalMs, work));
    });
    this.#timers.add(timer);
  }
}
