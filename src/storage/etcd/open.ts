import { delay } from '../../foundation/index.js';
import { withDecorators } from '../decorate.js';
import type { Revision, Storage } from '../storage.js';
import { Cluster } from './cluster.js';
import { EtcdStorage } from './engine.js';
import { settingsOf, type EtcdSettings, type EtcdStorageOptions } from './options.js';
import { Records } from './records.js';
import { EtcdClient } from './rpc/client.js';
import { findStart, isTransient } from './store-start.js';

const PAUSE_MS = 500;

/**
 * Opens a store in etcd (version 3.4 or later). Any number of processes may open it with the same prefix at the same
 * time; all of them show one state.
 *
 * @throws TypeError when options contradict each other
 * @throws StorageError `Unavailable` when etcd cannot be reached in time or refuses the user
 * @throws UnusableStoreError when another program wrote below the prefix
 */
export async function openEtcdStorage(options: EtcdStorageOptions): Promise<Storage> {
  const settings = settingsOf(options);
  const cluster = new Cluster(new EtcdClient(settings.client), settings.clock);
  const records = new Records(settings.keys, settings.maxCachedTextLength, settings.encryption);
  try {
    const engine = new EtcdStorage(cluster, records, settings, await startOf(cluster, records, settings));
    return withDecorators(engine, settings.decorators);
  } catch (error) {
    cluster.client.close();
    throw error;
  }
}

/** Waits for etcd, which may start at the same time as its clients. */
async function startOf(
  cluster: Cluster,
  records: Records,
  { clock, keys, openTimeoutMs }: EtcdSettings,
): Promise<Revision> {
  const deadline = clock.now() + openTimeoutMs;
  for (;;) {
    try {
      return await findStart(cluster, keys, records);
    } catch (error) {
      if (!isTransient(error) || clock.now() + PAUSE_MS >= deadline) throw error;
      await delay(clock, PAUSE_MS);
    }
  }
}
