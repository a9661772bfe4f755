/**
 * The memory budget of a server. It has two parts: memory that can be given up, which is history and caches, and memory
 * that is needed, which is the current objects and the requests in flight. All components count what they hold, so the
 * limits hold for their sums.
 *
 * @module
 */
import type { Clock } from '../foundation/index.js';
import { FreedHeap } from './freed-heap.js';
import { heapShare } from './host-heap.js';
import type { MemorySharer, SharedMemory } from './shared-memory.js';
import { Snapshots } from './snapshots.js';
import type { Revision, StorageEvent, StorageRecord } from './storage.js';

/** The part of a write that the budget needs. */
export type HeldEvent = Pick<StorageEvent, 'type' | 'revision' | 'record' | 'previous'>;

/** A component that keeps history and can drop the oldest part of it. */
export interface HistoryHolder {
  /** Revision of the oldest kept write; undefined when it keeps none. */
  readonly oldestRevision: Revision | undefined;
  /** Drops the writes up to a revision and releases their share of the budget. */
  dropUpTo(revision: Revision): void;
}

/**
 * The caches, in the order in which they are given up when needed memory is short: what costs least to make again
 * first. The history follows them, because clients notice its loss.
 */
export const CACHES = ['encodings', 'indexes', 'decodedForms', 'compiled'] as const satisfies readonly CacheUse[];

/** A cache that can be given up. */
export type CacheUse = 'encodings' | 'indexes' | 'decodedForms' | 'compiled';

/** Memory that cannot be given up: the texts of the current objects, and the bodies in flight. */
export type NeededUse = 'objects' | 'bodies';

/**
 * The uses of memory. `objectTexts` are the texts of objects that a store larger than memory keeps at hand;
 * `watchBuffers` are the events that slow clients of watches have not taken; `watchCache` are the current objects of a
 * store that is not in this process; `snapshots` are the texts that only unfinished responses hold; `recordings` is what
 * the page for people shows of the past.
 */
export type MemoryUse = CacheUse | LateUse | 'history' | 'snapshots' | NeededUse;

/** Memory that is given up before or after the caches, and that does not share the limit of the history and the caches. */
export type LateUse = 'recordings' | 'objectTexts' | 'watchBuffers' | 'watchCache';

const isLate = (use: CacheUse | LateUse): use is LateUse => CACHES.every((cache) => cache !== use);

/** All uses of memory. */
export const MEMORY_USES: readonly MemoryUse[] = [
  ...CACHES,
  'recordings',
  'objectTexts',
  'watchBuffers',
  'watchCache',
  'snapshots',
  'history',
  'objects',
  'bodies',
];

/** The uses that are given up before history, in this order. */
const GIVEN_UP = ['recordings', ...CACHES, 'objectTexts', 'watchBuffers', 'watchCache'] as const;

/** Limits of a {@link MemoryBudget}, in bytes. */
export interface MemoryLimits {
  /** Maximum of the history and the caches together. Default a quarter of the host's heap limit. */
  readonly historyBytes?: number | undefined;
  /** Maximum of everything that is counted. Default three quarters of the host's heap limit. */
  readonly memoryBytes?: number | undefined;
}

/** Default share of the history and the caches in the host's heap. */
export const DEFAULT_HISTORY_SHARE = 0.25;

/** Default share of the whole budget in the host's heap. The rest is for the program and for garbage. */
export const DEFAULT_MEMORY_SHARE = 0.75;

/** Least limit of the texts of the current objects: those that a server makes for itself need several hundred KiB. */
export const LEAST_OBJECTS_TEXT = 1024 * 1024;

/**
 * Estimated overhead of a kept write or a current object besides its texts, in bytes: the event or the entries of the
 * key order, the record, and its reference count. Measured on Node 20 and 22.
 */
export const ENTRY_BYTES = 256;

/**
 * Returns the bytes of a text that a record holds as long as it exists. Stored texts are ASCII. A record that could not be
 * read holds what is stored.
 */
export function heldLength(record: StorageRecord): number {
  if (record.textLength === undefined) return record.text.length;
  return record.unreadable === undefined ? 0 : record.textLength;
}

/**
 * Returns the bytes that only the history keeps of a write.
 *
 * @param withRecord whether nothing else holds the new version; by default that of a delete
 */
export function bytesHeldBy({ previous, type, record }: HeldEvent, withRecord = type === 'delete'): number {
  return ENTRY_BYTES + (previous === undefined ? 0 : heldLength(previous)) + (withRecord ? heldLength(record) : 0);
}

