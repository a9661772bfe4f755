import { systemClock, type Clock } from '../meta/index.js';
import { report } from '../meta/report.js';
import { stampRevision } from '../registry/record-codec.js';
import type { Storage } from '../storage/index.js';
import { fillStore, takeSnapshot } from '../storage/transfer/index.js';

/** Options of {@link copyStore}. */
export interface CopyStoreOptions {
  /** That of the storages; default the host's. */
  readonly clock?: Clock;
  /** Receives the number of copied records and the total. */
  readonly onProgress?: (records: number, all: number) => void;
  /** Aborts the copy; written records are removed. */
  readonly signal?: AbortSignal;
}

/**
 * Copies what a storage holds at this moment into another, which must be empty: objects, keys and secrets of the servers, and when
 * what vanishes by itself does so. Every object gets a new resourceVersion there. Neither storage is closed.
 *
 * @throws UnusableStoreError when the other is not empty; StorageError when one of them fails; the signal's reason
 */
export async function copyStore(
  from: Storage,
  to: Storage,
  { clock = systemClock, onProgress, signal }: CopyStoreOptions = {},
): Promise<void> {
  const snapshot = await takeSnapshot(from);
  await fillStore(to, snapshot, {
    clock,
    stampRevision,
    onProgress:
      onProgress === undefined ? undefined : (records: number) => report(() => onProgress(records, snapshot.count)),
    signal,
  });
}
