/**
 * Some rows of the attack suite (`npm run test:attacks`), judged by what does not depend on the machine: the process
 * lives, the answers are right, nothing stays reserved, and no turn of the server's event loop takes long, in time of its
 * thread on a processor.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf, RULE, type Limits } from './judge.js';
import { bundleProgram, type Program } from './program.js';
import type { Row } from './row.js';
import { AREAS } from './rows/index.js';
import { runRow } from './run-row.js';

/** A processor that shares its cache and its clock with others may take five times as long for the same work. */
const SLOWER = 5;
const LIMITS: Limits = { waitMs: undefined, turnMs: SLOWER * RULE.turnMs };
/** Longest duration of an attack, in time of the server. */
const ATTACK_MS = 20_000;

/** Rows by area: those that once ended the process or held up others for seconds. */
const ROWS: readonly (readonly [area: keyof typeof AREAS, name: string])[] = [
  ['bodies', 'lists in lists in lists, one in reviews'],
  ['bodies', 'unknown fields, six strict reviews at once'],
  ['yaml', 'comments, ten in reviews'],
  ['protobuf', 'unknown fields, one at once'],
  ['errors', 'values outside an enum of 20,000, one'],
  ['errors', 'wrong labels, 1'],
  ['forms', 'an object of 1 MB with spaces as YAML, ten at once'],
  ['forms', 'an object of maps within each other as pretty JSON, 6 at once'],
  ['tables', 'columns with six descents, 1 tables'],
  ['definitions', 'anyOf 6⁴ with a pattern: an object'],
  ['cel', '6,000 terms in a rule: an object'],
  ['connections', 'HTTP/2 resets of lists on 2 connections'],
];

let program: Program;
beforeAll(async () => {
  program = await bundleProgram();
}, 60_000);
afterAll(() => program.remove());

function rowOf(area: string, name: string): Row {
  const row = AREAS[area]?.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no row ${area}: ${name}`);
  return row;
}

test.each(ROWS)('%s: %s', { timeout: 120_000 }, async (area, name) => {
  const result = await runRow(rowOf(area, name), program, ATTACK_MS);
  expect(faultsOf(result, LIMITS)).toEqual([]);
});
