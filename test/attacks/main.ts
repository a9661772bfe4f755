/**
 * Runs the attack suite: `npm run test:attacks -- --area yaml --row NAME`. Each row has a server of its own. Prints a
 * table, and ends with 1 when a row fails.
 *
 * - `--area NAME`, `--row TEXT`: only the rows of an area, or whose name contains a text
 * - `--every N`: only each Nth of them
 * - `--list`: prints the rows
 * - `--seconds N`: longest duration of an attack; default 60
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/foundation/errors/error-message.js';
import { faultsOf } from './judge.js';
import { bundleProgram, type Program } from './program.js';
import type { Row } from './row.js';
import { AREAS } from './rows/index.js';
import { runRow } from './run-row.js';
import { head, lineBefore, lineOf } from './table.js';

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    row: { type: 'string' },
    every: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
  },
});

const wanted = Object.entries(AREAS)
  .filter(([area]) => values.area === undefined || area === values.area)
  .flatMap(([area, rows]) => rows.map((row) => ({ area, row })))
  .filter(({ row }) => row.name.includes(values.row ?? ''))
  .filter((_, index) => index % Number(values.every) === 0);

if (values.list) for (const { area, row } of wanted) console.log(`${area}: ${row.name} (${row.rights})`);
else process.exitCode = (await runAll()) ? 0 : 1;

async function runAll(): Promise<boolean> {
  const program = await bundleProgram();
  let failed = 0;
  console.log(head());
  try {
    for (const { area, row } of wanted) {
      const { line, faults } = await run(area, row, program);
      console.log(line);
      for (const fault of faults) console.log(`    FAILED ${fault.replaceAll(/\s+/g, ' ').slice(0, 400)}`);
      if (faults.length > 0) failed += 1;
    }
  } finally {
    program.remove();
  }
  console.log(`${wanted.length - failed} rows hold, ${failed} fail`);
  return failed === 0 && wanted.length > 0;
}

/** Runs a row. One that cannot be prepared fails; the rows after it run. */
async function run(area: string, row: Row, program: Program): Promise<{ line: string; faults: readonly string[] }> {
  try {
    const result = await runRow(row, program, Number(values.seconds) * 1000);
    return { line: lineOf(area, result), faults: faultsOf(result) };
  } catch (error) {
    return { line: lineBefore(area, row), faults: [`the row did not run: ${messageOf(error)}`] };
  }
}
