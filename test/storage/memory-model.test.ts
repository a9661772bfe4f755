import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { compare, operations } from './model-comparison.js';
import type { TestedEngine } from './model-comparison.js';

const memory: TestedEngine = {
  open: async (clock, history) => ({ storage: createMemoryStorage({ clock, ...history }) }),
  synchronous: true,
};

describe('memory storage against the model', () => {
  it('agrees from an empty store', async () => {
    await fc.assert(
      fc.asyncProperty(operations(120), (steps) => compare(memory, 0, steps)),
      { numRuns: 250 },
    );
  });

  it('agrees from a store with many keys, where nodes split and merge', async () => {
    await fc.assert(
      fc.asyncProperty(operations(150), (steps) => compare(memory, 600, steps)),
      { numRuns: 40 },
    );
  }, 300_000);
});