/** Returns the default limit of the history and the caches in bytes: a share of the host's heap limit. */
export function defaultHistoryBytes(share = DEFAULT_HISTORY_SHARE): number {
  return heapShare(share);
}

/** An account of a {@link MemoryBudget}: the memory of one component. */
export interface MemoryAccount {
  /** Bytes that the component holds. */
  readonly usedBytes: number;
  /** Counts bytes; a negative number releases them. */
  hold(bytes: number): void;
  /** Releases everything that the component holds, and closes the account. */
  close(): void;
}

/** An account of memory that is needed. */
export interface NeededAccount extends MemoryAccount {
  /** Bytes that fit, once caches and history have been given up; negative beyond the budget. */
  readonly freeBytes: number;
  /**
   * Counts bytes if they fit into the budget, after caches and history have been given up as far as necessary.
   *
   * @returns false when they do not fit; then nothing is counted
   */
  tryHold(bytes: number): boolean;
}

/** Memory that can be given up. */
interface Cache {
  readonly account: MemoryAccount;
  giveUp(bytes: number): void;
}

/**
 * Counts the memory of a server. A text of the history is counted once, however many components hold it.
 *
 * - When history and caches exceed `historyBytes`, {@link enforceLimit} drops the oldest history. A cache limits itself
 *   to a share of `historyBytes`.
 * - When everything exceeds `memoryBytes`, the following are given up in this order: recordings, the caches in the order of
 *   {@link CACHES}, the texts of objects that can be read again, the slow clients of watches, the watch cache, the oldest
 *   unfinished responses, and the oldest history. The newest write is always kept. {@link NeededAccount.tryHold} refuses
 *   memory that still does not fit.
 * - The budgets of several servers may share a limit.
 */
