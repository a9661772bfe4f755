import { ApiError, errors, onAbort, shareTurn, type Clock, type Status, type Timer } from '../../foundation/index.js';
import {
  lengthOfText,
  StorageError,
  unitsToRead,
  UnreadableValueError,
  type Revision,
  type StorageRecord,
} from '../../storage/index.js';
import type { StoredForm } from '../records/stored-form.js';
import type { InitialPace } from '../verbs/list-options.js';
import type { LogEvent } from './log-event.js';
import type { LogWatcher, WatchLogEnd, WatchStep } from './watch-log.js';

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

/** Units of work of a former record: to look at it, and to decide about it with a selector, per character of its text. */
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
  /**
   * The pace of the initial state, and of the events that the log has when the watch begins; default a share of each turn
   * of the event loop.
   */
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
export function noticeOf(event: LogEvent, filter: RecordFilter | undefined): ObjectNotice | undefined {
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
  return failureStatus(end.error);
}

/** Returns the Status of the ERROR event for a failure of the storage. Only that of a value is told. */
const failureStatus = (error: unknown): Status =>
  errors.internal(error instanceof UnreadableValueError ? error.message : 'the watch of the store failed').status;

/** Returns the Status of the ERROR event for an error. */
function problemStatus(error: unknown, from: Revision): Status {
  if (error instanceof ApiError) return error.status;
  const compacted = error instanceof StorageError && error.code === 'Compacted';
  return compacted ? expiredStatus(from, error.revision ?? from) : failureStatus(error);
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
  /** Whether the pace has ended. */
  #isUpToDate = false;
  /** A step of the watcher that was taken and not handed out. */
  #step: WatchStep | undefined;
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
    this.#endPace();
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
        const turn = this.#isUpToDate ? shareTurn() : this.#pace.turn();
        if (turn !== undefined) {
          await turn;
          continue;
        }
        const next = this.#isUpToDate ? this.#nextLogged() : this.#nextFormer();
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
   * @returns `later` when there is none yet; `next` when only {@link next} can tell: while the watch {@link isPaced},
   *   at the end, when a conversion has to wait, and when the turn of the event loop is used up
   */
  take(ready: () => void): WatchNotice | 'later' | 'next' {
    while (!this.#over && this.#isUpToDate && this.#preparing === undefined && shareTurn() === undefined) {
      try {
        const step = this.#nextStep();
        if (step.kind === 'event' && this.#mustPrepare(step.event)) break;
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

  /** Whether the watch gets what was there when it began, at its pace. */
  get isPaced(): boolean {
    return !this.#isUpToDate;
  }

  /**
   * Returns the next object of the initial state, or the next event that the log had when the watch began, without a
   * wait: a reader makes the frames of several in one step.
   *
   * @returns undefined when only {@link next} can tell what follows
   * @throws what the next call of {@link next} reports as an ERROR
   */
  takeFormer(): ObjectNotice | undefined {
    return this.#initialDone ? this.#takeReplayed() : this.#takeInitial();
  }

  #takeInitial(): ObjectNotice | undefined {
    const { filter, form, unreadable } = this.#parts;
    while (!this.#over && this.#pageAt < this.#page.length) {
      const record = this.#page[this.#pageAt] as StorageRecord;
      const mustPause = this.#pace.spend(this.#unitsOf(record));
      const isReadable = unreadable?.(record) !== true;
      if (isReadable) form.assertKnown(record);
      const isSelected = isReadable && (filter === undefined || filter(record));
      this.#pageAt += 1;
      if (isSelected) return { type: 'ADDED', record, revision: record.modRevision, source: undefined };
      if (mustPause) return undefined;
    }
    return undefined;
  }

  #takeReplayed(): ObjectNotice | undefined {
    const { watcher } = this.#parts;
    while (!this.#over && watcher.isReplaying && this.#step === undefined && this.#preparing === undefined) {
      const step = watcher.step();
      // There may be more by the next look.
      if (step.kind === 'wait') return undefined;
      // It is left to `next()`, also when the event throws.
      this.#step = step;
      if (step.kind !== 'event') return undefined;
      if (this.#mustPrepare(step.event)) return undefined;
      const mustPause = this.#pace.spend(this.#unitsOf(step.event.record));
      const notice = this.#noticeOf(step.event);
      this.#step = undefined;
      if (notice !== undefined) return notice;
      if (mustPause) return undefined;
    }
    return undefined;
  }

  #unitsOf(record: StorageRecord): number {
    const ofFilter = this.#parts.filter === undefined ? 0 : FILTER_UNITS * lengthOfText(record);
    return RECORD_UNITS + unitsToRead(record) + ofFilter;
  }

  /** Returns the next notice of what was there when the watch began. */
  #nextFormer(): WatchNotice | 'later' | undefined | Promise<WatchNotice | undefined> {
    const notice = this.#pace.measure(() => this.takeFormer());
    if (notice !== undefined) return notice;
    if (!this.#initialDone) return this.#pageAt < this.#page.length ? undefined : this.#nextPage();
    // A step that was left, or an event whose records are being converted.
    const isLogged = this.#step !== undefined || this.#preparing !== undefined;
    const logged = isLogged ? this.#nextLogged() : undefined;
    this.#endPace();
    return logged;
  }

  /** Reads the next page of the initial state. After the last one, returns the bookmark that announces its end. */
  async #nextPage(): Promise<WatchNotice | undefined> {
    const page = await this.#initial?.next();
    if (page !== undefined && page.done !== true) {
      this.#page = page.value;
      this.#pageAt = 0;
      return undefined;
    }
    this.#initialDone = true;
    this.#endPace();
    this.#page = [];
    if (!this.#announce) return undefined;
    this.#announce = false;
    return { type: 'BOOKMARK', revision: this.#parts.initialRevision, initialEventsEnd: true };
  }

  /** Ends the pace once everything that was there has been taken. */
  #endPace(): void {
    if (this.#isUpToDate || !this.#initialDone || this.#parts.watcher.isReplaying) return;
    this.#isUpToDate = true;
    this.#pace.end();
  }

  #nextStep(): WatchStep {
    const step = this.#step ?? this.#parts.watcher.step();
    this.#step = undefined;
    return step;
  }

  #nextLogged(): WatchNotice | 'later' | undefined | Promise<WatchNotice | undefined> {
    if (this.#preparing === undefined) {
      const step = this.#nextStep();
      if (step.kind !== 'event') return this.#noticeWithout(step);
      if (!this.#mustPrepare(step.event)) return this.#noticeOf(step.event);
    }
    const preparing = this.#preparing;
    this.#preparing = undefined;
    return preparing?.then((event) => this.#noticeOf(event));
  }

  /** Begins to convert the records of an event, which was the next step. Returns false when nothing has to wait. */
  #mustPrepare(event: LogEvent): boolean {
    const preparing = this.#parts.prepare?.(event);
    if (preparing === undefined) return false;
    // The reader may end the watch before it asks for the event.
    preparing.catch(() => undefined);
    this.#preparing = preparing;
    this.#step = undefined;
    return true;
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

  #noticeOf(event: LogEvent): ObjectNotice | undefined {
    if (this.#parts.unreadable !== undefined) return this.#noticeIfReadable(event, this.#parts.unreadable);
    if (event.problem !== undefined) throw event.problem;
    this.#last = event.revision;
    return noticeOf(event, this.#parts.filter);
  }

  /** Returns the notice of an event for a watch that leaves out unreadable objects, which count as absent. */
  #noticeIfReadable(event: LogEvent, unreadable: (record: StorageRecord) => boolean): ObjectNotice | undefined {
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
    if (!this.#isUpToDate) this.#pace.end();
    this.#isUpToDate = true;
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
