import { report, systemClock, type Clock } from '../../foundation/index.js';
import { stampRevision } from '../../registry/index.js';
import type { Storage } from '../../storage/index.js';
import { importTransfer } from '../../storage/late.js';

/** Options of {@link copyStore}. */
export interface CopyStoreOptions {
  /** Clock of the storages; default the system clock. */
  readonly clock?: Clock | undefined;
  /** Called with the number of copied records and the total. */
  readonly onProgress?: ((records: number, all: number) => void) | undefined;
  /** Aborts the copy; written records are removed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies the current content of a storage to an empty one: objects, the servers' keys and secrets, and expiry times.
 * Every copied object gets a new resourceVersion. Neither storage is closed.
 *
 * @throws UnusableStoreError when the target is not empty; StorageError when a storage fails; the signal's reason
 */
export async function copyStore(
  from: Storage,
  to: Storage,
  { clock = systemClock, onProgress, signal }: CopyStoreOptions = {},
): Promise<void> {
  const { fillStore, takeSnapshot } = await importTransfer();
  const snapshot = await takeSnapshot(from);
  await fillStore(to, snapshot, {
    clock,
    stampRevision,
    onProgress:
      onProgress === undefined ? undefined : (records: number) => report(() => onProgress(records, snapshot.count)),
    signal,
  });
}
