import { ApiFailure, codeOf, wordsOf, type Api } from './api.js';
import type { PageClock } from './clock.js';
import { jsonLinesOf } from './lines.js';
import type { Loss } from './loss.js';
import { pause, persist, type Persistence } from './persist.js';
import type { Sight } from './sight.js';
import { rowOf, type Column, type Row, type SentRow } from './rows.js';

/** The collection that a table shows. */
export interface TableTarget {
  /** Path of the collection below the root of the server. */
  readonly path: string;
  readonly labels: string;
  readonly fields: string;
  /** The version of the store that is shown; empty for the current state, which is followed. */
  readonly past?: string | undefined;
  /** Whether the server has watches of it; otherwise it is listed once. */
  readonly isListOnly?: boolean | undefined;
  /** The annotations that rows keep. */
  readonly annotations?: readonly string[] | undefined;
}

/** How current a table is. */
export type Liveness =
  | { readonly is: 'loading' }
  | { readonly is: 'live' }
  /** As it was when it was listed: the kind cannot be watched. */
  | { readonly is: 'listed' }
  /** A state of the past, which does not change. */
  | { readonly is: 'past'; readonly version: string }
  /** Not live since a time; tries again. */
  | { readonly is: 'lost'; readonly loss: Loss }
  /** More changes arrived than the page could draw: it stops reading them, and lists everything again. */
  | { readonly is: 'behind'; readonly perSecond: number }
  /** The server refused; it is not asked again. */
  | { readonly is: 'refused'; readonly code: number | undefined; readonly message: string };

interface SentTable {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions?: readonly Column[] | null;
  readonly rows?: readonly SentRow[] | null;
}

interface SentEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: SentTable & { readonly code?: number; readonly message?: string };
}

const FIRST_PAGE = 500;
const FURTHER_PAGES = 2000;
/** Shortest time between two drawings of changes. */
const DRAW_MS = 100;
/** A page with so many changes to draw is behind; with fewer, if it draws so much later than it should. */
const BEHIND_EVENTS = 20_000;
const SOME_EVENTS = 1000;
const BEHIND_MS = 2000;
/** How long a page that was behind reads nothing. */
const REST_MS = 2000;
/** How long a deleted row stays to be seen. */
const FADE_MS = 3000;

/** The rows of a collection, kept current by a watch: lists it by pages, then follows its changes, whatever happens. */
export class LiveTable {
  readonly #api: Api;
  readonly #target: TableTarget;
  readonly #clock: PageClock;
  readonly #sight: Sight;
  readonly #changed: () => void;
  readonly #end = new AbortController();
  readonly #rows = new Map<string, Row>();
  #touched = new Set<string>();
  #columns: readonly Column[] = [];
  #liveness: Liveness = { is: 'loading' };
  #version: string | undefined;
  #isFirst = true;
  /** When the next drawing was asked for; undefined while none is. */
  #askedAt: number | undefined;
  /** Changes since the last drawing. */
  #events = 0;
  #isDue = false;
  #stopLooking = (): void => undefined;
  /** Ends the watch of a page that is behind. */
  #overflow = new AbortController();

  /** @param changed called after changes, at most ten times a second, while somebody sees the page */
  constructor(
    api: Api,
    target: TableTarget,
    { clock, sight }: Pick<Persistence, 'clock' | 'sight'>,
    changed: () => void,
  ) {
    this.#api = api;
    this.#target = target;
    this.#clock = clock;
    this.#sight = sight;
    this.#changed = changed;
  }

  get rows(): Iterable<Row> {
    return this.#rows.values();
  }

