/** The checker finds each of many mistakes of a storage within 5,000 operations, and says which rule it breaks. */
import { expect, test } from 'vitest';
import { systemClock } from '../../src/foundation/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { StorageDecorator } from '../../src/storage/decorate.js';
import { bugs } from './bugs.js';
import { checkHistory } from './check.js';
import { checkLinearizable } from './check-linearizable.js';
import { Run } from './driver/run.js';
import type { History } from './history.js';

/** Runs clients of two servers of one store, the second with a decorator. */
async function historyOf(decorate: StorageDecorator): Promise<History> {
  const engine = createMemoryStorage({ clock: systemClock, history: '24h' });
  const servers = [{ storage: engine }, { storage: decorate(engine) }];
  const target = { name: 'memory', servers, faults: [], close: () => engine.close() };
  try {
    return await Run.history(target, { seed: 1, operations: 5_000, patience: 20 });
  } finally {
    await target.close();
  }
}

test('finds nothing where there is no mistake', async () => {
  expect(checkHistory(await historyOf((inner) => inner))).toEqual([]);
});

test.each(bugs)('finds that $name', async ({ decorate, rules }) => {
  const broken = checkHistory(await historyOf(decorate)).map(({ rule }) => rule);
  expect(rules).toContain(rules.find((rule) => broken.includes(rule)) ?? [...new Set(broken)].join());
});

test.each(bugs.filter(({ name }) => /acknowledged|reported|is stale|compare versions/.test(name)))(
  'finds without revisions that $name',
  async ({ decorate }) => {
    expect(checkLinearizable(await historyOf(decorate)).map(({ rule }) => rule)).toContain('linearizable');
  },
);
