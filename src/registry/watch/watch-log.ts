/**
 * The watch log: the events of one kind, kept once for all watchers.
 *
 * A watcher is a position in the log, not a queue, so memory does not grow with the number of watchers. A watcher that
 * falls behind the oldest event gets an `expired` end, and one that comes to an event that cannot be read a `failed` one:
 * it can be resumed there once the event can be read. An index holds the watchers of one namespace or one name, so an
 * event wakes only the watchers that it concerns.
 *
 * @module
 */
import { repeatInTurns, type Clock, type Timer } from '../../foundation/index.js';
import {
  HistoryTimer,
  type HistoryHolder,
  type MemoryBudget,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageWatch,
  unreadableIn,
} from '../../storage/index.js';
import type { StoredForm } from '../records/stored-form.js';
import { EventAges } from './event-ages.js';
import { BudgetedEvent, type LogEvent } from './log-event.js';

/** Options of a watch log. */
export interface WatchLogOptions {
  readonly storage: Storage;
  readonly prefix: string;
  readonly clock: Clock;
  /** Maximum age of events, in milliseconds. */
  readonly historyMs: number;
  /** Maximum number of events. */
  readonly maxEvents: number;
  /** Budget that the events count against. When it is exceeded, the oldest events are dropped. */
  readonly history: MemoryBudget;
  /** Bookmark interval, in milliseconds. */
  readonly bookmarkIntervalMs: number;
  /** The kind and version in which the objects are stored. */
  readonly form: StoredForm;
  /** Called when a watcher is ended because it fell behind the oldest event. */
  readonly onLost?: (() => void) | undefined;
}

