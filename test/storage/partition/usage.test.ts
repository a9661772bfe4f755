/** The counts of a store whose history is compacted before they have followed it. */
import { describe, expect, it } from 'vitest';
import { decorateStorage, type StorageWatch, type StorageWatchSink } from '../../../src/entries/storage.js';
import { limitedStorage, StoreUsage } from '../../../src/storage/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { ManualClock } from '../manual-clock.js';

const key = (index: number): string => `/registry/x/${index}`;

/** A store whose watches and lists wait until the test lets them go on. */
async function world() {
  const inner = createMemoryStorage({ clock: new ManualClock() });
  let followed: { readonly sink: StorageWatchSink; readonly watch: StorageWatch } | undefined;
  let gate: Promise<void> | undefined;
  const storage = decorateStorage(inner, {
    watch: (prefix, from, sink) => {
      const watch = inner.watch(prefix, from, sink);
      followed = { sink, watch };
      return watch;
    },
    list: async (...given) => {
      await gate;
      return inner.list(...given);
    },
  });
  const usage = new StoreUsage(storage);
  for (let index = 0; index < 3; index += 1) await storage.create(key(index), () => '{}');
  await usage.start();
  const hold = (): (() => void) => {
    let open: () => void = () => undefined;
    gate = new Promise((resolve) => (open = resolve));
    return open;
  };
  /** Ends the watch, as an engine does whose history no longer reaches back to it. */
  const compacted = (): void => {
    followed?.watch.stop();
    followed?.sink.end({ kind: 'compacted', compactRevision: 1 });
  };
  return { storage, usage, hold, compacted };
}

describe('the counts of a store', () => {
  it('stay in force until the store has been counted again', async () => {
    const { storage, usage, hold, compacted } = await world();
    const limited = limitedStorage(storage, usage, () => ({ objects: 3, bytes: Infinity, collections: new Map() }));
    const full = { code: 'Full' };
    await expect(limited.create(key(3), () => '{}')).rejects.toMatchObject(full);
    const open = hold();
    compacted();
    expect([usage.objects, usage.objectsOf('/registry/x/')]).toEqual([3, 3]);
    await expect(limited.create(key(3), () => '{}')).rejects.toMatchObject(full);
    open();
    await expect.poll(() => usage.objects).toBe(3);
    await expect(limited.create(key(3), () => '{}')).rejects.toMatchObject(full);
    const { record } = await storage.get(key(0));
    await storage.delete(key(0), () => '{}', record?.modRevision ?? 0);
    await expect.poll(() => usage.objects).toBe(2);
    await limited.create(key(3), () => '{}');
    expect(usage.objects).toBe(3);
  });
});
