import { ApiError, errors, onAbort, shareTurn, type Clock, type Status, type Timer } from '../../foundation/index.js';
import { StorageError, type Revision, type StorageRecord } from '../../storage/index.js';
import type { StoredForm } from '../records/stored-form.js';
import type { InitialPace } from '../verbs/list-options.js';
import type { LogEvent, LogWatcher, WatchLogEnd, WatchStep } from './watch-log.js';

/** Type of an event on a watch stream. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** An event of an object. */
export interface ObjectNotice {
  readonly type: WatchEventType;
  /** The object. For DELETED, its last state at the revision of the event. */
  readonly record: StorageRecord;
  /** Revision of the event. It differs from the record's own when an object stopped matching a selector. */
  readonly revision: Revision;
  /**
   * The log event, shared by all watchers that get it; undefined for synthetic initial events.
   *
   * @internal
   */
  readonly source: LogEvent | undefined;
}

/** An event of a watch stream. */
export type WatchNotice =
  | ObjectNotice
  | { readonly type: 'BOOKMARK'; readonly revision: Revision; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

/**
 * Time between the last bookmark of a watch and its timeout, in milliseconds. The client resumes from that bookmark.
 */
const LAST_BOOKMARK_MS = 2_000;

/** Units of work of an initial record: to look at it, and to decide about it with a selector, per character of its text. */
const RECORD_UNITS = 4;
const FILTER_UNITS = 1 / 64;

/** Shares the turns of the event loop. */
const SHARED_PACE: InitialPace = {
  turn: () => shareTurn(),
  spend: (units) => units > RECORD_UNITS,
  measure: (step) => step(),
  end: () => undefined,
};

/** Returns whether the watcher selects the object of a record. @throws ApiError when the record cannot be read */
export type RecordFilter = (record: StorageRecord) => boolean;

/** The parts of a watch stream. */
export interface WatchStreamParts {
  readonly initial: AsyncIterable<readonly StorageRecord[]> | undefined;
  /** Revision of the initial state; sent in a bookmark when `announceInitialEnd` is set. */
  readonly initialRevision: Revision;
  /** The pace of the initial state; default a share of each turn of the event loop. */
  readonly initialPace?: InitialPace | undefined;
  readonly announceInitialEnd: boolean;
  /** Whether the client accepts bookmarks. It gets one {@link LAST_BOOKMARK_MS} before the timeout. */
  readonly bookmarks: boolean;
  readonly watcher: LogWatcher;
  readonly filter: RecordFilter | undefined;
  /** Returns whether a record cannot be read and is left out; absent: an unreadable record ends the watch. */
  readonly unreadable?: ((record: StorageRecord) => boolean) | undefined;
  /** Converts the records of an event; undefined when that need not wait. Absent for kinds that are never converted. */
  readonly prepare?: ((event: LogEvent) => Promise<LogEvent> | undefined) | undefined;
  readonly form: StoredForm;
  readonly clock: Clock;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the notice of an event for a watcher with a selector: an object that starts to match is ADDED, one that stops
 * is DELETED.
 *
 * @returns undefined when the event does not concern the watcher
 */
export function noticeOf(event: LogEvent, filter: RecordFilter | undefined): WatchNotice | undefined {
  const { record, previous, revision } = event;
  if (filter === undefined) {
    return {
      type: event.type === 'create' ? 'ADDED' : event.type === 'update' ? 'MODIFIED' : 'DELETED',
      record,
      revision,
      source: event,
    };
  }
  const before = previous !== undefined && filter(previous);
  if (event.type === 'delete') return before ? { type: 'DELETED', record, revision, source: event } : undefined;
  const after = filter(record);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', record, revision, source: event };
  return before && previous !== undefined ? { type: 'DELETED', record: previous, revision, source: event } : undefined;
}

/** Returns the Status of the ERROR event for a watch whose start is no longer in the history. */
export function expiredStatus(from: Revision, oldest: Revision): Status {
  return errors.expired(`too old resource version: ${from} (${oldest})`).status;
}

/** Returns the Status of the ERROR event for the end of a log; undefined when the log was closed. */
function endStatus(end: WatchLogEnd, from: Revision): Status | undefined {
  if (end.kind === 'closed' || end.kind === 'retired') return undefined;
  if (end.kind === 'expired') return expiredStatus(from, end.oldest);
  return errors.internal('the watch of the store failed').status;
}

/** Returns the Status of the ERROR event for an error. */
function problemStatus(error: unknown, from: Revision): Status {
  if (error instanceof ApiError) return error.status;
  const compacted = error instanceof StorageError && error.code === 'Compacted';
  return compacted
    ? expiredStatus(from, error.revision ?? from)
    : errors.internal('the watch of the store failed').status;
}

/**
 * A watch as a stream of notices. The reader pulls it, so a slow client slows only itself. It ends on timeout, on
 * abort, when the server closes, or after an ERROR.
 */
export class WatchStream implements AsyncIterableIterator<WatchNotice> {
  readonly #parts: WatchStreamParts;
  readonly #initial: AsyncIterator<readonly StorageRecord[]> | undefined;
  readonly #pace: InitialPace;
  #page: readonly StorageRecord[] = [];
  #pageAt = 0;
  #initialDone: boolean;
  #announce: boolean;
  #last: Revision;
  #over = false;
  /** Called when a reader that has nothing to read may read again. */
  #resume: (() => void) | undefined;
  /** The next event, whose records are being converted. */
  #preparing: Promise<LogEvent> | undefined;
  /** Ends the wait for the current step. */
  #abandon: (() => void) | undefined;
  #timer: Timer | undefined;
  #stopListening: (() => void) | undefined;
  readonly #abort = (): void => this.#finish();

  constructor(parts: WatchStreamParts) {
    this.#parts = parts;
    this.#initial = parts.initial?.[Symbol.asyncIterator]();
    this.#initialDone = parts.initial === undefined;
    this.#pace = parts.initialPace ?? SHARED_PACE;
    if (this.#initialDone) this.#pace.end();
    this.#announce = parts.announceInitialEnd;
    this.#last = parts.initialRevision;
    parts.watcher.wake = () => this.#wake();
    if (parts.timeoutMs !== undefined) this.#startTimer(parts.timeoutMs);
    if (parts.signal?.aborted) this.#finish();
    else this.#stopListening = onAbort(parts.signal, this.#abort);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next notice; waits for it. */
  async next(): Promise<IteratorResult<WatchNotice, undefined>> {
    while (!this.#over) {
      // A reader that takes each notice at once would otherwise keep the turn until it has read everything.
      let notice: WatchNotice | 'later' | undefined;
      try {
        const turn = this.#initialDone ? shareTurn() : this.#pace.turn();
        if (turn !== undefined) {
          await turn;
          continue;
        }
        const next = this.#initialDone ? this.#nextLogged() : this.#nextInitial();
        notice = next instanceof Promise ? await this.#untilOver(next) : next;
      } catch (error) {
        return { done: false, value: this.#failed(error) };
      }
      if (notice === 'later') await new Promise<void>((resolve) => (this.#resume = resolve));
      else if (notice !== undefined) return { done: false, value: notice };
    }
    return { done: true, value: undefined };
  }

  /**
   * Returns the next notice if it is there: a reader of many watches takes from each without a promise.
   *
   * @param ready called once after `later`, when another call may return more
   * @returns `later` when there is none yet; `next` when only {@link next} can tell: before the end of the initial state,
   *   at the end, when a conversion has to wait, and when the turn of the event loop is used up
   */
  take(ready: () => void): WatchNotice | 'later' | 'next' {
    const { prepare, watcher } = this.#parts;
    while (!this.#over && this.#initialDone && this.#preparing === undefined && shareTurn() === undefined) {
      try {
        const step = watcher.step();
        const preparing = step.kind === 'event' ? prepare?.(step.event) : undefined;
        if (preparing !== undefined) {
          // The reader may end the watch before it asks for the event.
          preparing.catch(() => undefined);
          this.#preparing = preparing;
          break;
        }
        const notice = step.kind === 'event' ? this.#noticeOf(step.event) : this.#noticeWithout(step);
        if (notice === 'later') this.#resume = ready;
        if (notice !== undefined) return notice;
      } catch (error) {
        return this.#failed(error);
      }
    }
    return 'next';
  }

  /** Ends the watch from the reader's side. */
  return(): Promise<IteratorResult<WatchNotice, undefined>> {
    this.#finish();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Uses one timer at a time: first for the last bookmark, if any, then for the timeout. */
  #startTimer(timeoutMs: number): void {
    const { clock, bookmarks, watcher } = this.#parts;
    const untilBookmark = timeoutMs - LAST_BOOKMARK_MS;
    if (!bookmarks || untilBookmark <= 0) {
      this.#timer = clock.after(timeoutMs, this.#abort);
      return;
    }
    this.#timer = clock.after(untilBookmark, () => {
      this.#timer = clock.after(LAST_BOOKMARK_MS, this.#abort);
      watcher.requestBookmark();
    });
  }

  /**
   * Returns the next object of the initial state without a wait: a reader makes the frames of several in one step.
   *
   * @returns undefined when only {@link next} can tell what follows
   * @throws what the next call of {@link next} reports as an ERROR
   */
  takeInitial(): ObjectNotice | undefined {
    const { filter, form, unreadable } = this.#parts;
    while (!this.#over && this.#pageAt < this.#page.length) {
      const record = this.#page[this.#pageAt] as StorageRecord;
      const mustPause = this.#pace.spend(RECORD_UNITS + (filter === undefined ? 0 : FILTER_UNITS * record.text.length));
      const isReadable = unreadable?.(record) !== true;
      if (isReadable) form.assertKnown(record);
      const isSelected = isReadable && (filter === undefined || filter(record));
      this.#pageAt += 1;
      if (isSelected) return { type: 'ADDED', record, revision: record.modRevision, source: undefined };
      if (mustPause) return undefined;
    }
    return undefined;
  }

  async #nextInitial(): Promise<WatchNotice | undefined> {
    const { initialRevision } = this.#parts;
    const notice = this.#pace.measure(() => this.takeInitial());
    if (notice !== undefined || this.#pageAt < this.#page.length) return notice;
    const page = await this.#initial?.next();
    if (page !== undefined && page.done !== true) {
      this.#page = page.value;
      this.#pageAt = 0;
      return undefined;
    }
    this.#initialDone = true;
    this.#pace.end();
    this.#page = [];
    if (!this.#announce) return undefined;
    this.#announce = false;
    return { type: 'BOOKMARK', revision: initialRevision, initialEventsEnd: true };
  }

  #nextLogged(): WatchNotice | 'later' | undefined | Promise<WatchNotice | undefined> {
    const { watcher, prepare } = this.#parts;
    let preparing = this.#preparing;
    this.#preparing = undefined;
    if (preparing === undefined) {
      const step = watcher.step();
      if (step.kind !== 'event') return this.#noticeWithout(step);
      preparing = prepare?.(step.event);
      if (preparing === undefined) return this.#noticeOf(step.event);
    }
    return preparing.then((event) => this.#noticeOf(event));
  }

  /** Returns the notice of a step without an event. */
  #noticeWithout(step: Exclude<WatchStep, { kind: 'event' }>): WatchNotice | 'later' | undefined {
    if (step.kind === 'wait') return 'later';
    if (step.kind === 'bookmark') return { type: 'BOOKMARK', revision: step.revision, initialEventsEnd: false };
    const status = endStatus(step.end, this.#last);
    this.#finish();
    return status === undefined ? undefined : { type: 'ERROR', status };
  }

  /** Ends the watch, and returns its last notice. */
  #failed(error: unknown): WatchNotice {
    this.#finish();
    return { type: 'ERROR', status: problemStatus(error, this.#parts.initialRevision) };
  }

  #noticeOf(event: LogEvent): WatchNotice | undefined {
    if (this.#parts.unreadable !== undefined) return this.#noticeIfReadable(event, this.#parts.unreadable);
    if (event.problem !== undefined) throw event.problem;
    this.#last = event.revision;
    return noticeOf(event, this.#parts.filter);
  }

  /** Returns the notice of an event for a watch that leaves out unreadable objects, which count as absent. */
  #noticeIfReadable(event: LogEvent, unreadable: (record: StorageRecord) => boolean): WatchNotice | undefined {
    this.#last = event.revision;
    if (unreadable(event.record)) return undefined;
    const { filter } = this.#parts;
    return noticeOf(event, filter && ((record) => matchesIfReadable(filter, record)));
  }

  /** Waits for a step, but not beyond the end of the watch: a conversion may take long. */
  #untilOver(step: Promise<WatchNotice | undefined>): Promise<WatchNotice | undefined> {
    if (this.#parts.prepare === undefined) return step;
    return new Promise((resolve, reject) => {
      this.#abandon = () => resolve(undefined);
      step.then(resolve, reject);
    });
  }

  #wake(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    if (!this.#initialDone) this.#pace.end();
    this.#timer?.cancel();
    this.#stopListening?.();
    this.#parts.watcher.stop();
    void this.#initial?.return?.().catch(() => undefined);
    this.#abandon?.();
    this.#wake();
  }
}

function matchesIfReadable(filter: RecordFilter, record: StorageRecord): boolean {
  try {
    return filter(record);
  } catch {
    return false;
  }
}

/** Returns a watch that has ended. */
export function endedWatch(): AsyncIterableIterator<WatchNotice> {
  return {
    next: () => Promise.resolve({ done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Returns a watch that consists of one ERROR event. */
export async function* failedWatch(status: Status): AsyncGenerator<WatchNotice> {
  yield { type: 'ERROR', status };
}
