import type { Clock } from '../../foundation/index.js';
import type { Revision } from '../storage.js';
import type { Cluster } from './cluster.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import { firstInRanges } from './wire/key-values.js';

/**
 * The key through which the servers on one etcd choose the one that compacts. Kubernetes uses the same key, so both
 * choose together.
 */
const COMPACTION_KEY = Buffer.from('compact_rev_key');

/** The parts that a {@link Compactor} works with. */
export interface CompactorParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Called after each compaction, by this server or another. */
  readonly compacted: (revision: Revision) => void;
  /** Called with the revisions of writes to the shared key, which is not in the store. */
  readonly wroteOutside: (revision: Revision) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Compacts at each interval the history before the previous interval. Of all servers that try, the first one to write
 * the shared key compacts; the version of the key is the number of the turn.
 */
export class Compactor {
  readonly #parts: CompactorParts;
  /** Last known version of the key. */
  #turn = 0;
  /** Revision of the store at the last turn. */
  #lastRevision: Revision = 0;
  #timer: { cancel(): void } | undefined;
  #stopped = false;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
  }

  /** Starts the interval timer. */
  start(): void {
    const { clock, intervalMs, onError } = this.#parts;
    if (this.#stopped) return;
    this.#timer = clock.after(intervalMs, () => {
      void this.#takeTurn()
        .catch(onError)
        .then(() => this.start());
    });
  }

  /** Stops the timer. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #takeTurn(): Promise<void> {
    const { cluster, compacted, wroteOutside } = this.#parts;
    const before = this.#lastRevision;
    const response = await cluster.transact({
      compare: [{ key: COMPACTION_KEY, version: this.#turn }],
      success: [{ put: { key: COMPACTION_KEY, value: Buffer.from(String(before)) } }],
      failure: [{ range: { key: COMPACTION_KEY } }],
    });
    this.#lastRevision = response.header.revision;
    if (response.succeeded) {
      this.#turn += 1;
      wroteOutside(response.header.revision);
      // At the first turn, the age of the revisions is unknown.
      if (before > 0) compacted(await compactOnce(cluster, before));
      return;
    }
    const found = firstInRanges(response);
    this.#turn = found?.version ?? 0;
    if (found !== undefined) wroteOutside(found.modRevision);
    const done = Number(found?.value.toString('latin1'));
    if (Number.isSafeInteger(done)) compacted(done);
  }
}

/** Compacts, unless the revision is already compacted. */
async function compactOnce(cluster: Cluster, revision: Revision): Promise<Revision> {
  try {
    await cluster.compact(revision);
  } catch (error) {
    if (!(error instanceof RpcError && error.code === GrpcCode.OutOfRange && error.message.includes('compacted')))
      throw error;
  }
  return revision;
}
