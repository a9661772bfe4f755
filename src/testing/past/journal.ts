import type { Clock } from '../../foundation/index.js';
import type { InterceptedRequest } from '../../server/index.js';
import type { Revision, Storage, StorageEvent, StorageWatch } from '../../storage/index.js';

/** A write to the storage, with when and by whom. */
export interface JournalEntry {
  readonly event: StorageEvent;
  /** Time of the write on the test's clock, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** The request that wrote it; undefined for writes that no request made, such as the expiry of an Event. */
  author: InterceptedRequest | undefined;
}

/** The writes before those of a journal: of the server that it was forked from, or before a reset. */
interface Former {
  /** Shared with the journal that wrote them, which may add others and drop the oldest. */
  readonly entries: readonly JournalEntry[];
  /** Newest revision that belongs to the past of this journal. */
  readonly upTo: Revision;
  readonly former: Former | undefined;
}

/** Maximum number of authors whose events have not arrived. An engine in memory delivers the event first. */
const MAX_EARLY = 100;

/**
 * The newest writes to a storage. It goes on when the server goes back to a former state, and then forgets the writes
 * since that state. A fork shares the writes before it with its origin.
 */
export class Journal {
  readonly #clock: Clock;
  readonly #max: number;
  #entries: JournalEntry[] = [];
  #former: Former | undefined;
  readonly #early = new Map<Revision, InterceptedRequest>();
  #watch: StorageWatch | undefined;
  #storage: Storage | undefined;
  /** Revision after which the journal has every write; undefined once the oldest writes are dropped. */
  #since: Revision | undefined = 0;

  /**
   * @param max maximum number of writes
   * @param origin the journal of the server that this one was forked from
   */
  constructor(clock: Clock, max: number, origin?: Journal) {
    this.#clock = clock;
    this.#max = max;
    if (origin === undefined) return;
    this.#former = { entries: origin.#entries, upTo: Infinity, former: origin.#former };
    this.#since = origin.#since;
  }

  /** Follows a storage from its current state on. */
  attach(storage: Storage): void {
    this.#watch?.stop();
    const begun = this.#storage !== undefined;
    this.#storage = storage;
    storage.currentRevision().then(
      (current) => this.#follow(storage, current, begun),
      // The requests of the server report that the storage fails.
      () => undefined,
    );
  }

  #follow(storage: Storage, current: Revision, begun: boolean): void {
    if (this.#storage !== storage) return;
    const [oldest] = this.#entries;
    const former = this.#former;
    if (oldest !== undefined && oldest.event.revision <= current)
      this.#former = { entries: this.#entries, upTo: current, former };
    else if (former !== undefined) this.#former = { ...former, upTo: Math.min(former.upTo, current) };
    // Nothing is known of what was before the test, or before the state that the server has gone back to.
    else if (!begun || this.#since === undefined) this.#since = current;
    this.#entries = [];
    this.#early.clear();
    this.#watch = storage.watch('', current, {
      events: (events) => this.#add(events),
      progress: () => undefined,
      end: () => undefined,
    });
  }

  /** The writes, oldest first. */
  get entries(): readonly JournalEntry[] {
    const parts = [this.#entries];
    let upTo: Revision = Infinity;
    for (let former = this.#former; former !== undefined; former = former.former) {
      const limit = Math.min(upTo, former.upTo);
      upTo = limit;
      parts.unshift(former.entries.filter(({ event }) => event.revision <= limit));
    }
    return parts.length === 1 ? this.#entries : parts.flat();
  }

  /** Whether the journal has every write after a revision. */
  reaches(revision: Revision): boolean {
    if (this.#since !== undefined) return revision >= this.#since;
    return revision >= (this.entries[0]?.event.revision ?? 0) - 1;
  }

  /** Records the request that made a write. */
  author(revision: Revision, request: InterceptedRequest): void {
    const entry = this.#find(revision);
    if (entry !== undefined) entry.author ??= request;
    else if (this.#early.size < MAX_EARLY) this.#early.set(revision, request);
  }

  #add(events: readonly StorageEvent[]): void {
    const timeMs = this.#clock.now();
    for (const event of events) {
      this.#entries.push({ event, timeMs, author: this.#early.get(event.revision) });
      this.#early.delete(event.revision);
    }
    // Half as many again, so that not every write moves all others.
    if (this.#entries.length <= this.#max * 1.5) return;
    this.#entries.splice(0, this.#entries.length - this.#max);
    this.#former = undefined;
    this.#since = undefined;
  }

  #find(revision: Revision): JournalEntry | undefined {
    // The write is one of the newest.
    for (let at = this.#entries.length - 1; at >= 0; at -= 1) {
      const entry = this.#entries[at];
      if (entry === undefined || entry.event.revision < revision) return undefined;
      if (entry.event.revision === revision) return entry;
    }
    return undefined;
  }
}
