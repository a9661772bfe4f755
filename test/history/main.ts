/**
 * Runs clients of each engine and checks the histories: `npm run test:history`. Ends with 1 when a rule is broken.
 *
 * - `--engine NAME`: only one engine; may be repeated
 * - `--operations N`: number of steps of all clients of an engine; default 1,000,000
 * - `--seed N`: default 1
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { checkHistory } from './check.js';
import { apiEngines } from './api/api-engines.js';
import { cluster, engines as ownEngines, type Engine } from './driver/engines.js';
import { Run } from './driver/run.js';
import { standby } from './driver/standby.js';
import { summaryOf } from './summary.js';
import { reportOf } from './timeline.js';

/** The engines, and whole API servers above them. */
const engines = [...ownEngines, cluster, standby, ...apiEngines];

const { values } = parseArgs({
  options: {
    engine: { type: 'string', multiple: true, default: engines.map(({ name }) => name) },
    operations: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
});

const wanted = engines.filter(({ name }) => values.engine.includes(name));
let isRight = wanted.length > 0;
for (const engine of wanted) isRight = (await runEngine(engine)) && isRight;
process.exitCode = isRight ? 0 : 1;

async function runEngine(engine: Engine): Promise<boolean> {
  if (!engine.isInstalled) {
    console.log(`${engine.name}: not installed`);
    return false;
  }
  const [seed, operations] = [Number(values.seed), Number(values.operations)];
  const target = await engine.start();
  try {
    for (const fault of target.missing ?? []) console.log(`${engine.name}: without ${fault}`);
    const began = performance.now();
    const history = await Run.history(target, { seed, operations });
    const ended = performance.now();
    const violations = checkHistory(history);
    const seconds = [ended - began, performance.now() - ended].map((ms) => (ms / 1000).toFixed(1));
    console.log(`${engine.name}, seed ${seed}: ${summaryOf(history)}`);
    console.log(`  ran ${seconds[0]} s, checked ${seconds[1]} s: ${reportOf(history, violations)}`);
    return violations.length === 0;
  } finally {
    await target.close();
  }
}
