/**
 * Some rows of the attack suite (`npm run test:attacks`), judged by what does not depend on the machine: the process
 * lives, the answers are right, nothing stays reserved, and no turn of the server's event loop takes long, in time of its
 * thread on a processor.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHOSEN, rowOf, SHORT } from './chosen.js';
import { faultsOf, RULE, type Limits } from './judge.js';
import { bundleProgram, type Program } from './program.js';
import { runRow } from './run-row.js';

/** A processor that shares its cache and its clock with others may take five times as long for the same work. */
const SLOWER = 5;
const LIMITS: Limits = { waitMs: undefined, turnMs: SLOWER * RULE.turnMs };
/** Longest duration of an attack, in time of the server. */
const ATTACK_MS = 20_000;

let program: Program;
beforeAll(async () => {
  program = await bundleProgram();
}, 300_000);
afterAll(() => program.remove());

test('the rows of the benchmark exist', () => {
  expect(CHOSEN.map((chosen) => rowOf(chosen).name)).toEqual(CHOSEN.map(([, name]) => name));
});

test.each(SHORT)('%s: %s', { timeout: 300_000 }, async (...chosen) => {
  const result = await runRow(rowOf(chosen), program, ATTACK_MS);
  expect(faultsOf(result, LIMITS)).toEqual([]);
});
