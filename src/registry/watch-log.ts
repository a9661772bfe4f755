/**
 * The watch log: what happened to the objects of one kind, once, for everybody who watches.
 *
 * A watcher is a place in the log, not a queue: memory does not grow with watchers, and one that falls off the end is
 * told so. Watchers of one namespace or one name stand in an index, so that an event touches only whom it concerns.
 *
 * @module
 */
import type { Clock, Timer } from '../meta/clock.js';
import type { ApiError } from '../meta/api-error.js';
import type { HistoryBudget, HistoryHolder } from '../storage/history-budget.js';
import type { Revision, Storage, StorageEvent, StorageRecord, StorageWatch } from '../storage/storage.js';
import type { StoredForm } from './stored-form.js';

/** One write, as watchers share it. */
export interface LogEvent {
  readonly type: StorageEvent['type'];
  readonly key: string;
  readonly revision: Revision;
  readonly record: StorageRecord;
  readonly previous: StorageRecord | undefined;
  /** What watchers are told in its place, when it is of an object that cannot be read. */
  readonly problem: ApiError | undefined;
  /** Bytes that were made for one watcher and serve every other one who wants the same form; undefined when there are none. */
  frame(form: string): Uint8Array | undefined;
  /** Keeps bytes for other watchers, as long as the event is kept. */
  keepFrame(form: string, bytes: Uint8Array): void;
}

/** Bytes of a kept frame besides its own, and those of its form's name. */
const FRAME_BYTES = 200;

/** An event in a log, which counts its frames against the budget. */
class KeptEvent implements LogEvent {
  readonly type: StorageEvent['type'];
  readonly key: string;
  readonly revision: Revision;
  readonly record: StorageRecord;
  readonly previous: StorageRecord | undefined;
  readonly problem: ApiError | undefined;
  #frames: Map<string, Uint8Array> | undefined;
  /** Undefined when the log has let go of the event. */
  #budget: HistoryBudget | undefined;

  constructor(
    { type, key, revision, record, previous }: StorageEvent,
    problem: ApiError | undefined,
    budget: HistoryBudget,
  ) {
    this.type = type;
    this.key = key;
    this.revision = revision;
    this.record = record;
    this.previous = previous;
    this.problem = problem;
    this.#budget = budget;
    budget.hold(this);
  }

  frame(form: string): Uint8Array | undefined {
    return this.#frames?.get(form);
  }

