import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/foundation/index.js';
import { decorateStorage, type Storage, type StorageDecorator } from '../../../src/entries/storage.js';
import { stampRevision } from '../../../src/registry/records/record-codec.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { EtcdProcess, etcdVersion } from '../../storage/etcd/etcd-process.js';
import { PostgresProcess, postgresPrograms } from '../../storage/postgres/postgres-process.js';
import { TcpProxy } from '../../storage/remote/tcp-proxy.js';
import { HISTORY, proxyFaults, TIMEOUT, type Engine } from '../driver/engines.js';
import { turns } from '../driver/turns.js';
import type { Fault, Target } from '../driver/run.js';
import { AbandonedServer, makeNamespaces } from './api-server.js';

const keptOpen = (storage: Storage): Storage =>
  decorateStorage(storage, { isShared: true, close: () => Promise.resolve() });
const nothing = (): Promise<void> => Promise.resolve();

/**
 * Two servers of one store in memory.
 *
 * @param decorate a storage of the second server that is another one, such as one with a mistake
 */
export async function memoryTarget(decorate: StorageDecorator = (inner) => inner): Promise<Target> {
  const engine = createMemoryStorage({ clock: systemClock, ...HISTORY });
  await makeNamespaces(keptOpen(engine));
  const parts = {
    compact: (revision: number) => engine.compact(revision),
    continueTokens: new Map<string, string>(),
    close: nothing,
  };
  const servers = [
    await AbandonedServer.start({ ...parts, open: async () => keptOpen(engine) }),
    await AbandonedServer.start({ ...parts, open: async () => decorate(keptOpen(engine)) }),
  ];
  return {
    name: 'API on memory',
    hasOtherWriters: true,
    servers,
    faults: servers.map(({ die }) => die),
    async close() {
      for (const server of servers) await server.close();
      await engine.close();
    },
  };
}

/** One server, since a file has one; its store is closed and opened again with it. */
async function sqliteTarget(): Promise<Target> {
  const directory = mkdtempSync(join(DATA_FOLDER, 'orch-history-'));
  let current: Storage | undefined;
  const open = async (): Promise<Storage> => {
    await current?.close();
    const options = { clock: systemClock, path: join(directory, 'store.db'), stampRevision, ...HISTORY };
    return (current = await openSqliteStorage(options));
  };
  await makeNamespaces(decorateStorage(await open(), { close: nothing }));
  const server = await AbandonedServer.start({
    open,
    close: (storage) => storage.close(),
    // The file may be closed for the moment.
    compact: async (revision) => current?.compact(revision),
    continueTokens: new Map(),
  });
  return {
    name: 'API on sqlite',
    hasOtherWriters: true,
    servers: [server],
    faults: [server.die, server.stepClock, server.die, server.stepClock],
    async close() {
      await server.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** A database of several servers, with faults of its own. */
interface Shared {
  open(options?: object): Promise<Storage>;
  /** Options of a server whose requests go through the proxy. */
  readonly throughProxy: object;
  readonly proxy: TcpProxy;
  readonly faults: readonly Fault[];
  remove(): Promise<void>;
}

/** Three servers: the last one asks its database through a proxy, without a watch cache. */
async function sharedTarget(name: string, database: Shared): Promise<Target> {
  const direct = await database.open();
  await makeNamespaces(decorateStorage(direct, { close: nothing }));
  const parts = {
    compact: (revision: number) => direct.compact(revision),
    continueTokens: new Map<string, string>(),
    close: (storage: Storage) => storage.close(),
  };
  const servers: AbandonedServer[] = [];
  for (const options of [{}, {}, { ...database.throughProxy, watchCache: false }])
    servers.push(
      await AbandonedServer.start({ ...parts, open: () => database.open({ requestTimeout: TIMEOUT, ...options }) }),
    );
  const ownFaults = servers.flatMap(({ die, stepClock }) => [stepClock, die]);
  return {
    name,
    hasOtherWriters: true,
    servers,
    faults: [...ownFaults, ...proxyFaults(database.proxy), ...database.faults],
    async close() {
      for (const server of servers) await server.close();
      await direct.close();
      await database.remove();
    },
  };
}

async function etcdTarget(): Promise<Target> {
  const process = await EtcdProcess.start();
  const proxy = await TcpProxy.start(process.port);
  return sharedTarget('API on etcd', {
    open: (options = {}) => process.open({ ...HISTORY, ...options }),
    ...{ throughProxy: { endpoints: [proxy.url] }, proxy },
    faults: [
      async () => {
        await process.end('SIGKILL');
        await process.start();
      },
      async () => {
        process.pause();
        await turns(100);
        process.resume();
      },
    ],
    async remove() {
      await proxy.close();
      await process.remove();
    },
  });
}

async function postgresTarget(): Promise<Target> {
  const process = await PostgresProcess.start();
  const proxy = await TcpProxy.start(Number(new URL(process.url).port));
  const url = `postgres://orch@127.0.0.1:${new URL(proxy.url).port}/postgres`;
  return sharedTarget('API on PostgreSQL', {
    open: (options = {}) => process.open({ ...HISTORY, ...options }),
    ...{ throughProxy: { url }, proxy },
    faults: [
      async () => {
        await process.end('SIGQUIT');
        await process.start();
      },
    ],
    async remove() {
      await proxy.close();
      await process.remove();
    },
  });
}

/** The engines below API servers that clients ask over HTTP. */
export const apiEngines: readonly Engine[] = [
  { name: 'API on memory', isInstalled: true, start: () => memoryTarget() },
  { name: 'API on sqlite', isInstalled: true, start: sqliteTarget },
  { name: 'API on etcd', isInstalled: etcdVersion !== undefined, start: etcdTarget },
  { name: 'API on PostgreSQL', isInstalled: postgresPrograms !== undefined, start: postgresTarget },
];
