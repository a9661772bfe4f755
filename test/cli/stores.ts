import { join } from 'node:path';
import { run } from '../../src/cli/run.js';
import { systemClock } from '../../src/foundation/index.js';
import { stampRevision } from '../../src/registry/records/record-codec.js';
import { type Storage } from '../../src/entries/storage.js';
import { claimStore } from '../../src/storage/index.js';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import { createFakeHost, type FakeHost } from './fake-host.js';

/** Opens the store that the flag `--data-dir` names. */
export const openStoreIn = (directory: string): Promise<Storage> =>
  openSqliteStorage({ path: join(directory, 'store.db'), clock: systemClock, stampRevision });

/** A stored object. */
export const mapText =
  (name: string, value = '') =>
  (revision: number): string =>
    JSON.stringify({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name, namespace: 'default', resourceVersion: String(revision) },
      data: { value },
    });

/** Storage key of such an object. */
export const mapKey = (name: string): string => `/registry/configmaps/default/${name}`;

/** Makes a store with that many objects. */
export async function makeStore(directory: string, count: number, dialect = 'orch'): Promise<void> {
  const storage = await openStoreIn(directory);
  await claimStore(storage, { dialect, continueKey: 'secret' });
  const names = Array.from({ length: count }, (_, index) => `m${index}`);
  await Promise.all(names.map((name) => storage.create(mapKey(name), mapText(name))));
  await storage.close();
}

/** The contents of a store: keys, texts, revisions. */
export async function contentOf(storage: Storage): Promise<object[]> {
  return (await storage.list('')).records.map(({ key, text, createRevision, modRevision }) => ({
    key,
    text,
    createRevision,
    modRevision,
  }));
}

/** The same for the store named by the flag `--data-dir`. */
export async function contentIn(directory: string): Promise<object[]> {
  const storage = await openStoreIn(directory);
  try {
    return await contentOf(storage);
  } finally {
    await storage.close();
  }
}

/** The result of a command. */
export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the program in this process. */
export async function command(words: readonly string[], host: FakeHost = createFakeHost()): Promise<CommandOutcome> {
  const code = await run(words, host);
  return { code, out: host.out(), err: host.err() };
}
