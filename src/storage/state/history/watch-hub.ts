import { addMember, appendAll, nextTurn, removeMember, shareTurn } from '../../../foundation/index.js';
import type { Revision, StorageEvent, StorageWatch, StorageWatchEnd, StorageWatchSink } from '../../storage.js';
import { firstUnreadable } from '../../record-texts.js';
import type { EventHistory, PastEvents } from './event-history.js';

/** Number of past events that are looked at for new watches between two looks at the time. */
const REPLAYED = 1024;

/** Maximum number of past events that a new watch gets by itself, mostly before its start returns. */
const MANY = 8192;
/** Number of past events that are looked at for watches together between two looks at the time: each takes longer. */
const REPLAYED_TOGETHER = 256;
/** The same for texts that may have to be read from the store. */
const REPLAYED_UNREAD = 256;

/** Many past events, which the watches that start after the same revision in one turn get together. */
interface Replay {
  readonly after: Revision;
  /** Revision of the newest write when the first of the watches started. */
  readonly until: Revision;
  readonly past: PastEvents;
  /** The watches, each with the revision up to which it has got events. */
  readonly watches: Map<HubWatch, Revision>;
}

/** A registered watch. */
export class HubWatch implements StorageWatch {
  readonly prefix: string;
  readonly sink: StorageWatchSink;
  /** The watch skips events up to this revision. */
  readonly from: Revision;
  /** Whether the watch has ended for any reason. */
  over = false;
  /** The events to look at while the watch gets the past ones; later ones are added. */
  missed: StorageEvent[] | undefined;
  /** Whether to report the progress after the missed events. */
  progressWanted = false;
  readonly #hub: WatchHub;

  constructor(hub: WatchHub, prefix: string, sink: StorageWatchSink, from: Revision) {
    this.#hub = hub;
    this.prefix = prefix;
    this.sink = sink;
    this.from = from;
  }

  stop(): void {
    this.#hub.remove(this);
  }

  requestProgress(): void {
    this.#hub.sendProgress(this);
  }
}

/**
 * The running watches. Watches of prefixes that end in `/` are found along the path of the written key, so a write
 * costs only the watches that match it. Other watches are scanned.
 */
export class WatchHub {
  readonly #byPath = new Map<string, Set<HubWatch>>();
  readonly #scanned = new Set<HubWatch>();
  /** Events that wait for their delivery: in each batch, those of one revision. */
  readonly #pending: (readonly StorageEvent[])[] = [];
  readonly #progressRequests = new Set<HubWatch>();
  readonly #current: () => Revision;
  /** The replay that watches may still join. */
  #opening: Replay | undefined;
  #publishing = false;
  #closed = false;

  /** @param current returns the revision of the newest write */
  constructor(current: () => Revision) {
    this.#current = current;
  }

  /** Starts a watch with the events of the history after a revision; see {@link Storage.watch}. */
  start(history: EventHistory, prefix: string, fromRevision: Revision, sink: StorageWatchSink): HubWatch {
    const current = this.#current();
    const watch = new HubWatch(this, prefix, sink, Math.max(fromRevision, current));
    const { compactedRevision } = history;
    if (this.#closed || fromRevision < compactedRevision) {
      watch.over = true;
      endSink(sink, this.#closed ? { kind: 'closed' } : { kind: 'compacted', compactRevision: compactedRevision });
      return watch;
    }
    // Registers the watch before the replay; otherwise a write during the replay would be out of order, and a close
    // would be missed.
    this.#add(watch);
    if (history.countAfter(fromRevision) > MANY) this.#join(watch, history, fromRevision);
    else void this.#replayMissed(watch, history.after(fromRevision, MANY), fromRevision);
    return watch;
  }

  /**
   * Adds a watch to a replay. A server that starts on a filled store opens a watch for each kind, and one look at the
   * past serves all of them.
   */
  #join(watch: HubWatch, history: EventHistory, after: Revision): void {
    let replay = this.#opening;
    if (replay?.after !== after) {
      replay = { after, until: this.#current(), past: history.snapshotAfter(after), watches: new Map() };
      this.#opening = replay;
      void this.#replayTogether(replay);
    }
    watch.missed = history.after(replay.until, Infinity);
    replay.watches.set(watch, after);
  }

  async #replayTogether(replay: Replay): Promise<void> {
    const { past, watches } = replay;
    await nextTurn();
    if (this.#opening === replay) this.#opening = undefined;
    for (let events = past.next(REPLAYED_TOGETHER); events.length > 0; events = past.next(REPLAYED_TOGETHER)) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      for (const [watch, batch] of this.#eventsByWatch(events, watches)) {
        watches.set(watch, batch.at(-1)?.revision ?? replay.after);
        if (!watch.over) this.#replay(watch, batch);
      }
      for (const watch of watches.keys()) if (watch.over) watches.delete(watch);
      if (watches.size === 0) return;
    }
    for (const [watch, replayed] of watches) void this.#replayMissed(watch, watch.missed ?? [], replayed);
  }