export class MemoryBudget {
  /** Maximum of the history and the caches together, in bytes. */
  readonly historyBytes: number;
  /** Maximum of everything that is counted, in bytes. */
  readonly memoryBytes: number;
  readonly #holders = new Set<HistoryHolder>();
  readonly #caches: Readonly<Record<(typeof GIVEN_UP)[number], Set<Cache>>> = {
    encodings: new Set(),
    indexes: new Set(),
    decodedForms: new Set(),
    compiled: new Set(),
    recordings: new Set(),
    objectTexts: new Set(),
    watchBuffers: new Set(),
    watchCache: new Set(),
  };
  /** Number of holders of each version's text. */
  readonly #texts = new Map<StorageRecord, number>();
  readonly #used: Record<MemoryUse, number> = {
    encodings: 0,
    indexes: 0,
    decodedForms: 0,
    compiled: 0,
    history: 0,
    objects: 0,
    recordings: 0,
    objectTexts: 0,
    watchBuffers: 0,
    watchCache: 0,
    snapshots: 0,
    bodies: 0,
  };
  readonly #snapshots = new Snapshots((bytes) => this.#holdOther('snapshots', bytes));
  #keptBytes = 0;
  /** Bytes of everything else. */
  #otherBytes = 0;
  #newest: Revision = 0;
  #objectsTextBytes = 0;

  #freed: FreedHeap | undefined;
  #shared: SharedMemory | undefined;
  /** This budget, as the memory that it shares sees it. */
  readonly #sharer: MemorySharer = {
    usedBytes: () => this.usedBytes,
    neededBytes: () => this.#neededBytes,
    giveUp: (bytes) => this.#giveUp(bytes),
  };

  /**
   * @param clock clock by which released memory goes back to the system while nobody uses the server; undefined leaves
   *   that to the host
   */
  constructor({ historyBytes, memoryBytes }: MemoryLimits = {}, clock?: Clock) {
    this.historyBytes = historyBytes ?? defaultHistoryBytes();
    this.memoryBytes = memoryBytes ?? heapShare(DEFAULT_MEMORY_SHARE);
    if (clock !== undefined) this.#freed = new FreedHeap(clock, () => this.usedBytes);
  }

  /**
   * Limits what this budget and others count together, from now on until it is closed.
   *
   * @internal
   */
  share(shared: SharedMemory): void {
    this.#shared = shared;
    shared.join(this.#sharer);
  }

  /** Cancels its timer, and leaves the memory that it shares. What is released afterwards is left to the host. */
  close(): void {
    this.#freed?.close();
    this.#freed = undefined;
    this.#shared?.leave(this.#sharer);
    this.#shared = undefined;
  }

  /** Bytes of the history and the caches. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Bytes of everything that is counted. */
  get usedBytes(): number {
    return this.#keptBytes + this.#otherBytes;
  }

  /** Returns the bytes of one use. */
  usedFor(use: MemoryUse): number {
    return this.#used[use];
  }

  /** Whether more than nine tenths are used. A cache that was given up should not fill up again meanwhile. */
  get isScarce(): boolean {
    const isScarce = ({ usedBytes, memoryBytes }: SharedMemory | this): boolean => usedBytes > 0.9 * memoryBytes;
    return isScarce(this) || (this.#shared !== undefined && isScarce(this.#shared));
  }

  /** Maximum total length of the keys and texts of the current objects; 0 for no limit. */
  get objectsTextBytes(): number {
    return this.#objectsTextBytes;
  }

  /**
   * Limits the texts of the current objects from now on; 0 removes the limit. An engine refuses writes that would
   * exceed it with `Full`.
   */
  limitObjectsText(bytes: number): void {
    this.#objectsTextBytes = bytes;
  }

  /**
   * Opens the account of a cache, of recordings, of the watch buffers, or of a watch cache.
   *
   * @param giveUp called when needed memory is short, with the number of bytes to release; the cache may release more.
   *   It must not call the budget except to release memory
   */
  openCache(use: CacheUse | LateUse, giveUp: (bytes: number) => void): MemoryAccount {
    const cache: Cache = {
      account: new Account(
        isLate(use) ? (bytes) => this.#holdOther(use, bytes) : (bytes) => this.#keep(use, bytes),
        () => this.#caches[use].delete(cache),
      ),
      giveUp,
    };
    this.#caches[use].add(cache);
    return cache.account;
  }

  /** Opens an account of memory that is needed. */
  open(use: NeededUse): NeededAccount {
    return new RefusingAccount(
      (bytes) => this.#holdNeeded(use, bytes),
      (bytes) => this.#hasRoom(use, bytes),
      () => this.#freeBytes,
    );
  }

  /**
   * Opens the snapshot of a response that refers to the texts of current objects until its end. Texts that the store
   * and the history drop meanwhile are counted.
   *
   * @param bytes bytes of the texts
   * @param giveUp called when needed memory is short: ends the response. It must not call the budget
   * @returns a function to call at the end of the response
   */
  openSnapshot(bytes: number, giveUp: () => void): () => void {
    return this.#snapshots.open(bytes, giveUp);
  }

  /** Adds a holder of history. The returned function removes it; the holder must release what it holds itself. */
  join(holder: HistoryHolder): () => void {
    this.#holders.add(holder);
    return () => void this.#holders.delete(holder);
  }

  /**
   * Counts a write that a holder keeps: its overhead, and the versions that only the history still holds.
   *
   * @param withRecord as of {@link bytesHeldBy}
   */
  hold(event: HeldEvent, withRecord = event.type === 'delete'): void {
    this.#keep('history', ENTRY_BYTES);
    if (event.revision > this.#newest) this.#newest = event.revision;
    if (event.previous !== undefined) this.holdText(event.previous);
    if (withRecord) this.holdText(event.record);
  }

  /** Releases a write that {@link hold} counted. */
  release(event: HeldEvent, withRecord = event.type === 'delete'): void {
    this.#keep('history', -ENTRY_BYTES);
    if (event.previous !== undefined) this.releaseText(event.previous);
    if (withRecord) this.releaseText(event.record);
  }

  /** Adds a reference to the text of a version; the first one counts its length. */
  holdText(record: StorageRecord): void {
    const holders = this.#texts.get(record) ?? 0;
    if (holders === 0) this.#keep('history', heldLength(record));
    this.#texts.set(record, holders + 1);
  }

  /** Removes a reference to the text of a version; the last one releases its length. */
  releaseText(record: StorageRecord): void {
    const holders = this.#texts.get(record);
    if (holders === undefined) return;
    if (holders > 1) {
      this.#texts.set(record, holders - 1);
      return;
    }
    this.#texts.delete(record);
    const bytes = heldLength(record);
    this.#keep('history', -bytes);
    this.#snapshots.dropped(bytes);
  }

  /** Counts other bytes of the history; a negative number releases them. */
  holdBytes(bytes: number): void {
    this.#keep('history', bytes);
  }

  /** Gives up memory until both limits hold. Called after writes have been added. */
  enforceLimit(): void {
    if (this.usedBytes > this.memoryBytes) this.#makeRoom(0);
    this.#shared?.makeRoom(0);
    if (this.#keptBytes > this.historyBytes) this.#dropHistory(() => this.#keptBytes > this.historyBytes);
  }

  #keep(use: CacheUse | 'history', bytes: number): void {
    this.#used[use] += bytes;
    this.#keptBytes += bytes;
    this.#shared?.count(bytes);
    if (bytes < 0) this.#freed?.released(-bytes);
  }

  #holdOther(use: NeededUse | LateUse | 'snapshots', bytes: number): void {
    this.#used[use] += bytes;
    this.#otherBytes += bytes;
    this.#shared?.count(bytes);
    if (bytes < 0) this.#freed?.released(-bytes);
  }

  #holdNeeded(use: NeededUse, bytes: number): void {
    this.#holdOther(use, bytes);
    this.#shared?.countNeeded(bytes);
  }

  get #neededBytes(): number {
    return this.#used.objects + this.#used.bodies;
  }

  /** Bytes that neither the stored objects nor the requests take. */
  get #freeBytes(): number {
    return Math.min(this.memoryBytes - this.#neededBytes, this.#shared?.freeBytes ?? Infinity);
  }

  /** Returns whether more memory fits, after as much has been given up as necessary. */
  #hasRoom(use: NeededUse, bytes: number): boolean {
    if (bytes > this.#freeBytes) return false;
    const shared = this.#shared;
    // The memory of objects has a limit of its own.
    if (shared !== undefined && use === 'bodies' && !shared.isFair(this.#used.bodies, bytes)) return false;
    this.#makeRoom(bytes);
    return this.usedBytes + bytes <= this.memoryBytes && shared?.hasRoom(bytes) !== false;
  }

  #makeRoom(bytes: number): void {
    // Most memory fits: nothing has to be looked at.
    if (this.usedBytes + bytes <= this.memoryBytes) return;
    this.#giveUpUntilNone(() => this.usedBytes + bytes - this.memoryBytes);
  }

  /** Gives up memory that is not needed, in the order that the class describes. */
  #giveUp(bytes: number): void {
    const target = this.usedBytes - bytes;
    this.#giveUpUntilNone(() => this.usedBytes - target);
  }

  /** @param excess returns the bytes to give up from now on */
  #giveUpUntilNone(excess: () => number): void {
    for (const use of GIVEN_UP) {
      for (const { account, giveUp } of this.#caches[use]) {
        if (excess() <= 0) return;
        if (account.usedBytes > 0) giveUp(excess());
      }
    }
    this.#dropHistory(() => {
      // An unfinished response may still hold the texts that the history drops.
      if (excess() > 0) this.#snapshots.giveUp(excess());
      return excess() > 0;
    });
  }

  #dropHistory(isTooMuch: () => boolean): void {
    while (isTooMuch()) {
      const oldest = this.#oldestRevision();
      if (oldest === undefined || oldest >= this.#newest) return;
      for (const holder of this.#holders) {
        if ((holder.oldestRevision ?? Infinity) <= oldest) holder.dropUpTo(oldest);
      }
    }
  }

  #oldestRevision(): Revision | undefined {
    let oldest: Revision | undefined;
    for (const { oldestRevision } of this.#holders) {
      if (oldestRevision !== undefined && (oldest === undefined || oldestRevision < oldest)) oldest = oldestRevision;
    }
    return oldest;
  }
}

class Account implements MemoryAccount {
  readonly #count: (bytes: number) => void;
  readonly #closed: () => void;
  #bytes = 0;

  constructor(count: (bytes: number) => void, closed: () => void) {
    this.#count = count;
    this.#closed = closed;
  }

  get usedBytes(): number {
    return this.#bytes;
  }

  hold(bytes: number): void {
    this.#bytes += bytes;
    this.#count(bytes);
  }

  close(): void {
    this.hold(-this.#bytes);
    this.#closed();
  }
}

class RefusingAccount extends Account implements NeededAccount {
  readonly #hasRoom: (bytes: number) => boolean;
  readonly #free: () => number;

  constructor(count: (bytes: number) => void, hasRoom: (bytes: number) => boolean, free: () => number) {
    super(count, () => undefined);
    this.#hasRoom = hasRoom;
    this.#free = free;
  }

  get freeBytes(): number {
    return this.#free();
  }

  tryHold(bytes: number): boolean {
    if (!this.#hasRoom(bytes)) return false;
    this.hold(bytes);
    return true;
  }
}
