import type { Revision, StorageEvent, StorageWatch, StorageWatchEnd, StorageWatchSink } from '../storage.js';

/** A registered watch. */
export class HubWatch implements StorageWatch {
  readonly prefix: string;
  readonly sink: StorageWatchSink;
  /** Events up to here are not for this watch: it has them, or started behind them. */
  readonly from: Revision;
  /** Set when the watch is over, by whatever cause. */
  over = false;
  private readonly hub: WatchHub;

  constructor(hub: WatchHub, prefix: string, sink: StorageWatchSink, from: Revision) {
    this.hub = hub;
    this.prefix = prefix;
    this.sink = sink;
    this.from = from;
  }

  stop(): void {
    this.hub.remove(this);
  }

  requestProgress(): void {
    this.hub.tellProgress(this);
  }
}

/**
 * The running watches. Those of prefixes that end in `/` are found by walking the path of the written key, so that a write
 * costs the watches that want it and no other; the rest are looked through.
 */
export class WatchHub {
  private readonly byPath = new Map<string, Set<HubWatch>>();
  private readonly scanned = new Set<HubWatch>();
  private readonly waiting: StorageEvent[] = [];
  private readonly progressWanted = new Set<HubWatch>();
  private readonly current: () => Revision;
  private publishing = false;

  /** @param current tells the revision of the newest write */
  constructor(current: () => Revision) {
    this.current = current;
  }

  /** Registers a watch for the events after a revision. */
  add(prefix: string, sink: StorageWatchSink, from: Revision): HubWatch {
    const watch = new HubWatch(this, prefix, sink, from);
    if (!prefix.endsWith('/')) this.scanned.add(watch);
    else {
      const watches = this.byPath.get(prefix);
      if (watches === undefined) this.byPath.set(prefix, new Set([watch]));
      else watches.add(watch);
    }
    return watch;
  }

  /** Takes a watch out; it hears no more. */
  remove(watch: HubWatch): void {
    watch.over = true;
    if (this.scanned.delete(watch)) return;
    const watches = this.byPath.get(watch.prefix);
    if (watches?.delete(watch) === true && watches.size === 0) this.byPath.delete(watch.prefix);
  }

  /** Delivers an event. When called from within a delivery, the event waits its turn, so that every sink sees one order. */
  publish(event: StorageEvent): void {
    if (this.byPath.size === 0 && this.scanned.size === 0) return;
    this.waiting.push(event);
    if (this.publishing) return;
    this.publishing = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) this.deliver(next);
    this.publishing = false;
    for (const watch of this.progressWanted) {
      this.progressWanted.delete(watch);
      this.tellProgress(watch);
    }
  }

  /** Tells a watch that it has everything up to now; when asked for from within a delivery, at its end. */
  tellProgress(watch: HubWatch): void {
    if (watch.over) return;
    if (this.publishing) this.progressWanted.add(watch);
    else this.replay(watch, [], this.current());
  }

  /** Delivers what a new watch missed, all at once, and up to where that goes when no event says so. */
  replay(watch: HubWatch, events: readonly StorageEvent[], progress: Revision | undefined): void {
    try {
      if (events.length > 0) watch.sink.events(events);
      if (progress !== undefined && !watch.over) watch.sink.progress(progress);
    } catch (error) {
      this.fail(watch, error);
    }
  }

  /** Ends every watch. */
  endAll(reason: StorageWatchEnd): void {
    this.waiting.length = 0;
    this.endBefore(Infinity, reason);
  }

  /** Ends the watches that started before a revision. */
  endBefore(revision: Revision, reason: StorageWatchEnd): void {
    for (const watch of [...this.scanned, ...[...this.byPath.values()].flatMap((set) => [...set])]) {
      if (watch.from >= revision || watch.over) continue;
      this.remove(watch);
      endSink(watch.sink, reason);
    }
  }

  private deliver(event: StorageEvent): void {
    const batch = [event];
    if (this.scanned.size > 0) {
      for (const watch of this.scanned) {
        if (event.key.startsWith(watch.prefix)) this.hand(watch, batch, event.revision);
      }
    }
    if (this.byPath.size === 0) return;
    for (let slash = event.key.indexOf('/'); slash !== -1; slash = event.key.indexOf('/', slash + 1)) {
      const watches = this.byPath.get(event.key.slice(0, slash + 1));
      if (watches === undefined) continue;
      for (const watch of watches) this.hand(watch, batch, event.revision);
    }
  }

  private hand(watch: HubWatch, batch: readonly StorageEvent[], revision: Revision): void {
    if (revision <= watch.from || watch.over) return;
    try {
      watch.sink.events(batch);
    } catch (error) {
      this.fail(watch, error);
    }
  }

  private fail(watch: HubWatch, error: unknown): void {
    if (watch.over) return;
    this.remove(watch);
    endSink(watch.sink, { kind: 'failed', error });
  }
}

/** Tells a sink that its watch is over; one that throws even then hurts nobody else. */
export function endSink(sink: StorageWatchSink, reason: StorageWatchEnd): void {
  try {
    sink.end(reason);
  } catch {
    // The watch is over and the contract forbids the throw: there is nobody left to tell.
  }
}
