import type { Clock } from '../../meta/clock.js';
import type { Revision } from '../storage.js';
import type { Cluster } from './cluster.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';

/** The key by which the servers of one etcd agree on who compacts. It is the production system's, so that they agree with its servers too. */
const COMPACTION_KEY = Buffer.from('compact_rev_key');

/** The parts that a {@link Compactor} works with. */
export interface CompactorParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Told of each compaction, whoever did it. */
  readonly compacted: (revision: Revision) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Forgets, at each interval, the history before the last one. Of all servers that try, the one that first writes the common key
 * does it: its version is the number of the turn.
 */
export class Compactor {
  readonly #parts: CompactorParts;
  /** Version of the key, as it was last seen. */
  #turn = 0;
  /** The store's revision at the last turn. */
  #then: Revision = 0;
  #timer: { cancel(): void } | undefined;
  #stopped = false;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
  }

  /** Begins to take turns. */
  start(): void {
    const { clock, intervalMs, onError } = this.#parts;
    if (this.#stopped) return;
    this.#timer = clock.after(intervalMs, () => {
      void this.#takeTurn()
        .catch(onError)
        .then(() => this.start());
    });
  }

  /** Ends it. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #takeTurn(): Promise<void> {
    const { cluster, compacted } = this.#parts;
    const before = this.#then;
    const { succeeded, results, header } = await cluster.transact({
      compare: [{ key: COMPACTION_KEY, version: this.#turn }],
      success: [{ put: { key: COMPACTION_KEY, value: Buffer.from(String(before)) } }],
      failure: [{ range: { key: COMPACTION_KEY } }],
    });
    this.#then = header.revision;
    if (succeeded) {
      this.#turn += 1;
      // At the first turn nothing is known of how old any revision is.
      if (before > 0) compacted(await compactOnce(cluster, before));
      return;
    }
    const [found] = results.flatMap((result) =>
      result !== undefined && 'range' in result ? result.range.keyValues : [],
    );
    this.#turn = found?.version ?? 0;
    const done = Number(found?.value.toString('latin1'));
    if (Number.isSafeInteger(done)) compacted(done);
  }
}

/** Compacts, unless that was done already. */
async function compactOnce(cluster: Cluster, revision: Revision): Promise<Revision> {
  try {
    await cluster.compact(revision);
  } catch (error) {
    if (!(error instanceof RpcError && error.code === GrpcCode.OutOfRange && error.message.includes('compacted')))
      throw error;
  }
  return revision;
}