  /** The rows by uid. A row that changes is another one. */
  get byUid(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** Returns the uids of the rows that were added, changed or removed since it was called before. */
  takeTouched(): ReadonlySet<string> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  get size(): number {
    return this.#rows.size;
  }

  get columns(): readonly Column[] {
    return this.#columns;
  }

  get liveness(): Liveness {
    return this.#liveness;
  }

  /** Runs until the table is closed, or the server refuses. */
  async run(): Promise<void> {
    const lost = (loss: Loss | undefined): void =>
      this.#become(loss === undefined ? { is: 'live' } : { is: 'lost', loss });
    const [clock, sight, { signal }] = [this.#clock, this.#sight, this.#end];
    this.#stopLooking = sight.onChange(() => this.#look());
    try {
      await persist((works, ending) => this.#attempt(works, ending), { clock, sight, signal, lost });
    } catch (error) {
      this.#become({ is: 'refused', code: codeOf(error), message: wordsOf(error) });
    }
  }

  close(): void {
    this.#end.abort();
    this.#stopLooking();
  }

  /** Lists the collection, unless its versions can be followed from the last one, and follows it. */
  async #attempt(works: () => void, signal: AbortSignal): Promise<'done' | 'ended'> {
    const { past = '', isListOnly = false } = this.#target;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    try {
      if (!isFirst) await this.#notice(signal);
      if (this.#version === undefined) await this.#list(signal);
      if (past !== '' || isListOnly) {
        this.#become(past === '' ? { is: 'listed' } : { is: 'past', version: past });
        return 'done';
      }
      await this.#watch(works, signal);
    } catch (error) {
      if (codeOf(error) !== 410 || past !== '') throw error;
      // The history is gone: all is listed again.
      this.#version = undefined;
    }
    return 'ended';
  }

  /** Notices that the server has lost versions, as one without a disk that was started again: then all is listed again. */
  async #notice(signal: AbortSignal): Promise<void> {
    if (this.#version === undefined || (this.#target.past ?? '') !== '') return;
    const { metadata } = await this.#read('', signal, 1);
    if (Number(metadata?.resourceVersion) < Number(this.#version)) this.#version = undefined;
  }

  /** Lists the collection; rows that are no longer in it go. */
  async #list(signal: AbortSignal): Promise<void> {
    const first = this.#rows.size === 0;
    const listed = new Set<string>();
    let token = '';
    let version: string | undefined;
    do {
      const page = await this.#read(token, signal);
      if (page.columnDefinitions) this.#setColumns(page.columnDefinitions);
      for (const sent of page.rows ?? []) {
        const row = rowOf(sent, undefined, this.#target.annotations);
        const known = this.#rows.get(row.uid);
        const same = known !== undefined && JSON.stringify(known.cells) === JSON.stringify(row.cells);
        listed.add(row.uid);
        this.#put(first || same ? row : { ...row, changedAt: this.#clock.now() });
      }
      version = page.metadata?.resourceVersion;
      token = page.metadata?.continue ?? '';
      this.#draw();
    } while (token !== '');
    for (const [uid, row] of this.#rows) if (!listed.has(uid)) this.#remove(row);
    this.#version = version;
  }

  /** Columns that are equal stay the same list: for others, all rows are sorted again. */
  #setColumns(columns: readonly Column[]): void {
    if (JSON.stringify(columns) !== JSON.stringify(this.#columns)) this.#columns = columns;
  }

  #read(token: string, signal: AbortSignal, limit = token === '' ? FIRST_PAGE : FURTHER_PAGES): Promise<SentTable> {
    const { past = '' } = this.#target;
    const at = past === '' || token !== '' ? {} : { resourceVersion: past, resourceVersionMatch: 'Exact' };
    const query = this.#query({ limit: String(limit), continue: token, ...at });
    return this.#api.read<SentTable>(`${this.#target.path}?${query}`, this.#api.tableType, signal);
  }

  async #watch(works: () => void, signal: AbortSignal): Promise<void> {
    const query = this.#query({ watch: '1', allowWatchBookmarks: 'true', resourceVersion: this.#version ?? '' });
    const overflow = (this.#overflow = new AbortController());
    const response = await this.#api.request(`${this.#target.path}?${query}`, {
      headers: { accept: this.#api.tableType },
      signal: AbortSignal.any([signal, overflow.signal]),
    });
    works();
    try {
      for await (const event of jsonLinesOf(response)) this.#apply(event as SentEvent);
    } catch (error) {
      if (!overflow.signal.aborted) throw error;
      await pause(REST_MS, this.#clock, signal);
      // What has come meanwhile is read as a list.
      this.#version = undefined;
    }
  }

  #query(more: Readonly<Record<string, string>>): URLSearchParams {
    const { labels, fields } = this.#target;
    const all = { includeObject: 'Metadata', labelSelector: labels, fieldSelector: fields, ...more };
    return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''));
  }

  #apply({ type, object }: SentEvent): void {
    if (type === 'ERROR') throw new ApiFailure(object.code ?? 500, object.message ?? 'the watch failed');
    if (object.columnDefinitions?.length) this.#setColumns(object.columnDefinitions);
    const [sent] = object.rows ?? [];
    const version = sent?.object?.metadata?.resourceVersion ?? object.metadata?.resourceVersion;
    if (version !== undefined && version !== '') this.#version = version;
    if (type === 'BOOKMARK' || sent === undefined) return;
    this.#events += 1;
    const row = rowOf(sent, this.#clock.now(), this.#target.annotations);
    if (type === 'DELETED') this.#remove(row);
    else this.#put(row);
    this.#draw();
  }

  #put(row: Row): void {
    this.#rows.set(row.uid, row);
    this.#touched.add(row.uid);
  }

  /** Shows that a row is gone, and forgets it a little later. */
  #remove(row: Row): void {
    const gone = { ...row, goneAt: this.#clock.now() };
    this.#put(gone);
    this.#clock.after(FADE_MS, () => {
      if (this.#rows.get(row.uid) !== gone) return;
      this.#rows.delete(row.uid);
      this.#touched.add(row.uid);
      this.#draw();
    });
    this.#draw();
  }

  #become(liveness: Liveness): void {
    this.#liveness = liveness;
    this.#draw();
  }

  /** Stops drawing while nobody sees the table, and catches up with one drawing. */
  #look(): void {
    // The timers of a tab that is hidden are late, which says nothing.
    if (this.#askedAt !== undefined) this.#askedAt = this.#clock.now();
    this.#events = 0;
    if (this.#sight.isSeen && this.#isDue) this.#draw();
  }

  #draw(): void {
    if (!this.#sight.isSeen) this.#isDue = true;
    if (!this.#sight.isSeen || this.#askedAt !== undefined) return;
    const ms = this.#liveness.is === 'loading' ? 0 : DRAW_MS;
    this.#askedAt = this.#clock.now();
    this.#clock.after(ms, () => {
      const lateMs = this.#clock.now() - (this.#askedAt ?? 0) - ms;
      this.#askedAt = undefined;
      if (this.#end.signal.aborted) return;
      if (!this.#sight.isSeen) this.#isDue = true;
      else this.#show(ms + lateMs);
    });
  }

  /** @param passedMs time since the drawing was asked for */
  #show(passedMs: number): void {
    const isLate = passedMs > DRAW_MS + BEHIND_MS;
    if (this.#liveness.is === 'live' && this.#events > (isLate ? SOME_EVENTS : BEHIND_EVENTS)) {
      this.#liveness = { is: 'behind', perSecond: Math.round((this.#events * 1000) / Math.max(1, passedMs)) };
      this.#overflow.abort();
    }
    this.#events = 0;
    this.#isDue = false;
    this.#changed();
  }
}
