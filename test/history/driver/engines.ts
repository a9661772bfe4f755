import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/foundation/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { openEtcdStorage } from '../../../src/storage/etcd/index.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { filledCache } from '../../support/filled-cache.js';
import { EtcdProcess, etcdVersion } from '../../storage/etcd/etcd-process.js';
import { PostgresProcess, postgresPrograms } from '../../storage/postgres/postgres-process.js';
import { TcpProxy } from '../../storage/remote/tcp-proxy.js';
import { StagedConnection } from '../../storage/sqlite/staged-connection.js';
import {
  etcdAlarm,
  fatallyFullDisk,
  fullDisk,
  fullFile,
  missingFaults,
  ownDisk,
  slowDisk,
  slowFile,
} from './disk-faults.js';
import { canSlowSyncs } from '../../support/slow-syncs.js';
import { turns } from './turns.js';
import { stampRevision } from './values.js';
import type { Fault, Run, Target } from './run.js';

/** An engine whose histories are checked. */
export interface Engine {
  readonly name: string;
  readonly isInstalled: boolean;
  /** Starts a store with its servers. */
  start(): Promise<Target>;
}

/** Nothing is forgotten unless a client asks for it. */
export const HISTORY = { history: '24h', maxHistoryEvents: 10_000_000 } as const;
/** Number of files of its log that PostgreSQL may have made before it needs them. */
const LOG_FILES = 20;
/** Megabytes by which the file of etcd grows at most while its disk is full. */
const FILE_MEGABYTES = 40;
/** Time after which a request that is not answered fails. */
export const TIMEOUT = '2s';

/** The faults of the connections between a server and its database. */
export function proxyFaults(proxy: TcpProxy): readonly Fault[] {
  /** Drops bytes of some requests, and then the connections. */
  const lose =
    (dropped: 'requests' | 'answers') =>
    async (run: Run): Promise<void> => {
      proxy.drop(dropped);
      await Promise.race([proxy.requested(500), run.clientsEnded]);
      await turns(20);
      proxy.drop('nothing');
      proxy.cut();
    };
  return [
    async () => proxy.cut(),
    lose('answers'),
    async () => {
      await proxy.refuse();
      await turns(100);
      await proxy.listen();
    },
    lose('requests'),
  ];
}

/** One store in memory; the second server reads from a watch cache. */
const memory: Engine = {
  name: 'memory',
  isInstalled: true,
  async start() {
    const storage = createMemoryStorage({ clock: systemClock, ...HISTORY });
    const cached = await filledCache(storage, { clock: systemClock });
    return {
      name: this.name,
      servers: [{ storage }, cached],
      faults: [],
      ttl: 20,
      close: () => cached.storage.close(),
    };
  },
};

/** One engine for both servers, since a file has one; it is closed and opened again. */
const sqlite: Engine = {
  name: 'sqlite',
  isInstalled: true,
  async start() {
    const disk = ownDisk();
    const directory = mkdtempSync(join(disk?.path ?? DATA_FOLDER, 'orch-history-'));
    const options = { clock: systemClock, path: join(directory, 'store.db'), stampRevision, ...HISTORY };
    const server = await StagedConnection.open(options);
    const restart: Fault = async () => {
      await server.storage.close();
      Object.assign(server, await StagedConnection.open(options));
    };
    // A log that was longer has room for more writes.
    const shortLog = (): Promise<unknown> => server.connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
    return {
      name: this.name,
      servers: [server],
      faults: [
        restart,
        disk === undefined ? fullFile(() => server.connection) : fullDisk(disk, shortLog),
        slowFile(() => server.connection),
        restart,
        restart,
      ],
      ttl: 20,
      async close() {
        await server.storage.close();
        rmSync(directory, { recursive: true });
        disk?.remove();
      },
    };
  },
};

