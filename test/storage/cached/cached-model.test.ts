import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { filledCache } from '../../support/filled-cache.js';
import { RemoteStorage } from '../../support/remote-storage.js';
import { compare, operations, type TestedEngine } from '../model-comparison.js';

/** The cache may still show what its engine has forgotten, so the engine forgets nothing by itself. */
const cached: TestedEngine = {
  open: async (clock) => filledCache(createMemoryStorage({ clock }), { clock }),
  synchronous: true,
  timeless: true,
};

/** A cache whose watch ends after some writes, again and again, and whose pauses are over at once. */
const interrupted: TestedEngine = {
  open: async (clock) => {
    const remote = new RemoteStorage(createMemoryStorage({ clock }));
    const timers = {
      now: () => clock.now(),
      after: (_delayMs: number, callback: () => void) => {
        setImmediate(callback);
        return { cancel: () => undefined };
      },
    };
    const { storage } = await filledCache(remote.storage, { clock: timers });
    let writes = 0;
    storage.watch('', 1, {
      events: () => {
        writes += 1;
        if (writes % 3 === 0) queueMicrotask(() => remote.endFirst({ kind: 'failed', error: new Error('cut') }));
      },
      progress: () => undefined,
      end: () => undefined,
    });
    return { storage };
  },
  synchronous: true,
  timeless: true,
};

describe('a watch cache above memory against the model', () => {
  it('agrees from an empty store', async () => {
    await fc.assert(
      fc.asyncProperty(operations(120), (steps) => compare(cached, 0, steps)),
      { numRuns: 100 },
    );
  });

  it('agrees from a store with many keys', async () => {
    await fc.assert(
      fc.asyncProperty(operations(150), (steps) => compare(cached, 600, steps)),
      { numRuns: 15 },
    );
  }, 300_000);

  it('agrees while its watch is interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(operations(120), (steps) => compare(interrupted, 20, steps)),
      { numRuns: 60 },
    );
  }, 300_000);
});
