import { delay, type Clock, type Timer } from '../../foundation/index.js';
import { firstUnreadable } from '../record-texts.js';
import { Arrivals } from '../remote/arrivals.js';
import { WriteEvent } from '../state/records/record.js';
import type { Revision, StorageRecord } from '../storage.js';
import type { Connector } from './connector.js';
import type { Reads } from './reads.js';
import type { Records } from './records.js';
import { numberAt, numberOrNothingAt, textAt, versionAt, VERSION_COLUMNS, type Row, type VersionRow } from './rows.js';
import type { Session } from './session.js';
import type { Statements } from './statements.js';

/** Receives the events of a {@link ChangeFeed}. */
export interface ChangeFeedSink {
  /** Called with writes, in order of revision. Their records may be ones that cannot be read now. */
  events(events: readonly WriteEvent[]): void;
  /**
   * Called with the error of the first of some writes that cannot be read: the watches that would get it end, and cannot
   * pass it until it can be read. All others go on.
   */
  unreadable(error: unknown): void;
  /** Called when the events up to this revision are lost; the feed continues after it. */
  lost(
    reason:
      | { readonly kind: 'compacted'; readonly compactRevision: Revision }
      | { readonly kind: 'failed'; readonly error: unknown },
    revision: Revision,
  ): void;
  /** Called when a server has compacted the history up to a revision. */
  compacted(revision: Revision): void;
  /** Called when the feed is interrupted; it reconnects automatically. */
  interrupted(error: unknown): void;
}

/** The parts that a {@link ChangeFeed} works with. */
export interface ChangeFeedParts {
  readonly connector: Connector;
  /** Reads on other connections. */
  readonly reads: Pick<Reads, 'query'>;
  readonly statements: Statements;
  readonly records: Records;
  readonly clock: Clock;
  /** Channel on which servers tell each other of new revisions. */
  readonly channel: string;
  readonly sink: ChangeFeedSink;
}

/** A version of the feed with what it replaced. */
interface ChangeRow {
  readonly version: VersionRow;
  readonly previous: Revision | undefined;
  readonly batch: string | undefined;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** Interval of the poll behind the notifications, in milliseconds. */
const POLL_MS = 1_000;
/** The same where notifications do not arrive. */
const POLL_WITHOUT_NOTIFICATIONS_MS = 200;
/** Maximum time until the session receives its own notification, in milliseconds. */
const ECHO_MS = 2_000;
const PAGE_ROWS = 500;
/** Distance of the first revision after commits were lost, so that no number is used twice. */
const GAP = 1_000_000;

/**
 * Follows the whole store, and feeds all watches of the engine. Revisions become visible in their order and without
 * gaps, so the position of the feed is the revision up to which every event has arrived.
 *
 * A notification says only that there is something to read. Behind it a poll finds what was not notified.
 */
export class ChangeFeed {
  readonly #parts: ChangeFeedParts;
  readonly #arrivals: Arrivals;
  readonly #closing = new AbortController();
  #position: Revision;
  /** Batch that wrote the version at the position, where it is known. */
  #batch: string | undefined;
  #compacted: Revision = 0;
  #session: Session | undefined;
  #hasNotifications = true;
  #isWoken = false;
  #wake: (() => void) | undefined;
  #notification: Promise<unknown> | undefined;
  #isNotificationDue = false;
  #echo: Timer | undefined;

  /** @param from the feed starts with the first write after this revision */
  constructor(parts: ChangeFeedParts, from: Revision) {
    this.#parts = parts;
    this.#position = from;
    this.#arrivals = new Arrivals(parts.clock);
  }

  /** The revision up to which every event has arrived. */
  get position(): Revision {
    return this.#position;
  }