/** The first server reads from its watch cache; the second asks etcd, through a proxy. */
const etcd: Engine = {
  name: 'etcd',
  isInstalled: etcdVersion !== undefined,
  async start() {
    const disk = ownDisk();
    const process = await EtcdProcess.start({ within: disk?.path });
    const proxy = await TcpProxy.start(process.port);
    const options = { requestTimeout: TIMEOUT, ...HISTORY };
    const servers = [
      { storage: await process.open(options) },
      { storage: await process.open({ ...options, endpoints: [proxy.url], watchCache: false }) },
    ];
    const restart: Fault = async () => {
      await process.end('SIGKILL');
      await process.start();
    };
    const stall: Fault = async () => {
      process.pause();
      await turns(100);
      process.resume();
    };
    /** Takes pages of the file, until there is no space for one: etcd ends. */
    const fillFile = async (): Promise<void> => {
      for (let megabyte = 0; megabyte < FILE_MEGABYTES && process.isRunning; megabyte += 1)
        await process.grow().catch(() => undefined);
    };
    return {
      name: this.name,
      servers,
      faults: [
        ...proxyFaults(proxy),
        restart,
        stall,
        etcdAlarm(process),
        ...(disk === undefined ? [] : [fatallyFullDisk(disk, process, fillFile)]),
        ...(canSlowSyncs ? [slowDisk(process)] : []),
      ],
      missing: missingFaults({ full: 'a full disk (only the alarm of etcd)', slow: 'a slow disk' }),
      ttl: 1_000,
      async close() {
        for (const { storage } of servers) await storage.close();
        await proxy.close();
        await process.remove().finally(() => disk?.remove());
      },
    };
  },
};

/** A cluster of three: members end and stop one after the other, and with them the leader. */
export const cluster: Engine = {
  name: 'etcd cluster',
  isInstalled: etcdVersion !== undefined,
  async start() {
    const members = await EtcdProcess.startCluster(3);
    const endpoints = members.map(({ url }) => url);
    const [first, second, third] = members;
    const options = { requestTimeout: TIMEOUT, clock: systemClock, compactionInterval: 0, ...HISTORY };
    const servers = [
      { storage: await openEtcdStorage({ ...options, endpoints }) },
      { storage: await openEtcdStorage({ ...options, endpoints: endpoints.toReversed(), watchCache: false }) },
    ];
    const restart =
      (member: EtcdProcess | undefined, signal: 'SIGKILL' | 'SIGTERM'): Fault =>
      async (run) => {
        await member?.end(signal);
        await run.moreSteps(200);
        await member?.start();
      };
    const stall =
      (member: EtcdProcess | undefined): Fault =>
      async (run) => {
        member?.pause();
        await run.moreSteps(50);
        member?.resume();
      };
    return {
      name: this.name,
      servers,
      ttl: 1_000,
      faults: [
        restart(first, 'SIGKILL'),
        stall(second),
        restart(third, 'SIGTERM'),
        stall(first),
        restart(second, 'SIGKILL'),
        stall(third),
      ],
      async close() {
        for (const { storage } of servers) await storage.close();
        await Promise.all(members.map((member) => member.remove()));
      },
    };
  },
};

/** The first server reads from its watch cache; the second asks PostgreSQL, through a proxy. */
const postgres: Engine = {
  name: 'PostgreSQL',
  isInstalled: postgresPrograms !== undefined,
  async start() {
    const [disk, logDisk] = [ownDisk(), ownDisk()];
    const process = await PostgresProcess.start(['fsync=on'], { data: disk?.path, log: logDisk?.path });
    const proxy = await TcpProxy.start(Number(new URL(process.url).port));
    const url = `postgres://orch@127.0.0.1:${new URL(proxy.url).port}/postgres`;
    const options = { requestTimeout: TIMEOUT, ...HISTORY };
    const servers = [
      { storage: await process.open(options) },
      { storage: await process.open({ ...options, url, watchCache: false }) },
    ];
    const restart: Fault = async () => {
      await process.end('SIGQUIT');
      await process.start();
    };
    const endSessions: Fault = async () => {
      await process.run(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orch-apiserver'`,
      );
    };
    /** Takes new files of the log, until there is no space for one: PostgreSQL ends. */
    const fillLog = async (): Promise<void> => {
      for (let file = 0; file < LOG_FILES && process.isRunning; file += 1)
        await process.run('SELECT pg_switch_wal()').catch(() => undefined);
    };
    return {
      name: this.name,
      servers,
      faults: [
        ...proxyFaults(proxy),
        restart,
        endSessions,
        ...(disk === undefined ? [] : [fullDisk(disk)]),
        ...(logDisk === undefined ? [] : [fatallyFullDisk(logDisk, process, fillLog)]),
        ...(canSlowSyncs ? [slowDisk(process)] : []),
      ],
      missing: missingFaults({ full: 'a full disk', slow: 'a slow disk' }),
      ttl: 500,
      async close() {
        for (const { storage } of servers) await storage.close();
        await proxy.close();
        await process.remove().finally(() => {
          disk?.remove();
          logDisk?.remove();
        });
      },
    };
  },
};

/** The engines, each with two servers where it can have them. */
export const engines: readonly Engine[] = [memory, sqlite, etcd, postgres];