  /** Returns the events for each watch that has any: of some watches, or of all. Watches are found as for a write. */
  #eventsByWatch(
    events: readonly StorageEvent[],
    watches?: ReadonlyMap<HubWatch, unknown>,
  ): ReadonlyMap<HubWatch, readonly StorageEvent[]> {
    const found = new Map<HubWatch, StorageEvent[]>();
    const add = (watch: HubWatch, event: StorageEvent): void => {
      if (watches?.has(watch) === false) return;
      const batch = found.get(watch);
      if (batch === undefined) found.set(watch, [event]);
      else batch.push(event);
    };
    // Successive keys mostly have the same path.
    let path = '';
    let along: readonly HubWatch[] = [];
    for (const event of events) {
      const { key } = event;
      const end = key.lastIndexOf('/') + 1;
      if (end !== path.length || !key.startsWith(path)) {
        path = key.slice(0, end);
        along = this.#alongPath(path);
      }
      for (const watch of along) add(watch, event);
      for (const watch of this.#scanned) if (key.startsWith(watch.prefix)) add(watch, event);
    }
    return found;
  }

  /** Returns the watches of the paths that a path or a key begins with. */
  #alongPath(path: string): readonly HubWatch[] {
    const found: HubWatch[] = [];
    if (this.#byPath.size === 0) return found;
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const watches = this.#byPath.get(path.slice(0, slash + 1));
      if (watches !== undefined) for (const watch of watches) found.push(watch);
    }
    return found;
  }

  /**
   * Delivers the missed events among past ones, and those that happen meanwhile. Few are delivered at once, many in the
   * shares of several turns.
   */
  async #replayMissed(watch: HubWatch, missed: StorageEvent[], fromRevision: Revision): Promise<void> {
    let replayed = fromRevision;
    watch.missed = missed;
    const step = missed[0]?.record.textLength === undefined ? REPLAYED : REPLAYED_UNREAD;
    for (let next = 0; next < missed.length && !watch.over;) {
      const turn = next === 0 ? undefined : shareTurn();
      if (turn !== undefined) await turn;
      const looked = missed.slice(next, endOfRevision(missed, next + step));
      next += looked.length;
      const batch = looked.filter(({ key }) => key.startsWith(watch.prefix));
      replayed = batch.at(-1)?.revision ?? replayed;
      if (batch.length > 0) this.#replay(watch, batch);
    }
    watch.missed = undefined;
    const current = this.#current();
    if (!watch.over && (watch.progressWanted || replayed < current)) this.#replay(watch, [], current);
  }

  #add(watch: HubWatch): void {
    const { prefix } = watch;
    if (!prefix.endsWith('/')) this.#scanned.add(watch);
    else addMember(this.#byPath, prefix, watch);
  }

  /** Removes a watch, which gets no further events. */
  remove(watch: HubWatch): void {
    watch.over = true;
    if (this.#scanned.delete(watch)) return;
    removeMember(this.#byPath, watch.prefix, watch);
  }

  /**
   * Delivers the events of one revision, together to each watch. During another delivery they are queued, so that all
   * sinks see the same order.
   */
  publish(batch: readonly StorageEvent[]): void {
    if (this.#byPath.size === 0 && this.#scanned.size === 0) return;
    this.#pending.push(batch);
    if (this.#publishing) return;
    this.#publishing = true;
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) this.#deliver(next);
    this.#publishing = false;
    for (const watch of this.#progressRequests) {
      this.#progressRequests.delete(watch);
      this.sendProgress(watch);
    }
  }

  /** Reports to a watch that it has every event; during a delivery, after it. */
  sendProgress(watch: HubWatch): void {
    if (watch.over) return;
    if (watch.missed !== undefined) watch.progressWanted = true;
    else if (this.#publishing) this.#progressRequests.add(watch);
    else this.#replay(watch, [], this.#current());
  }

  /** Delivers past events to a new watch in one batch, then its progress if given. */
  #replay(watch: HubWatch, events: readonly StorageEvent[], progress?: Revision): void {
    try {
      if (events.length > 0) send(watch.sink, events);
      if (progress !== undefined && !watch.over) watch.sink.progress(progress);
    } catch (error) {
      this.#fail(watch, error);
    }
  }

  /** Ends every watch; later ones end at once. */
  close(): void {
    this.#closed = true;
    this.#pending.length = 0;
    this.endBefore(Infinity, { kind: 'closed' });
  }

  /** Ends the watches that started before a revision. */
  endBefore(revision: Revision, reason: StorageWatchEnd): void {
    for (const watch of [...this.#scanned, ...[...this.#byPath.values()].flatMap((set) => [...set])]) {
      if (watch.from >= revision || watch.over) continue;
      this.remove(watch);
      endSink(watch.sink, reason);
    }
  }

  #deliver(batch: readonly StorageEvent[]): void {
    const [event] = batch;
    if (event === undefined) return;
    if (batch.length > 1) {
      for (const [watch, events] of this.#eventsByWatch(batch)) this.#deliverTo(watch, events, event.revision);
      return;
    }
    for (const watch of this.#scanned)
      if (event.key.startsWith(watch.prefix)) this.#deliverTo(watch, batch, event.revision);
    for (const watch of this.#alongPath(event.key)) this.#deliverTo(watch, batch, event.revision);
  }

  #deliverTo(watch: HubWatch, batch: readonly StorageEvent[], revision: Revision): void {
    if (revision <= watch.from || watch.over) return;
    if (watch.missed !== undefined) {
      appendAll(watch.missed, batch);
      return;
    }
    try {
      send(watch.sink, batch);
    } catch (error) {
      this.#fail(watch, error);
    }
  }

  #fail(watch: HubWatch, error: unknown): void {
    if (watch.over) return;
    this.remove(watch);
    endSink(watch.sink, { kind: 'failed', error });
  }
}

/** Returns an offset, or a later one if the events around it happened together. */
function endOfRevision(events: readonly StorageEvent[], offset: number): number {
  const revision = events[offset - 1]?.revision;
  let end = offset;
  while (revision !== undefined && events[end]?.revision === revision) end += 1;
  return end;
}

/** Delivers events. @throws Error of one that cannot be read, unless the sink accepts it; the error of the sink */
function send(sink: StorageWatchSink, events: readonly StorageEvent[]): void {
  const error = sink.acceptsUnreadable === true ? undefined : firstUnreadable(events);
  if (error !== undefined) throw error;
  sink.events(events);
}

/** Ends a sink's watch; an error that the sink throws is ignored. */
function endSink(sink: StorageWatchSink, reason: StorageWatchEnd): void {
  try {
    sink.end(reason);
  } catch {
    // The contract forbids the throw, and no one can handle it.
  }
}
