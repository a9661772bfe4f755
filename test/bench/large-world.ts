/** The servers of the bench of large stores: one for each engine, filled with labelled objects of 1 KiB. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, ConfigMap, Namespace, systemClock } from 'orch-apiserver';
import type { Storage } from 'orch-apiserver/storage';
import { openEtcdStorage } from 'orch-apiserver/storage/etcd';
import { createMemoryStorage } from 'orch-apiserver/storage/memory';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';
import { hasEtcd, startEtcd } from './etcd-process.js';
import { benchConfigMap } from './object.mjs';

/** The engines that can be measured. */
export const ENGINES = ['memory', 'sqlite', 'etcd'] as const;

/** An engine. */
export type Engine = (typeof ENGINES)[number];

/** A filled store and its server. */
export interface World {
  readonly engine: Engine;
  readonly objects: number;
  readonly storage: Storage;
  readonly server: ApiServer;
  /** Path of the store, for the engine that has one. */
  readonly path: string;
  close(): Promise<void>;
}

const IN_FLIGHT = 32;

/** Returns whether an engine can be measured here. */
export function isAvailable(engine: Engine): boolean {
  return engine !== 'etcd' || hasEtcd();
}

/** Runs `one` for each number below `count`, 32 at a time. */
export async function each(count: number, one: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await one(index);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** The name of an object. */
export const nameOf = (index: number): string => `object-${String(index).padStart(6, '0')}`;

/** An object of 1 KiB with a label that one in a thousand has, and one that half of them have. */
function labelled(index: number): ReturnType<typeof benchConfigMap> {
  const { metadata, data } = benchConfigMap(nameOf(index));
  const labels = {
    ...metadata.labels,
    half: index % 2 === 0 ? 'yes' : 'no',
    ...(index % 1_000 === 0 ? { rare: 'yes' } : {}),
  };
  return { metadata: { ...metadata, labels }, data };
}

/** Creates objects in a namespace. */
export function fill(server: ApiServer, namespace: string, objects: number): Promise<void> {
  const client = server.client().resource(ConfigMap).namespace(namespace);
  return each(objects, (index) => client.create(labelled(index)));
}

/** Updates every object of the namespace `default`. */
export function rewrite({ server, objects }: World): Promise<void> {
  const client = server.client().resource(ConfigMap).namespace('default');
  return each(objects, async (index) => {
    const object = labelled(index);
    await client.update({ ...object, data: { ...object.data, mode: `m${Math.random()}` } });
  });
}

/** Creates a namespace with objects. */
export async function fillNamespace(server: ApiServer, name: string, objects: number): Promise<void> {
  await server.client().resource(Namespace).create({ metadata: { name } });
  await fill(server, name, objects);
}

/** A server over a storage, as the bench asks it. */
export function serverOver(storage: Storage | undefined): ApiServer {
  return new ApiServer({
    ...(storage === undefined ? {} : { storage }),
    dialect: 'kubernetes',
    featureGates: { WatchList: true },
    authentication: { tokens: [{ token: 'bench', user: { username: 'bench', groups: ['system:masters'] } }] },
  });
}

/** Opens the store of a path as the bench does. */
export const openFile = (path: string): Promise<Storage> =>
  openSqliteStorage({ path, clock: systemClock, durability: 'relaxed' });

/** Starts a server over a store with this number of objects. */
export async function filledWorld(engine: Engine, objects: number): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'large-'));
  const path = join(directory, 'store.db');
  const etcd = engine === 'etcd' ? await startEtcd() : undefined;
  const storage =
    etcd !== undefined
      ? await openEtcdStorage({ endpoints: [etcd.url], clock: systemClock, compactionInterval: 0 })
      : engine === 'sqlite'
        ? await openFile(path)
        : createMemoryStorage({ clock: systemClock });
  const server = serverOver(storage);
  await fill(server, 'default', objects);
  const close = async (): Promise<void> => {
    await server.close();
    await etcd?.stop();
    rmSync(directory, { recursive: true });
  };
  return { engine, objects, storage, server, path, close };
}
