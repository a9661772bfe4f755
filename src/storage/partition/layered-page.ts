import { compareKeys } from '../state/records/key-order.js';
import type { Storage, StorageListOptions, StoragePage, StorageRecord } from '../storage.js';
import type { BaseRecords } from './base-records.js';
import { isTombstone } from './tombstone.js';

/** Returns a page of a range that a store and its base share; see {@link Storage.list}. */
export async function layeredPage(
  upper: Storage,
  base: BaseRecords,
  prefix: string,
  options: StorageListOptions,
): Promise<StoragePage> {
  const below = base.range(prefix, options.after);
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
  // Each tombstone takes the place of a visible record, and there are no more of them than records of the base.
  const own = await upper.list(prefix, limit === Infinity ? options : { ...options, limit: limit + below.length });
  const last = own.remaining === 0 ? undefined : own.records.at(-1)?.key;
  const covered = last === undefined ? below.length : below.filter(({ key }) => compareKeys(key, last) <= 0).length;
  const merged = mergedRecords(own.records, below.slice(0, covered));
  const taken = merged.length > limit ? merged.slice(0, limit) : merged;
  const later = last === undefined ? 0 : own.remaining + (await visibleGain(upper, below.slice(covered), own.revision));
  return { records: taken, revision: own.revision, remaining: merged.length - taken.length + later };
}

/** Merges records of a store with those of its base that the store neither replaces nor has deleted. */
function mergedRecords(own: readonly StorageRecord[], below: readonly StorageRecord[]): StorageRecord[] {
  const merged: StorageRecord[] = [];
  let next = 0;
  for (const record of own) {
    for (let base = below[next]; base !== undefined; base = below[next]) {
      const order = compareKeys(base.key, record.key);
      if (order > 0) break;
      if (order < 0) merged.push(base);
      next += 1;
    }
    if (!isTombstone(record)) merged.push(record);
  }
  for (; next < below.length; next += 1) {
    const base = below[next];
    if (base !== undefined) merged.push(base);
  }
  return merged;
}

/**
 * Returns by how many the visible records exceed those of the store, among keys of the base beyond a page: one more for a
 * record that the store does not have, one less for a tombstone.
 */
async function visibleGain(upper: Storage, below: readonly StorageRecord[], revision: number): Promise<number> {
  const gains = below.map(async ({ key }): Promise<number> => {
    const [first] = (await upper.list(key, { revision, limit: 1 })).records;
    if (first?.key !== key) return 1;
    return isTombstone(first) ? -1 : 0;
  });
  return (await Promise.all(gains)).reduce((sum, gain) => sum + gain, 0);
}
