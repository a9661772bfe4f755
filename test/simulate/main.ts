/**
 * Runs whole worlds of servers, controllers, clients and faults in virtual time: `npm run test:simulate`. Ends with 1 when
 * an invariant is broken.
 *
 * - `--seeds N`: number of worlds; default 1,000
 * - `--first N`: seed of the first; default 1
 * - `--twice N`: each so many seeds run twice, and must do the same; default 50
 * - `--attempts N`: most worlds that are run to make a failing one smaller; default 300
 * - `--plan FILE`: runs the plan of a file, as a failure prints it
 * - `--mistake NAME`: the servers make a mistake of mistakes.ts
 * - `--hashes`: prints the hash of each seed
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { compiledProgram } from '../support/compiled-program.js';

const { file, remove } = await compiledProgram('test/simulate/program.ts', { inOneFile: true });
try {
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  remove();
}
