/** Random clients ask API servers of one store over HTTP, while servers die and databases fail: the history keeps all rules. */
import { describe, expect, test } from 'vitest';
import { decorateStorage, type StorageDecorator } from '../../src/entries/storage.js';
import { apiEngines, memoryTarget } from './api/api-engines.js';
import { checkHistory } from './check.js';
import { Run } from './driver/run.js';
import { reportOf } from './timeline.js';

const SEED = Number(process.env['HISTORY_SEED'] ?? 1);
const OPERATIONS = Number(process.env['HISTORY_API_OPERATIONS'] ?? 400);

describe.each(apiEngines)('the history of the $name', (engine) => {
  test.skipIf(!engine.isInstalled)(`keeps all rules, with seed ${SEED}`, { timeout: 300_000 }, async () => {
    const target = await engine.start();
    try {
      const history = await Run.history(target, { seed: SEED, operations: OPERATIONS });
      expect(history.length).toBeGreaterThan(OPERATIONS * 0.8);
      expect(reportOf(history, checkHistory(history))).toBe('the history keeps all rules');
    } finally {
      await target.close();
    }
  });
});

/** A server whose copy of the values stands still at times, and which answers consistent reads from it. */
const staleCache: StorageDecorator = (inner) => {
  let calls = 0;
  let revision = 0;
  return decorateStorage(inner, {
    list: async (prefix, options = {}) => {
      if (!prefix.startsWith('/registry/secrets/') || options.revision !== undefined)
        return inner.list(prefix, options);
      if ((calls += 1) % 20 === 1) revision = await inner.currentRevision();
      return inner.list(prefix, { ...options, revision });
    },
  });
};

/** A server whose watches lose an event now and then. */
const lossyWatch: StorageDecorator = (inner) => {
  let count = 0;
  return decorateStorage(inner, {
    watch: (prefix, from, sink) =>
      inner.watch(prefix, from, {
        events: (events) => {
          const kept = events.filter(({ key }) => !key.startsWith('/registry/secrets/') || (count += 1) % 50 !== 0);
          if (kept.length > 0) sink.events(kept);
        },
        progress: (revision) => sink.progress(revision),
        end: (reason) => sink.end(reason),
      }),
  });
};

test.each([
  ['whose copy lags behind consistent reads', staleCache, ['stale']],
  ['whose watches lose events', lossyWatch, ['reliable', 'bookmarkable']],
] as const)('a server is found %s', { timeout: 300_000 }, async (_what, decorate, rules) => {
  const target = await memoryTarget(decorate);
  try {
    const history = await Run.history(target, { seed: 1, operations: 400, patience: 20 });
    const broken = new Set(checkHistory(history).map(({ rule }) => rule));
    expect(rules.filter((rule) => broken.has(rule)).length).toBeGreaterThan(0);
  } finally {
    await target.close();
  }
});
