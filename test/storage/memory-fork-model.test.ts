import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Clock } from '../../src/foundation/time/clock.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/storage/storage.js';
import { compare, operations } from './model-comparison.js';
import type { TestedEngine } from './model-comparison.js';
import { encoding } from './storage-model.js';

function forkOf(storage: Storage, clock: Clock): Storage {
  const fork = storage.fork?.({ clock });
  if (fork === undefined) throw new Error('the engine has no fork');
  return fork;
}

/** Changes a store everywhere, and closes it. */
async function spoil(storage: Storage): Promise<void> {
  const { records } = await storage.list('');
  for (const [index, record] of records.entries()) {
    if (index % 3 === 0) await storage.delete(record.key, encoding('gone'), record.modRevision);
    else await storage.update(record.key, encoding('other'), record.modRevision, { ttl: 10_000 });
    await storage.create(`${record.key}!`, encoding('more'));
  }
  await storage.compact(await storage.currentRevision());
  await storage.close();
}

const forked: TestedEngine = {
  async open(clock, history) {
    let storage = createMemoryStorage({ clock, ...history });
    return {
      storage,
      reopen: async () => {
        // The watches of the former store end when it closes, as after a restart.
        const first = forkOf(storage, clock);
        await storage.close();
        storage = forkOf(first, clock);
        await spoil(forkOf(storage, clock));
        await spoil(first);
        return storage;
      },
    };
  },
  synchronous: true,
  keepsAges: true,
};

describe('a forked memory store against the model', () => {
  it('agrees through forks of forks, whatever is written to the others', async () => {
    await fc.assert(
      fc.asyncProperty(operations(120), (steps) => compare(forked, 0, steps)),
      { numRuns: 150 },
    );
  });

  it('agrees with many keys, where shared nodes split and merge', async () => {
    await fc.assert(
      fc.asyncProperty(operations(150), (steps) => compare(forked, 600, steps)),
      { numRuns: 30 },
    );
  }, 300_000);
});
