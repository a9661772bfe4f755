/** Random clients of two servers, while faults happen: the history keeps all rules. */
import { describe, expect, test } from 'vitest';
import { checkHistory } from './check.js';
import { engines, type Engine } from './driver/engines.js';
import { Run } from './driver/run.js';
import { standby } from './driver/standby.js';
import { reportOf } from './timeline.js';

const SEED = Number(process.env['HISTORY_SEED'] ?? 1);
const OPERATIONS = Number(process.env['HISTORY_OPERATIONS'] ?? 12_500);

/** Its failovers take longer than its operations. */
const operationsOf = ({ name }: Engine): number => (name === standby.name ? Math.ceil(OPERATIONS / 10) : OPERATIONS);

describe.each([...engines, standby])('the history of $name', (engine) => {
  test.skipIf(!engine.isInstalled)(`keeps all rules, with seed ${SEED}`, { timeout: 300_000 }, async () => {
    const target = await engine.start();
    const operations = operationsOf(engine);
    try {
      const history = await Run.history(target, { seed: SEED, operations });
      expect(history.length).toBeGreaterThan(operations * 0.8);
      expect(reportOf(history, checkHistory(history))).toBe('the history keeps all rules');
    } finally {
      await target.close();
    }
  });
});
