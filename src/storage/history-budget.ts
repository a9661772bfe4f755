/**
 * How much memory the past may take: superseded versions, the events of watches, and what caches keep beside them. One budget
 * is shared by all who keep a part of it, so that the bound holds for all together.
 *
 * @module
 */
import { hostHeapLimit } from '../meta/host-memory.js';
import type { Revision, StorageEvent, StorageRecord } from './storage.js';

/** The part of a write that a budget looks at. */
export type HeldEvent = Pick<StorageEvent, 'type' | 'revision' | 'record' | 'previous'>;

/** Something that keeps a part of the past, and can forget the oldest of it. */
export interface HistoryHolder {
  /** Revision of the oldest write that it keeps; undefined when it keeps none. */
  readonly oldestHeld: Revision | undefined;
  /** Forgets the writes up to a revision, and releases what it held of them. */
  forgetUpTo(revision: Revision): void;
}

/** Part of the host's heap that the past may take where nobody says otherwise. */
export const DEFAULT_HISTORY_SHARE = 0.25;

/** Where the host does not say how large its heap may be: an ordinary one has a GiB or more. */
const HISTORY_BYTES_WITHOUT_HOST = 256 * 1024 * 1024;

/**
 * Bytes of a kept write besides its texts: the event, its places in the lists, the record, and its entry in the count of texts.
 * Measured on Node 20 and 22.
 */
export const ENTRY_BYTES = 256;

/** Bytes that the past may take by default: a share of the heap that the host allows. */
export function defaultHistoryBytes(share = DEFAULT_HISTORY_SHARE): number {
  const heapLimit = hostHeapLimit();
  return heapLimit === undefined ? HISTORY_BYTES_WITHOUT_HOST : Math.floor(heapLimit * share);
}

/**
 * Counts what is kept of the past. Texts are counted once, however many hold them. When more is held than the limit allows, the
 * oldest writes are forgotten by all holders alike ({@link relieve}); the newest is always kept.
 */
export class HistoryBudget {
  /** Bytes that may be held. */
  readonly limitBytes: number;
  readonly #holders = new Set<HistoryHolder>();
  /** How many hold the text of a version. */
  readonly #texts = new Map<StorageRecord, number>();
  #usedBytes = 0;
  #newest: Revision = 0;

  /** @param limitBytes default a quarter of the heap that the host allows */
  constructor(limitBytes: number = defaultHistoryBytes()) {
    this.limitBytes = limitBytes;
  }

  /** Bytes that are held now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Adds a holder, which is asked to forget from now on. The function takes it out; what it holds it releases itself. */
  join(holder: HistoryHolder): () => void {
    this.#holders.add(holder);
    return () => void this.#holders.delete(holder);
  }

  /** Counts a write that a holder keeps: the versions that only the past still has, and the entry itself. */
  hold(event: HeldEvent): void {
    this.#usedBytes += ENTRY_BYTES;
    if (event.revision > this.#newest) this.#newest = event.revision;
    if (event.previous !== undefined) this.holdText(event.previous);
    if (event.type === 'delete') this.holdText(event.record);
  }

  /** A write is no longer kept by a holder that had it counted. */
  release(event: HeldEvent): void {
    this.#usedBytes -= ENTRY_BYTES;
    if (event.previous !== undefined) this.releaseText(event.previous);
    if (event.type === 'delete') this.releaseText(event.record);
  }

  /** Counts the text of a version, unless it is counted already. */
  holdText(record: StorageRecord): void {
    const holders = this.#texts.get(record) ?? 0;
    if (holders === 0) this.#usedBytes += record.text.length;
    this.#texts.set(record, holders + 1);
  }

  /** One who held the text of a version does so no more. */
  releaseText(record: StorageRecord): void {
    const holders = this.#texts.get(record);
    if (holders === undefined) return;
    if (holders > 1) {
      this.#texts.set(record, holders - 1);
      return;
    }
    this.#texts.delete(record);
    this.#usedBytes -= record.text.length;
  }

  /** Counts bytes of another sort; fewer are given back by a negative number. */
  holdBytes(bytes: number): void {
    this.#usedBytes += bytes;
  }

  /** Has the oldest writes forgotten until no more is held than may be. Holders call it when they have finished adding. */
  relieve(): void {
    while (this.#usedBytes > this.limitBytes) {
      const oldest = this.#oldestHeld();
      if (oldest === undefined || oldest >= this.#newest) return;
      for (const holder of this.#holders) {
        if ((holder.oldestHeld ?? Infinity) <= oldest) holder.forgetUpTo(oldest);
      }
    }
  }

  #oldestHeld(): Revision | undefined {
    let oldest: Revision | undefined;
    for (const { oldestHeld } of this.#holders) {
      if (oldestHeld !== undefined && (oldest === undefined || oldestHeld < oldest)) oldest = oldestHeld;
    }
    return oldest;
  }
}