  /** Follows the store until {@link ChangeFeed.close}. */
  async run(): Promise<void> {
    const { clock, sink } = this.#parts;
    for (let failures = 0; !this.#closing.signal.aborted; failures += 1) {
      const position = this.#position;
      try {
        await this.#follow();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        sink.interrupted(error);
      }
      this.#session?.close();
      this.#session = undefined;
      this.#arrivals.giveUp();
      if (this.#position > position) failures = 0;
      await delay(clock, Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), this.#closing.signal);
    }
  }

  /**
   * Resolves when every event up to a revision has arrived, when the feed is interrupted, or after a second. Undefined
   * when there is nothing to wait for.
   */
  reached(revision: Revision): Promise<void> | undefined {
    if (this.#position >= revision || this.#session === undefined) return undefined;
    this.#lookNow();
    return this.#arrivals.wait(revision);
  }

  /**
   * Takes the events of a group of this process. They are delivered at once if nothing is missing before them; otherwise
   * the feed reads them. Other servers are told in either case.
   *
   * @param events in order of revision; undefined when they are not complete
   */
  committed(events: readonly WriteEvent[] | undefined, batch: string | undefined): void {
    const [first] = events ?? [];
    if (events !== undefined && first?.revision === this.#position + 1) {
      this.#batch = batch;
      this.#deliver(events);
    } else this.#lookNow();
    this.#isNotificationDue = true;
    this.#notify();
  }

  /** Ends the feed. */
  close(): void {
    this.#closing.abort();
    this.#echo?.cancel();
    this.#session?.close();
    this.#wake?.();
    this.#arrivals.giveUp();
  }

  /** Opens a session and follows the store with it. @throws the error that ended it */
  async #follow(): Promise<void> {
    const { connector } = this.#parts;
    const session = await connector.connect();
    this.#session = session;
    await this.#listen(session);
    await this.checkPosition(session);
    while (!this.#closing.signal.aborted) {
      this.#isWoken = false;
      while (await this.#readPage(session));
      await this.#rest();
    }
  }

  /** Listens, and finds out whether notifications arrive: some poolers drop them. */
  async #listen(session: Session): Promise<void> {
    const { channel, clock, sink } = this.#parts;
    let isEchoed = false;
    let isLate = false;
    await session.listen(channel, () => {
      isEchoed = true;
      // Behind a pooler, one may come with an answer by chance.
      if (!isLate || !session.isPooled) this.#hasNotifications = true;
      this.#lookNow();
    });
    await this.#sendEcho(session);
    this.#echo?.cancel();
    this.#echo = clock.after(ECHO_MS, () => {
      isLate = true;
      if (isEchoed || session.isOver || !this.#hasNotifications) return;
      this.#hasNotifications = false;
      sink.interrupted(
        new Error(
          `PostgreSQL's notifications do not arrive, so the store is asked every ${POLL_WITHOUT_NOTIFICATIONS_MS} ms: set listenUrl (--postgres-listen-url) to a URL without a pooler, or with one in session mode`,
        ),
      );
    });
  }

  /**
   * Sends a notification that must come back. Behind a pooler another connection sends it: in transaction mode, the one that
   * listens might get it with its own answer, and none of the others.
   */
  async #sendEcho(session: Session): Promise<void> {
    const { channel, statements, reads } = this.#parts;
    await (session.isPooled ? reads : session).query(statements.notify, [channel]);
  }

  /**
   * Checks that the database still has the version at the position. After a failover to a standby that lacked the last
   * commits, it does not: then the store continues at a much higher revision, and everyone lists again. The first write of
   * a connection comes after it, since it would otherwise get a revision that has been used.
   *
   * @param acknowledged newest revision of a write of this process, which the position may not have reached
   * @throws SqlFailure when the database does not answer
   */
  async checkPosition(session: Session, acknowledged: Revision = 0): Promise<void> {
    const { statements, sink } = this.#parts;
    // Groups of this process move both meanwhile.
    const position = Math.max(this.#position, acknowledged);
    const batch = position === this.#position ? this.#batch : undefined;
    const [found = []] = await session.query(statements.position, [position]);
    const isBehind = numberAt(found, 0) < position;
    const isOther = batch !== undefined && found[1] === true && textAt(found, 2) !== batch;
    if (!isBehind && !isOther) return;
    const [raised = []] = await session.query(statements.raiseFloor, [position, GAP]);
    const floor = numberAt(raised, 0);
    sink.interrupted(
      new Error(
        `the database has lost commits that it had acknowledged (a failover to an asynchronous standby?): all watches end, and revisions continue after ${floor}`,
      ),
    );
    this.#lose(floor);
  }

  /** Reads the next versions. Returns whether there may be more. */
  async #readPage(session: Session): Promise<boolean> {
    const { statements, sink } = this.#parts;
    const rows = await session.query(statements.feed, [this.#position, PAGE_ROWS]);
    const [head = []] = rows;
    const compacted = numberAt(head, 0);
    if (compacted > this.#position) {
      this.#lose(compacted);
      return true;
    }
    const changes = changesOf(rows);
    const events = await this.#eventsOf(session, changes);
    if (events === undefined) return true;
    // Own groups may have been delivered meanwhile.
    const missing = events.filter(({ revision }) => revision > this.#position);
    if (missing.length > 0) {
      this.#batch = changes.at(-1)?.batch;
      this.#deliver(missing);
    }
    if (compacted > this.#compacted) {
      this.#compacted = compacted;
      sink.compacted(compacted);
    }
    return changes.length === PAGE_ROWS;
  }

  /** Returns the events of versions; undefined when they are lost, because a version before them is compacted. */
  async #eventsOf(session: Session, changes: readonly ChangeRow[]): Promise<WriteEvent[] | undefined> {
    const { records, sink } = this.#parts;
    const last = changes.at(-1)?.version.revision ?? this.#position;
    try {
      const previous = await this.#previousOf(session, changes);
      await records.prepareReadable([...changes.map(({ version }) => version), ...previous.values()]);
      const events: WriteEvent[] = [];
      for (const change of changes) {
        const event = eventOf(change, records, previous);
        if (event === undefined) {
          this.#lose(last);
          return undefined;
        }
        events.push(event);
      }
      return events;
    } catch (error) {
      if (session.isOver) throw error;
      sink.lost({ kind: 'failed', error }, last);
      this.#moveTo(last);
      return undefined;
    }
  }

  /** Reads the replaced versions that are not in memory. */
  async #previousOf(session: Session, changes: readonly ChangeRow[]): Promise<ReadonlyMap<Revision, VersionRow>> {
    const { records, statements } = this.#parts;
    const rows = new Map(changes.map(({ version }) => [version.revision, version]));
    const missing: Revision[] = [];
    for (const { version, previous } of changes) {
      if (previous === undefined || rows.has(previous)) continue;
      const { key, revision, value } = version;
      // The text of a delete is made from the row of the version that it removed.
      const isMade = value !== undefined || records.find(key, revision) !== undefined;
      if (!isMade || records.find(key, previous) === undefined) missing.push(previous);
    }
    if (missing.length === 0) return rows;
    for (const row of await session.query(statements.replaced, [missing])) {
      const version = versionAt(row, 0);
      if (version !== undefined) rows.set(version.revision, version);
    }
    return rows;
  }

  #deliver(events: readonly WriteEvent[]): void {
    // Sets the position first, so that a watch started during the delivery sees all of these events.
    this.#position = events.at(-1)?.revision ?? this.#position;
    this.#parts.sink.events(events);
    const error = firstUnreadable(events);
    if (error !== undefined) this.#parts.sink.unreadable(error);
    this.#arrivals.arrived(this.#position);
  }

