import { delay, messageOf, nextTurn, report, visitInTurns } from '../../foundation/index.js';
import type { MemoryBudget } from '../memory-budget.js';
import { lengthOfText } from '../record-texts.js';
import type { Revision, Storage, StorageListOptions, StorageRecord } from '../storage.js';
import { ColdRecord, type VersionHead, type VersionSource } from './cold-records.js';
import { FollowedState } from './followed-state.js';
import type { WatchCacheLoss, WatchCacheSettings } from './options.js';

/** Number of records that are read at a time while the cache is filled. */
const PAGE = 1_000;
/** Number of keys that are read at a time while a cache without texts is filled. */
const HEADS = 5_000;
/** Maximum text that a read of one key requests although the cache has it, in UTF-16 code units. */
const MAX_READ_TEXT = 16 * 1024;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 60_000;
/** Pause before a store that was too large, or a server that was short of memory, is tried again. */
const LONG_PAUSE_MS = 300_000;

/** The state that a list or a query asks for. */
type AskedState = Pick<StorageListOptions, 'revision' | 'notOlderThan'>;

/** The readers of one turn of the event loop. */
interface Readers {
  count: number;
  /** Resolves when no other reader joins. */
  readonly complete: Promise<unknown>;
  /** The newest revision, which is asked for after all of them have arrived. */
  newest: Promise<Revision> | undefined;
}

/** Some of the objects that a state is filled with. */
interface FilledPage {
  readonly records: readonly (StorageRecord | VersionHead)[];
  readonly revision: Revision;
}

/** Yields the keys of one revision. */
async function* headPages(source: VersionSource): AsyncGenerator<FilledPage, void> {
  let page = await source.heads('', HEADS, undefined);
  const { revision } = page;
  for (;;) {
    const after = page.heads.at(-1)?.key;
    const isLast = page.heads.length < HEADS || after === undefined;
    // The database reads the next keys while these are taken in.
    const next = isLast ? undefined : source.heads(after, HEADS, revision);
    // A fill that is given up does not wait for it.
    next?.catch(() => undefined);
    yield { records: page.heads, revision };
    if (next === undefined) return;
    page = await next;
  }
}

/** Keeps a state of a store while a server uses it: fills one, follows the store, and fills another when it is lost. */
export class WatchCache {
  readonly #inner: Storage;
  readonly #settings: WatchCacheSettings;
  readonly #closing = new AbortController();
  #budget: MemoryBudget | undefined;
  #isRunning = false;
  /** The state that is filled or followed. */
  #followed: FollowedState | undefined;
  #isFilled = false;
  /** Number of requests to the engine that are on their way. */
  #asking = 0;
  /** The readers of this turn of the event loop; undefined before the first. */
  #readers: Readers | undefined;

  constructor(inner: Storage, settings: WatchCacheSettings) {
    this.#inner = inner;
    this.#settings = settings;
  }