  keepFrame(form: string, bytes: Uint8Array): void {
    if (this.#budget === undefined) return;
    (this.#frames ??= new Map()).set(form, bytes);
    this.#budget.holdBytes(FRAME_BYTES + bytes.length);
    this.#budget.relieve();
  }

  /** Is of the log no more. */
  letGo(): void {
    const budget = this.#budget;
    this.#budget = undefined;
    budget?.release(this);
    for (const { length } of this.#frames?.values() ?? []) budget?.holdBytes(-FRAME_BYTES - length);
  }
}

/** How far a log reaches back. */
export interface WatchLogOptions {
  readonly storage: Storage;
  readonly prefix: string;
  readonly clock: Clock;
  /** Events older than this are forgotten, in milliseconds. */
  readonly historyMs: number;
  /** The most events that are kept. */
  readonly maxEvents: number;
  /** What the events count against; when it is used up, the oldest are forgotten. */
  readonly history: HistoryBudget;
  /** Bookmarks are due so often, in milliseconds. */
  readonly bookmarkIntervalMs: number;
  /** In which kind and version the objects are stored. */
  readonly form: StoredForm;
}

/** Why a watch cannot go on. */
export type WatchLogEnd =
  | { readonly kind: 'expired'; readonly oldest: Revision }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** What a watcher finds when it looks. */
export type WatchStep =
  | { readonly kind: 'event'; readonly event: LogEvent }
  | { readonly kind: 'bookmark'; readonly revision: Revision }
  | { readonly kind: 'wait' }
  | { readonly kind: 'end'; readonly end: WatchLogEnd };

const WAIT: WatchStep = { kind: 'wait' };

/** Events in order, whose oldest can be taken off; positions are counted from the first event ever. */
class EventDeque {
  #events: (KeptEvent | undefined)[] = [];
  #offset = 0;
  /** Position of the oldest event that is kept. */
  base = 0;

  /** Position behind the newest event. */
  get end(): number {
    return this.base + this.#events.length - this.#offset;
  }

  at(position: number): KeptEvent | undefined {
    return this.#events[position - this.base + this.#offset];
  }

  push(event: KeptEvent): void {
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

/** The events that one set of watchers wants: all of them, those of a namespace, or those of a name. */
class Scope {
  readonly events = new EventDeque();
  waiting: LogWatcher[] = [];
  watchers = 0;
}

/** Whom a watch is about. Empty strings are wildcards; a name needs its namespace where the kind has namespaces. */
export interface WatchScope {
  /** Storage prefix of a namespace's objects, or undefined for all. */
  readonly rangePrefix: string | undefined;
  /** Storage key of the one object, or undefined for many. */
  readonly key: string | undefined;
}

/** A place in the log. {@link LogWatcher.step} never blocks; {@link LogWatcher.wake} is called when it is worth another look. */
export class LogWatcher {
  #position: number;
  #delivered: Revision;
  #bookmarkTurn: number;
  /** A bookmark is due whatever the turn. */
  #bookmarkRequested = false;
  #waiting = false;
  /** Called at most once after each `wait`. */
  wake: () => void = () => {};

  constructor(
    private readonly log: WatchLog,
    private readonly scope: Scope,
    private readonly scopeKey: string,
    private backlog: number,
    private readonly backlogEnd: number,
    private readonly target: WatchScope,
    /** What happened up to here is not for this watcher. Behind it several events may share a revision. */
    private readonly from: Revision,
    private readonly bookmarks: boolean,
  ) {
    this.#position = scope.events.end;
    this.#delivered = from;
    this.#bookmarkTurn = log.bookmarkTurn;
  }

  /** The next thing to tell the client. */
  step(): WatchStep {
    const { end } = this.log;
    if (end !== undefined) return { kind: 'end', end };
    const event = this.#next();
    if (event === 'lost') return { kind: 'end', end: { kind: 'expired', oldest: this.log.oldest } };
    if (event !== undefined) {
      this.#delivered = event.revision;
      return { kind: 'event', event };
    }
    if (this.bookmarks && (this.#bookmarkRequested || this.#bookmarkTurn !== this.log.bookmarkTurn)) {
      this.#bookmarkTurn = this.log.bookmarkTurn;
      this.#bookmarkRequested = false;
      // A watch from a version of the future has nothing to mark before that has come.
      if (this.log.synced >= this.#delivered) {
        this.#delivered = this.log.synced;
        return { kind: 'bookmark', revision: this.#delivered };
      }
    }
    if (!this.#waiting) this.scope.waiting.push(this);
    this.#waiting = true;
    return WAIT;
  }

  /** Called by the log when the watcher has been taken off the list of those that wait. */
  awake(): void {
    this.#waiting = false;
    this.wake();
  }

  /** Makes a bookmark the next thing to tell once every event is told. */
  requestBookmark(): void {
    this.#bookmarkRequested = true;
    this.log.requestProgress();
    this.wake();
  }

  /** Takes the watcher off the log. */
  stop(): void {
    const at = this.#waiting ? this.scope.waiting.indexOf(this) : -1;
    if (at >= 0) this.scope.waiting.splice(at, 1);
    this.log.release(this.scope, this.scopeKey, this.bookmarks);
  }

  #next(): LogEvent | 'lost' | undefined {
    while (this.backlog < this.backlogEnd) {
      if (this.backlog < this.log.all.events.base) return 'lost';
      const event = this.log.all.events.at(this.backlog);
      this.backlog += 1;
      if (event !== undefined && event.revision > this.from && this.#concerns(event)) return event;
    }
    const { events } = this.scope;
    while (this.#position < events.end) {
      if (this.#position < events.base) return 'lost';
      const event = events.at(this.#position);
      this.#position += 1;
      if (event !== undefined && event.revision > this.from) return event;
    }
    return undefined;
  }

  #concerns(event: LogEvent): boolean {
    const { key, rangePrefix } = this.target;
    if (key !== undefined) return event.key === key;
    return rangePrefix === undefined || event.key.startsWith(rangePrefix);
  }
}

/** The log of one kind. Made with the kind's first watcher, and fed by one storage watch. */
export class WatchLog implements HistoryHolder {
  readonly all = new Scope();
  readonly #scopes = new Map<string, Scope>();
  readonly #times: number[] = [];
  #timesOffset = 0;
  readonly #options: WatchLogOptions;
  readonly #leaveBudget: () => void;
  #watch: StorageWatch | undefined;
  #bookmarkTimer: Timer | undefined;
  #bookmarkWatchers = 0;
  /** Everything up to this revision is in the log. */
  synced: Revision;
  /** A watch may start from this revision or a later one. */
  oldest: Revision;
  /** Goes up each time bookmarks are due. */
  bookmarkTurn = 0;
  end: WatchLogEnd | undefined;

  private constructor(options: WatchLogOptions, from: Revision) {
    this.#options = options;
    this.synced = from;
    this.oldest = from;
    this.#leaveBudget = options.history.join(this);
  }

  /** A log that reaches back as far as the store does. */
  static async open(options: WatchLogOptions): Promise<WatchLog> {
    const from = await options.storage.compactedRevision();
    const log = new WatchLog(options, from);
    log.#watch = options.storage.watch(options.prefix, from, {
      events: (events) => log.#append(events),
      progress: (revision) => log.#progress(revision),
      end: (reason) =>
        log.#finish(reason.kind === 'compacted' ? { kind: 'expired', oldest: reason.compactRevision } : reason),
    });
    log.requestProgress();
    return log;
  }

  /** Revision of the oldest event. */
  get oldestHeld(): Revision | undefined {
    const { events } = this.all;
    return events.at(events.base)?.revision;
  }

  /** Forgets the events up to a revision, because the budget is used up. */
  forgetUpTo(revision: Revision): void {
    while ((this.oldestHeld ?? Infinity) <= revision) this.#dropOldest();
  }

  /** Number of watchers, for tests and metrics. */
  get watchers(): number {
    let count = this.all.watchers;
    for (const scope of this.#scopes.values()) count += scope.watchers;
    return count;
  }

  /**
   * A watcher of what happens after `from`.
   *
   * @returns undefined when the log does not reach back so far
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
    return new LogWatcher(this, scope, scopeKey, backlog, backlogEnd, target, from, bookmarks);
  }

  /** Asks the store how far everything has been told. */
  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  /** Called by a watcher that stops. */
  release(scope: Scope, scopeKey: string, bookmarks: boolean): void {
    scope.watchers -= 1;
    if (scope.watchers === 0 && scopeKey !== '') this.#scopes.delete(scopeKey);
    if (bookmarks) {
      this.#bookmarkWatchers -= 1;
      if (this.#bookmarkWatchers === 0) {
        this.#bookmarkTimer?.cancel();
        this.#bookmarkTimer = undefined;
      }
    }
  }

  /** Ends every watch. */
  close(): void {
    this.#bookmarkTimer?.cancel();
    // The watchers first, whatever the engine does.
    this.#finish({ kind: 'closed' });
    this.#watch?.stop();
  }

  #append(events: readonly StorageEvent[]): void {
    const { clock, form, history } = this.#options;
    const now = clock.now();
    for (const written of events) {
      const { key, revision } = written;
      const event = new KeptEvent(written, form.problemOf(written.record), history);
      this.synced = revision;
      this.#times.push(now);
      this.all.events.push(event);
      const namespaced = this.#scopes.size === 0 ? undefined : this.#scopes.get(key.slice(0, key.lastIndexOf('/') + 1));
      const named = this.#scopes.size === 0 ? undefined : this.#scopes.get(key);
      namespaced?.events.push(event);
      named?.events.push(event);
      wakeAll(this.all);
      if (namespaced !== undefined) wakeAll(namespaced);
      if (named !== undefined) wakeAll(named);
    }
    this.#forgetOld();
    history.relieve();
  }

  #progress(revision: Revision): void {
    if (revision > this.synced) this.synced = revision;
  }

  #finish(end: WatchLogEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.#leaveBudget();
    while (this.all.events.base < this.all.events.end) this.#dropOldest();
    wakeAll(this.all);
    for (const scope of this.#scopes.values()) wakeAll(scope);
  }

  #forgetOld(): void {
    const { clock, historyMs, maxEvents } = this.#options;
    const limit = clock.now() - historyMs;
    const { events } = this.all;
    while (
      events.base < events.end &&
      ((this.#times[this.#timesOffset] as number) < limit || events.end - events.base > maxEvents)
    )
      this.#dropOldest();
  }

  #dropOldest(): void {
    const { events } = this.all;
    const event = events.at(events.base);
    events.shift();
    this.#forgetTime();
    if (event === undefined) return;
    event.letGo();
    this.#forgetInScopes(event);
  }

  #forgetTime(): void {
    this.#timesOffset += 1;
    if (this.#timesOffset > 1024 && this.#timesOffset * 2 > this.#times.length) {
      this.#times.splice(0, this.#timesOffset);
      this.#timesOffset = 0;
    }
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

  /** Position of the first event after a revision, by bisection. */
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
      wakeAll(this.all);
      for (const scope of this.#scopes.values()) wakeAll(scope);
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
