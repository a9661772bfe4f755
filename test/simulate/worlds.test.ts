/** Short forms of `npm run test:simulate`: worlds of new and of known seeds, and the proof that mistakes are found. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compiledProgram } from '../support/compiled-program.js';

const SEEDS = Number(process.env['SIMULATE_SEEDS'] ?? 20);
const FIRST = Number(process.env['SIMULATE_FIRST'] ?? 1);
/** Seeds within which a mistake must be found. */
const FEW = 20;

let program: Awaited<ReturnType<typeof compiledProgram>>;
beforeAll(async () => {
  program = await compiledProgram('test/simulate/program.ts', { inOneFile: true });
}, 300_000);
afterAll(() => program.remove());

/** Runs worlds in a process of their own, whose host they replace. */
function simulate(...given: string[]): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [program.file, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output })));
}

test(`worlds keep all invariants, and each does the same twice`, { timeout: 300_000 }, async () => {
  const { status, output } = await simulate(`--seeds=${SEEDS}`, `--first=${FIRST}`, '--twice=20');
  expect(output).toContain(`${SEEDS} seeds, 0 failed`);
  expect(status, output).toBe(0);
});

test('a seed is the same world in another process', { timeout: 300_000 }, async () => {
  const hashes = async (first: number, seeds: number): Promise<string | undefined> => {
    const { output } = await simulate(`--first=${first}`, `--seeds=${seeds}`, '--twice=0', '--hashes');
    return /^seed 3: \w+$/m.exec(output)?.[0];
  };
  const alone = await hashes(3, 1);
  expect(alone).toBeDefined();
  expect(await hashes(2, 2)).toBe(alone);
});

test.each([
  ['a watch event is dropped', /the history keeps its rules|every informer equals the store/],
  ['a write is acknowledged before the commit', /the history keeps its rules/],
  ['the charge of a quota is lost', /usage never exceeds the quota/],
  ['the garbage collector deletes too much', /nothing with an owner is collected/],
  ['an exchanged signing key is not followed', /servers at rest accept the same tokens/],
])('the mistake is found: %s', { timeout: 300_000 }, async (mistake, broken) => {
  const { status, output } = await simulate(`--seeds=${FEW}`, '--twice=0', '--attempts=10', `--mistake=${mistake}`);
  expect(output).toMatch(broken);
  expect(output).toContain('for --plan');
  expect(status).toBe(1);
});