  /** Starts the cache within a budget, or moves it into another one. */
  start(budget: MemoryBudget): void {
    this.#budget = budget;
    this.#followed?.shareBudget(budget);
    if (this.#isRunning || this.#closing.signal.aborted) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** The newest revision in the cache; undefined when the engine has to answer. */
  get revision(): Revision | undefined {
    return this.#serving?.state.revision;
  }

  /**
   * Returns the state with every write acknowledged before the call; undefined when the engine has to answer. It may be
   * over when the caller continues.
   *
   * @throws StorageError `Unavailable` when the engine cannot tell its revision
   */
  async present(): Promise<FollowedState | undefined> {
    if (this.#serving === undefined) return undefined;
    return this.#reached(await this.#newestRevision(await this.#joined()));
  }

  /**
   * Reads the current version of a key. A request for one key costs as much as one for the newest revision, and need
   * not wait for the watch; but the readers of a turn share the latter. So a reader that is alone reads the key.
   */
  async get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    if (this.#serving !== undefined) {
      const readers = await this.#joined();
      const known = this.#serving?.state.present(key);
      const isAlone = readers.count === 1 && this.#asking === 0;
      const isCold = known instanceof ColdRecord && known.held === undefined;
      const isLong = known !== undefined && !isCold && lengthOfText(known) > MAX_READ_TEXT;
      if (this.#serving !== undefined && (!isAlone || isLong)) {
        const followed = await this.#reached(await this.#newestRevision(readers));
        const found = followed === undefined || followed.isOver ? undefined : await followed.get(key);
        if (found !== undefined) return found;
      }
    }
    const { record, revision } = await this.#asked(this.#inner.get(key));
    return { record: record && (this.#serving?.known(record) ?? record), revision };
  }

  /** Returns the state if it has a revision, or is later; otherwise as {@link present}. */
  async notOlderThan(revision: Revision): Promise<FollowedState | undefined> {
    const serving = this.#serving;
    return serving !== undefined && serving.state.revision >= revision ? serving : this.present();
  }

  /** Returns the state if it can show a revision; undefined when the engine has to answer, also with an error. */
  async at(revision: Revision): Promise<FollowedState | undefined> {
    const followed = await this.notOlderThan(revision);
    if (followed === undefined || !followed.shows(revision)) return undefined;
    await followed.state.pastReady(revision);
    return followed.shows(revision) ? followed : undefined;
  }

  /** Returns the state for a list or a query, as {@link at}, {@link present} or {@link notOlderThan} does. */
  stateFor({ revision, notOlderThan }: AskedState): Promise<FollowedState | undefined> {
    if (revision !== undefined) return this.at(revision);
    return notOlderThan === undefined ? this.present() : this.notOlderThan(notOlderThan);
  }

  /** Drops the history up to a revision that the engine has compacted. */
  compact(revision: Revision): void {
    const state = this.#serving?.state;
    state?.compact(Math.min(revision, state.revision));
  }

  /** Ends the cache and releases its memory. */
  close(): void {
    this.#closing.abort();
    this.#followed?.giveUp('closed', 'the storage is closed');
  }

  /** Joins the readers of this turn. Resolves in the next turn, when they are all known. */
  async #joined(): Promise<Readers> {
    if (this.#readers === undefined) {
      const complete = nextTurn().then(() => (this.#readers = undefined));
      this.#readers = { count: 0, complete, newest: undefined };
    }
    const readers = this.#readers;
    readers.count += 1;
    await readers.complete;
    return readers;
  }

  /**
   * Asks for the newest revision, once for the readers of a turn. The engine shares the question among the turns that
   * come while another one is on its way.
   */
  #newestRevision(readers: Readers): Promise<Revision> {
    return (readers.newest ??= this.#asked(this.#inner.currentRevision()));
  }

  /** Counts a request to the engine while it runs. */
  async #asked<Answer>(request: Promise<Answer>): Promise<Answer> {
    this.#asking += 1;
    try {
      return await request;
    } finally {
      this.#asking -= 1;
    }
  }

  #reached(revision: Revision): FollowedState | undefined | Promise<FollowedState | undefined> {
    const serving = this.#serving;
    const reached = serving?.reached(revision) ?? false;
    if (typeof reached === 'boolean') return reached ? serving : undefined;
    return reached.then((inTime) => (inTime ? serving : undefined));
  }

  get #serving(): FollowedState | undefined {
    return this.#isFilled && this.#followed?.isOver === false ? this.#followed : undefined;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const followed = new FollowedState(this.#settings, () => this.#limitBytes());
      this.#followed = followed;
      if (this.#budget !== undefined) followed.shareBudget(this.#budget);
      if (await this.#fill(followed)) failures = 0;
      const end = await followed.ended;
      this.#isFilled = false;
      if (end.reason === 'closed') return;
      const retryMs =
        end.reason === 'interrupted' ? Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) : LONG_PAUSE_MS;
      this.#report(end.reason, end.message, retryMs);
      await delay(this.#settings.clock, retryMs, signal);
    }
  }

  /** Fills a state with the objects of one revision, and follows the store from there. Returns whether it serves. */
  async #fill(followed: FollowedState): Promise<boolean> {
    const { state } = followed;
    try {
      const pages = this.#settings.cold === undefined ? this.#wholePages() : headPages(this.#settings.cold.source);
      let isFirst = true;
      for await (const { records, revision } of pages) {
        if (isFirst) state.beginReading(revision, revision);
        isFirst = false;
        await visitInTurns(records, (record) => followed.add(record));
        this.#budget?.enforceLimit();
        if (followed.isOver) break;
      }
    } catch (error) {
      followed.giveUp('interrupted', `the objects cannot be read: ${messageOf(error)}`);
    }
    if (followed.isOver) return false;
    await followed.follow(this.#inner);
    if (followed.isOver) return false;
    this.#isFilled = true;
    const { objectsTextBytes: textBytes, revision } = state;
    report(() => this.#settings.onStatus({ kind: 'serving', objects: followed.objects, textBytes, revision }));
    return true;
  }

  /** Yields the objects of one revision. */
  async *#wholePages(): AsyncGenerator<FilledPage, void> {
    let page = await this.#inner.list('', { limit: PAGE, acceptsUnreadable: true });
    const { revision } = page;
    for (;;) {
      yield page;
      const after = page.records.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) return;
      page = await this.#inner.list('', { revision, after, limit: PAGE, acceptsUnreadable: true });
    }
  }

  #limitBytes(): number {
    const { maxTextBytes } = this.#settings;
    const shared = this.#budget?.objectsTextBytes ?? 0;
    return maxTextBytes ?? (shared > 0 ? shared : Infinity);
  }

  #report(reason: WatchCacheLoss, message: string, retryAfter: number): void {
    report(() => this.#settings.onStatus({ kind: 'passing', reason, message, retryAfter }));
  }
}
