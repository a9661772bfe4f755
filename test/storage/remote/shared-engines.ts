import type { EtcdStorageOptions } from '../../../src/storage/etcd/index.js';
import type { PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { EtcdProcess, etcdVersion } from '../etcd/etcd-process.js';
import { PostgresProcess, postgresPrograms } from '../postgres/postgres-process.js';

/** Options of a store; `cacheObjects` is for PostgreSQL only. */
export type SharedOptions = Pick<EtcdStorageOptions, 'encryption' | 'watchCache'> &
  Pick<PostgresStorageOptions, 'cacheObjects'>;

/** A database process in which several servers may open one store. */
export interface SharedDatabase {
  /** Opens a store. @param store its name: a lower-case word */
  open(store: string, options?: SharedOptions): Promise<Storage>;
  remove(): Promise<void>;
}

/** An engine whose stores several servers share. */
export interface SharedEngine {
  readonly name: string;
  /** Name of its health check. */
  readonly check: string;
  readonly isInstalled: boolean;
  start(): Promise<SharedDatabase>;
}

/** The engines whose stores several servers share. */
export const sharedEngines: readonly SharedEngine[] = [
  {
    name: 'etcd',
    check: 'etcd',
    isInstalled: etcdVersion !== undefined,
    async start() {
      const etcd = await EtcdProcess.start();
      return { open: (store, options) => etcd.open({ prefix: `/${store}`, ...options }), remove: () => etcd.remove() };
    },
  },
  {
    name: 'PostgreSQL',
    check: 'postgres',
    isInstalled: postgresPrograms !== undefined,
    async start() {
      const postgres = await PostgresProcess.start();
      return {
        open: (store, options) => postgres.open({ schema: store, ...options }),
        remove: () => postgres.remove(),
      };
    },
  },
];
