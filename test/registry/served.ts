import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage, StorageEvent } from '../../src/entries/storage.js';
import {
  createManualClock,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../src/entries/testing.js';
import { freezingStorage } from '../support/freezing-storage.js';
import { Widget } from './registry.js';

/** A server whose stored objects are frozen, and a record of the writes to its store. */
export interface FrozenServer extends TestServer {
  readonly storage: Storage;
  /** Writes since the start, or since the last call, as text: `update /registry/… @5`. */
  writes(): string[];
}

/** Starts a server with {@link Widget} over an engine whose objects cannot be changed. */
export async function startFrozenServer(options: TestServerOptions = {}): Promise<FrozenServer> {
  const storage = freezingStorage(createMemoryStorage({ clock: createManualClock() }));
  const running = await startTestServer({ resources: [Widget], ...options, storage });
  await running.settled();
  const seen: StorageEvent[] = [];
  storage.watch('/registry/', await storage.currentRevision(), {
    events: (events) => void seen.push(...events),
    progress: () => undefined,
    end: () => undefined,
  });
  return {
    ...running,
    storage,
    writes: () => seen.splice(0).map(({ type, key, revision }) => `${type} ${key} @${revision}`),
  };
}
