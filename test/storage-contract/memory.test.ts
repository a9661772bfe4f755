import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { ManualClock } from '../storage/manual-clock.js';

describe('storage contract: memory', () => {
  const cases = storageContract({
    async create() {
      const clock = new ManualClock();
      const storage = createMemoryStorage({ clock });
      return { storage, advance: async (ms) => clock.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});

describe('storageContract', () => {
  const store = async (): Promise<never> => Promise.reject(new Error('must not be made'));
  const test = storageContract({ create: store })[0]?.name ?? '';

  it('names every case differently', () => {
    const names = storageContract({ create: store }).map((contractCase) => contractCase.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('does not run a skipped case, and reports the reason', async () => {
    const skipped = storageContract({ create: store, skip: [{ test, reason: 'no such thing here' }] })[0];
    expect(skipped?.skipped).toBe('no such thing here');
    await expect(skipped?.run()).resolves.toBeUndefined();
    await expect(storageContract({ create: store })[0]?.run()).rejects.toThrow('must not be made');
  });

  it.each([
    ['an unknown case', { test: 'none', reason: 'why' }, 'skip of an unknown case: none'],
    ['no reason', { test, reason: '' }, 'skip without a reason'],
  ])('rejects a skip of %s', (_, skip, message) => {
    expect(() => storageContract({ create: store, skip: [skip] })).toThrow(message);
  });
});