/** The reason why a watch ends. */
export type WatchLogEnd =
  | { readonly kind: 'expired'; readonly oldest: Revision }
  /** The server or the storage closes. */
  | { readonly kind: 'closed' }
  /** The kind was replaced or is no longer served. */
  | { readonly kind: 'retired' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Result of one step of a watcher. */
export type WatchStep =
  | { readonly kind: 'event'; readonly event: LogEvent }
  | { readonly kind: 'bookmark'; readonly revision: Revision }
  | { readonly kind: 'wait' }
  | { readonly kind: 'end'; readonly end: WatchLogEnd };

const WAIT: WatchStep = { kind: 'wait' };

/** A queue of events. Positions count from the first event ever added. */
class EventDeque {
  #events: (BudgetedEvent | undefined)[] = [];
  #offset = 0;
  /** Position of the oldest kept event. */
  base = 0;

  /** Position after the newest event. */
  get end(): number {
    return this.base + this.#events.length - this.#offset;
  }

  at(position: number): BudgetedEvent | undefined {
    return this.#events[position - this.base + this.#offset];
  }

  push(event: BudgetedEvent): void {
    this.#events.push(event);
  }

  shift(): void {
    this.#events[this.#offset] = undefined;
    this.#offset += 1;
    this.base += 1;
    if (this.#offset > 1024 && this.#offset * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#offset);
      this.#offset = 0;
    }
  }
}

/** The events of one set of watchers: all events, those of a namespace, or those of a name. */
class Scope {
  readonly events = new EventDeque();
  waiting: LogWatcher[] = [];
  watchers = 0;
}

/** The objects that a watch selects. Undefined members match everything. */
export interface WatchScope {
  /** Storage prefix of a namespace's objects; undefined for all namespaces. */
  readonly rangePrefix: string | undefined;
  /** Storage key of a single object; undefined for many. */
  readonly key: string | undefined;
}

/** The parameters of a {@link LogWatcher}. */
interface LogWatcherParts {
  readonly log: WatchLog;
  readonly scope: Scope;
  /** Key of the scope in the log's index; empty for all events. */
  readonly scopeKey: string;
  /** Position of the first event in the log that the watcher still has to check. */
  readonly backlog: number;
  /** Position after the last event of the backlog. Later events come from the scope. */
  readonly backlogEnd: number;
  readonly target: WatchScope;
  /** The watcher skips events up to this revision. Several later events may share one revision. */
  readonly from: Revision;
  readonly bookmarks: boolean;
}

/**
 * A position in the log. {@link LogWatcher.step} never blocks. The log calls {@link LogWatcher.wake} when another step
 * may return more.
 */
export class LogWatcher {
  readonly #parts: LogWatcherParts;
  /** Position of the next event of the backlog. */
  #backlog: number;
  #position: number;
  #delivered: Revision;
  #bookmarkTurn: number;
  /** Whether a bookmark is due regardless of the turn. */
  #bookmarkRequested = false;
  #waiting = false;
  /** Whether it ends after the events so far. */
  #isClosing = false;
  /** Called at most once after each `wait`. */
  wake: () => void = () => {};

  constructor(parts: LogWatcherParts) {
    this.#parts = parts;
    this.#backlog = parts.backlog;
    this.#position = parts.scope.events.end;
    this.#delivered = parts.from;
    this.#bookmarkTurn = parts.log.bookmarkTurn;
  }

  /** Whether there are events left that the log had when the watcher began. */
  get isReplaying(): boolean {
    return this.#backlog < this.#parts.backlogEnd;
  }

  /** Returns the next step for the client. */
  step(): WatchStep {
    const { log, scope, bookmarks } = this.#parts;
    if (log.end !== undefined && log.isCut) return { kind: 'end', end: log.end };
    const event = this.#next();
    if (event === 'lost') {
      log.lost();
      return { kind: 'end', end: { kind: 'expired', oldest: log.oldest } };
    }
    if (event !== undefined) {
      const error = unreadableIn(event);
      if (error !== undefined) return { kind: 'end', end: { kind: 'failed', error } };
      this.#delivered = event.revision;
      return { kind: 'event', event };
    }
    if (log.end !== undefined || this.#isClosing) return this.#lastStep(log.end ?? { kind: 'closed' });
    if (bookmarks && (this.#bookmarkRequested || this.#bookmarkTurn !== log.bookmarkTurn)) {
      this.#bookmarkTurn = log.bookmarkTurn;
      this.#bookmarkRequested = false;
      // A watch from a future version gets no bookmark before the store reaches that version.
      if (log.synced >= this.#delivered) {
        this.#delivered = log.synced;
        return { kind: 'bookmark', revision: this.#delivered };
      }
    }
    if (!this.#waiting) scope.waiting.push(this);
    this.#waiting = true;
    return WAIT;
  }

  /** Before the server closes, a client gets a bookmark, so that it resumes elsewhere without the events it has seen. */
  #lastStep(end: WatchLogEnd): WatchStep {
    const { log, bookmarks } = this.#parts;
    if (end.kind !== 'closed' || !bookmarks || log.synced <= this.#delivered) return { kind: 'end', end };
    this.#delivered = log.synced;
    return { kind: 'bookmark', revision: this.#delivered };
  }

  /** Called by the log after it has removed the watcher from the waiting list. */
  awake(): void {
    this.#waiting = false;
    this.wake();
  }

  /** Requests a bookmark after all pending events. */
  requestBookmark(): void {
    this.#bookmarkRequested = true;
    this.#parts.log.requestProgress();
    this.wake();
  }

  /** Ends the watch after the events so far and a last bookmark, as {@link WatchLog.close} ends all. */
  close(): void {
    this.#isClosing = true;
    this.wake();
  }

  /** Removes the watcher from the log. */
  stop(): void {
    const { log, scope, scopeKey, bookmarks } = this.#parts;
    const at = this.#waiting ? scope.waiting.indexOf(this) : -1;
    if (at >= 0) scope.waiting.splice(at, 1);
    log.release(this, scope, scopeKey, bookmarks);
  }

  #next(): LogEvent | 'lost' | undefined {
    const { log, scope, backlogEnd, from } = this.#parts;
    while (this.#backlog < backlogEnd) {
      if (this.#backlog < log.all.events.base) {
        if (this.#needsDropped()) return 'lost';
        this.#backlog = log.all.events.base;
        continue;
      }
      const event = log.all.events.at(this.#backlog);
      this.#backlog += 1;
      if (event !== undefined && event.revision > from && this.#concerns(event)) return event;
    }
    const { events } = scope;
    while (this.#position < events.end) {
      if (this.#position < events.base) {
        if (this.#needsDropped()) return 'lost';
        this.#position = events.base;
        continue;
      }
      const event = events.at(this.#position);
      this.#position += 1;
      if (event !== undefined && event.revision > from) return event;
    }
    return undefined;
  }

  /** Returns whether the log has dropped events after the start; a log that still gets its past drops earlier ones. */
  #needsDropped(): boolean {
    return this.#parts.from < this.#parts.log.oldest;
  }

  #concerns(event: LogEvent): boolean {
    const { key, rangePrefix } = this.#parts.target;
    if (key !== undefined) return event.key === key;
    return rangePrefix === undefined || event.key.startsWith(rangePrefix);
  }
}

/** The log of one kind. It is opened for the kind's first watcher and fed by one storage watch. */
export class WatchLog implements HistoryHolder {
  readonly all = new Scope();
  readonly #scopes = new Map<string, Scope>();
  readonly #options: WatchLogOptions;
  readonly #ages: EventAges;
  readonly #historyTimer: HistoryTimer;
  readonly #leaveBudget: () => void;
  readonly #watchers = new Set<LogWatcher>();
  #watch: StorageWatch | undefined;
  #bookmarkTimer: Timer | undefined;
  #bookmarkWatchers = 0;
  /** Whether many events are being dropped. */
  #dropping = false;
  /** The log contains every event up to this revision. */
  synced: Revision;
  /** Oldest revision from which a watch may start. */
  oldest: Revision;
  /** Incremented each time bookmarks are due. */
  bookmarkTurn = 0;
  end: WatchLogEnd | undefined;
  /** Whether it ended without its events: watchers end at once. Otherwise they get the events so far before the end. */
  isCut = false;

  private constructor(options: WatchLogOptions, from: Revision) {
    this.#options = options;
    this.synced = from;
    this.oldest = from;
    this.#ages = new EventAges(options.historyMs);
    this.#historyTimer = new HistoryTimer(options.clock, this.#ages, () => this.#forgetOld());
    this.#historyTimer.start();
    this.#leaveBudget = options.history.join(this);
  }

  /** Opens a log that starts at the oldest revision of the store. */
  static async open(options: WatchLogOptions): Promise<WatchLog> {
    const from = await options.storage.compactedRevision();
    const log = new WatchLog(options, from);
    log.#watch = options.storage.watch(options.prefix, from, {
      acceptsUnreadable: true,
      events: (events) => log.#append(events),
      progress: (revision) => log.#progress(revision),
      end: (reason) =>
        log.#finish(reason.kind === 'compacted' ? { kind: 'expired', oldest: reason.compactRevision } : reason),
    });
    log.requestProgress();
    return log;
  }

  /** Revision of the oldest event; undefined when the log is empty. */
  get oldestRevision(): Revision | undefined {
    const { events } = this.all;
    return events.at(events.base)?.revision;
  }

  /** Drops the events up to a revision, because the budget is exceeded. */
  dropUpTo(revision: Revision): void {
    while ((this.oldestRevision ?? Infinity) <= revision) this.#dropOldest();
    this.#historyTimer.changed();
  }

  /** Reports that a watcher fell behind. */
  lost(): void {
    this.#options.onLost?.();
  }

  /** The current watchers. */
  get watchers(): ReadonlySet<LogWatcher> {
    return this.#watchers;
  }

  /**
   * Returns a watcher of the events after `from`.
   *
   * @returns undefined when the log does not contain that revision any more
   */
  watch(target: WatchScope, from: Revision, bookmarks: boolean): LogWatcher | undefined {
    this.#forgetOld();
    if (from < this.oldest) return undefined;
    const scopeKey = target.key ?? target.rangePrefix ?? '';
    let scope = scopeKey === '' ? this.all : this.#scopes.get(scopeKey);
    if (scope === undefined) this.#scopes.set(scopeKey, (scope = new Scope()));
    scope.watchers += 1;
    if (bookmarks) this.#wantBookmarks();
    const backlogEnd = this.all.events.end;
    const backlog = from >= this.synced ? backlogEnd : this.#positionAfter(from);
    const watcher = new LogWatcher({ log: this, scope, scopeKey, backlog, backlogEnd, target, from, bookmarks });
    this.#watchers.add(watcher);
    return watcher;
  }

  /** Asks the storage to report its progress. */
  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  /** Removes a stopped watcher. */
  release(watcher: LogWatcher, scope: Scope, scopeKey: string, bookmarks: boolean): void {
    this.#watchers.delete(watcher);
    scope.watchers -= 1;
    if (scope.watchers === 0 && scopeKey !== '') this.#scopes.delete(scopeKey);
    if (bookmarks) {
      this.#bookmarkWatchers -= 1;
      if (this.#bookmarkWatchers === 0) {
        this.#bookmarkTimer?.cancel();
        this.#bookmarkTimer = undefined;
      }
    }
    if (this.end !== undefined && !this.isCut && this.#watchers.size === 0) this.#dropAll();
  }

  /** Ends every watch after the events so far, because the kind is no longer served as it was. */
  retire(): void {
    this.#endAfterEvents({ kind: 'retired' });
  }

  /** Ends every watch after the events so far and a last bookmark, because the server closes. */
  close(): void {
    this.#endAfterEvents({ kind: 'closed' });
  }

  #endAfterEvents(end: WatchLogEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.#bookmarkTimer?.cancel();
    this.#historyTimer.close();
    // Wakes the watchers first, since the engine may fail.
    if (this.#watchers.size === 0) this.#dropAll();
    else this.#wakeAll();
    this.#watch?.stop();
  }

  #append(events: readonly StorageEvent[]): void {
    const { clock, form, history } = this.#options;
    const now = clock.now();
    for (const written of events) {
      const { key, revision } = written;
      const event = new BudgetedEvent(written, form, history);
      this.synced = revision;
      this.#ages.add(now, event.bytes);
      this.all.events.push(event);
      const namespaced = this.#scopes.size === 0 ? undefined : this.#scopes.get(key.slice(0, key.lastIndexOf('/') + 1));
      const named = this.#scopes.size === 0 ? undefined : this.#scopes.get(key);
      namespaced?.events.push(event);
      named?.events.push(event);
      wakeAll(this.all);
      if (namespaced !== undefined) wakeAll(namespaced);
      if (named !== undefined) wakeAll(named);
    }
    this.#historyTimer.changed();
    this.#forgetOld();
    history.enforceLimit();
  }

  #progress(revision: Revision): void {
    if (revision > this.synced) this.synced = revision;
  }

  #finish(end: WatchLogEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.isCut = true;
    this.#dropAll();
    this.#wakeAll();
  }

  #dropAll(): void {
    this.#leaveBudget();
    this.#historyTimer.close();
    void repeatInTurns(() => this.all.events.base < this.all.events.end && this.#dropOldest());
  }

  #wakeAll(): void {
    wakeAll(this.all);
    for (const scope of this.#scopes.values()) wakeAll(scope);
  }

  #forgetOld(): void {
    if (this.#dropping) return;
    const { clock, historyMs, maxEvents } = this.#options;
    const ages = this.#ages;
    const limit = clock.now() - historyMs;
    const isOld = (): boolean => (ages.oldestTime ?? Infinity) < limit || ages.size > maxEvents;
    const rest = repeatInTurns(() => isOld() && this.#dropOldest());
    if (rest === undefined) return this.#historyTimer.changed();
    this.#dropping = true;
    void rest.then(() => {
      this.#dropping = false;
      this.#historyTimer.changed();
    });
  }

  /** Drops the oldest event and returns true. */
  #dropOldest(): boolean {
    const { events } = this.all;
    const event = events.at(events.base);
    events.shift();
    this.#ages.removeOldest(event?.bytes ?? 0);
    if (event === undefined) return true;
    event.release();
    this.#forgetInScopes(event);
    return true;
  }

  #forgetInScopes(event: LogEvent): void {
    this.oldest = event.revision;
    if (this.#scopes.size === 0) return;
    for (const scopeKey of [event.key, event.key.slice(0, event.key.lastIndexOf('/') + 1)]) {
      const scope = this.#scopes.get(scopeKey);
      if (scope !== undefined && scope.events.base < scope.events.end && scope.events.at(scope.events.base) === event)
        scope.events.shift();
    }
  }

  /** Returns the position of the first event after a revision, by binary search. */
  #positionAfter(revision: Revision): number {
    const { events } = this.all;
    let low = events.base;
    let high = events.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((events.at(middle)?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #wantBookmarks(): void {
    this.#bookmarkWatchers += 1;
    if (this.#bookmarkTimer === undefined) this.#armBookmarks();
  }

  #armBookmarks(): void {
    this.#bookmarkTimer = this.#options.clock.after(this.#options.bookmarkIntervalMs, () => {
      this.bookmarkTurn += 1;
      this.requestProgress();
      this.#wakeAll();
      this.#armBookmarks();
    });
  }
}

function wakeAll(scope: Scope): void {
  if (scope.waiting.length === 0) return;
  const { waiting } = scope;
  scope.waiting = [];
  for (const watcher of waiting) watcher.awake();
}