  #lose(revision: Revision): void {
    this.#parts.sink.lost({ kind: 'compacted', compactRevision: revision }, revision);
    this.#moveTo(revision);
  }

  #moveTo(revision: Revision): void {
    if (revision <= this.#position) return;
    this.#position = revision;
    this.#batch = undefined;
    this.#arrivals.arrived(revision);
  }

  #lookNow(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Resolves when there may be something to read. */
  async #rest(): Promise<void> {
    if (this.#isWoken || this.#closing.signal.aborted) return;
    const pollMs = this.#hasNotifications ? POLL_MS : POLL_WITHOUT_NOTIFICATIONS_MS;
    await new Promise<void>((resolve) => {
      const timer = this.#parts.clock.after(pollMs, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /**
   * Tells the other servers of new revisions: one notification at a time, in a transaction of its own. A commit with a
   * notification takes a lock of the whole database server, so it must not wait for the disk.
   */
  #notify(): void {
    const session = this.#session;
    if (!this.#isNotificationDue || this.#notification !== undefined || session === undefined) return;
    this.#isNotificationDue = false;
    this.#notification = session
      .query(this.#parts.statements.notify, [this.#parts.channel])
      // A lost notification costs the others one interval of their poll.
      .catch(() => undefined)
      .finally(() => {
        this.#notification = undefined;
        this.#notify();
      });
  }
}

/** Reads rows of the feed: compacted, version, previous, batch. */
function changesOf(rows: readonly Row[]): ChangeRow[] {
  const changes: ChangeRow[] = [];
  for (const row of rows) {
    const version = versionAt(row, 1);
    if (version === undefined) continue;
    const next = 1 + VERSION_COLUMNS;
    changes.push({ version, previous: numberOrNothingAt(row, next), batch: textAt(row, next + 1) });
  }
  return changes;
}

/** Returns the event of a version; undefined when what it replaced is gone. */
function eventOf(
  { version, previous }: ChangeRow,
  records: Records,
  rows: ReadonlyMap<Revision, VersionRow>,
): WriteEvent | undefined {
  if (previous === undefined) return new WriteEvent('create', records.readOrSeal(version), undefined);
  const row = rows.get(previous);
  const before: StorageRecord | undefined =
    records.find(version.key, previous) ?? (row === undefined ? undefined : records.readOrSeal(row));
  if (before === undefined) return undefined;
  if (version.value !== undefined) return new WriteEvent('update', records.readOrSeal(version), before);
  const deleted =
    records.find(version.key, version.revision) ??
    (row === undefined ? undefined : records.readOrSeal(row, version.revision));
  return deleted === undefined ? undefined : new WriteEvent('delete', deleted, before);
}
