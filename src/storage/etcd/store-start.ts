import { StorageError, type Revision } from '../storage.js';
import { STORE_MARK_KEY, UnusableStoreError } from '../store-mark.js';
import { storageFailure, type Cluster } from './cluster.js';
import { keyAfter, type KeySpace } from './key-space.js';
import { ForeignValueError, type Records } from './records.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';

/** Maximum number of past revisions that are read when a store is opened, so that watches may start from them. */
const MAX_PAST_REVISIONS = 10_000;
const FIRST_REVISION: Revision = 1;
const PAGE = 500;

/**
 * Inspects the contents of etcd before the engine uses it.
 *
 * @returns the revision after which the history is read
 * @throws UnusableStoreError when another program wrote there; nothing is changed. StorageError `Unavailable` when etcd
 * does not answer
 */
export async function findStart(cluster: Cluster, keys: KeySpace, records: Records): Promise<Revision> {
  try {
    const { header, keyValues } = await cluster.range({ key: keys.encode(STORE_MARK_KEY) });
    if (keyValues.length === 0) await refuseForeign(cluster, keys, records);
    return Math.max(await compactedRevision(cluster, keys), header.revision - MAX_PAST_REVISIONS);
  } catch (error) {
    throw storageFailure(error);
  }
}

/**
 * Refuses a store without a mark that contains a foreign value. Another program's store may start with values that look
 * valid, so every value is checked.
 */
async function refuseForeign(cluster: Cluster, keys: KeySpace, records: Records): Promise<void> {
  const range = { ...keys.all };
  for (;;) {
    const { keyValues, count } = await cluster.range({ ...range, limit: PAGE });
    await records.prepare(keyValues);
    for (const keyValue of keyValues) {
      try {
        records.read(keyValue);
      } catch (error) {
        if (!(error instanceof ForeignValueError)) throw error;
        throw new UnusableStoreError(`${error.message}; give this server another prefix, or an etcd of its own`);
      }
    }
    const last = keyValues.at(-1);
    if (last === undefined || count === keyValues.length) return;
    range.key = keyAfter(last.key);
  }
}

/** Returns the oldest revision that etcd keeps; 0 when it was never compacted. */
async function compactedRevision(cluster: Cluster, keys: KeySpace): Promise<Revision> {
  const key = keys.outsideKey('compacted');
  try {
    await cluster.range({ key, countOnly: true, revision: FIRST_REVISION });
    return 0;
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== GrpcCode.OutOfRange) throw error;
    return cluster.compactedRevision(key);
  }
}

/** Returns whether opening may succeed on a retry. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof StorageError &&
    error.code === 'Unavailable' &&
    !(error.cause instanceof RpcError && error.cause.remedy === 'never')
  );
}
