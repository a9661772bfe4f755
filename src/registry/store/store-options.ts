import type { Work } from '../../foundation/index.js';
import type { StorageWriteOptions } from '../../storage/index.js';
import type { WhileWaiting } from './context.js';

/** Options of a write for the storage, and the work of the request. */
export interface FullOptions extends Pick<StorageWriteOptions, 'growthWhenFull' | 'while' | 'accepted'> {
  /** The work of the request, of which a conversion is a part. */
  readonly work?: Work | undefined;
}

/** A read of an object that is not older than a version. */
export interface VersionedRead {
  /** Empty for the current state. */
  readonly resourceVersion: string;
  readonly signal: AbortSignal | undefined;
  readonly whileWaiting: WhileWaiting | undefined;
}

/** Options of {@link RecordWrites.erase}. */
export interface EraseOptions extends Pick<StorageWriteOptions, 'while'> {
  /** Whether the object is a copy of the decoded form of the record. Default false. */
  readonly isUnchanged?: boolean | undefined;
  /** The work of the request. */
  readonly work?: Work | undefined;
}
