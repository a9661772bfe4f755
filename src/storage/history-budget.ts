/**
 * The memory budget of the history: superseded versions, watch events, and cached data that belongs to them. All
 * components that keep history share one budget, so the limit holds for their sum.
 *
 * @module
 */
import { hostModule } from '../meta/host-module.js';
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

/** Default share of the host's heap. */
export const DEFAULT_HISTORY_SHARE = 0.25;

/** Default budget when the host's heap limit is unknown. An ordinary heap limit is 1 GiB or more. */
const HISTORY_BYTES_WITHOUT_HOST = 256 * 1024 * 1024;

/**
 * Estimated overhead of a kept write besides its texts, in bytes: the event, its list entries, the record, and its
 * reference count. Measured on Node 20 and 22.
 */
export const ENTRY_BYTES = 256;

/** Returns the default budget in bytes: a share of the host's heap limit. */
export function defaultHistoryBytes(share = DEFAULT_HISTORY_SHARE): number {
  const heapLimit = hostHeapLimit();
  return heapLimit === undefined ? HISTORY_BYTES_WITHOUT_HOST : Math.floor(heapLimit * share);
}

/**
 * Counts the memory of the history. A text is counted once, however many components hold it. When the limit is
 * exceeded, {@link enforceLimit} makes all holders drop the oldest writes; the newest write is always kept.
 */
export class HistoryBudget {
  /** Limit in bytes. */
  readonly limitBytes: number;
  readonly #holders = new Set<HistoryHolder>();
  /** Number of holders of each version's text. */
  readonly #texts = new Map<StorageRecord, number>();
  #usedBytes = 0;
  #newest: Revision = 0;

  /** @param limitBytes default: a quarter of the host's heap limit */
  constructor(limitBytes: number = defaultHistoryBytes()) {
    this.limitBytes = limitBytes;
  }

  /** Bytes in use. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Adds a holder. The returned function removes it; the holder must release what it holds itself. */
  join(holder: HistoryHolder): () => void {
    this.#holders.add(holder);
    return () => void this.#holders.delete(holder);
  }

  /** Counts a write that a holder keeps: its overhead, and the versions that only the history still holds. */
  hold(event: HeldEvent): void {
    this.#usedBytes += ENTRY_BYTES;
    if (event.revision > this.#newest) this.#newest = event.revision;
    if (event.previous !== undefined) this.holdText(event.previous);
    if (event.type === 'delete') this.holdText(event.record);
  }

  /** Releases a write that {@link hold} counted. */
  release(event: HeldEvent): void {
    this.#usedBytes -= ENTRY_BYTES;
    if (event.previous !== undefined) this.releaseText(event.previous);
    if (event.type === 'delete') this.releaseText(event.record);
  }

  /** Adds a reference to the text of a version; the first one counts its length. */
  holdText(record: StorageRecord): void {
    const holders = this.#texts.get(record) ?? 0;
    if (holders === 0) this.#usedBytes += record.text.length;
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
    this.#usedBytes -= record.text.length;
  }

  /** Counts other bytes; a negative number releases them. */
  holdBytes(bytes: number): void {
    this.#usedBytes += bytes;
  }

  /** Makes the holders drop the oldest writes until the limit holds. A holder calls it after it has added writes. */
  enforceLimit(): void {
    while (this.#usedBytes > this.limitBytes) {
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

interface HeapModule {
  getHeapStatistics(): { readonly heap_size_limit: number };
}

function isHeapModule(module: unknown): module is HeapModule {
  return (
    typeof module === 'object' &&
    module !== null &&
    'getHeapStatistics' in module &&
    typeof module.getHeapStatistics === 'function'
  );
}

/** Returns the maximum heap size of this process in bytes; undefined on a platform that does not report it. */
function hostHeapLimit(): number | undefined {
  const module = hostModule('node:v8');
  return isHeapModule(module) ? module.getHeapStatistics().heap_size_limit : undefined;
}
