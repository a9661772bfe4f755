import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readState } from '../../../src/testing/index.js';
import { TYPESCRIPT } from '../../support/typescript.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs a program of `node:test`. @returns its output */
async function outputOf(name: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: `${root}tsconfig.node.json`, ...variables };
  const args = [...TYPESCRIPT, '--test', '--test-reporter=tap', program];
  const run = await promisify(execFile)(process.execPath, args, { cwd: root, env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return run.stdout + run.stderr;
}

test('node:test runs tests with a server each, and its fake timers', async () => {
  expect(await outputOf('node-test-program.ts')).toMatch(/# pass 3\n# fail 0\n/);
}, 300_000);

test('node:test saves the state in which a test fails, and that of no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'states-'));
  try {
    const output = await outputOf('failing-node-program.ts', { STATES: folder });
    expect(output).toMatch(/# pass 1\n# fail 1\n/);
    const [file = '', ...others] = await readdir(folder);
    expect([file, others]).toEqual([expect.stringMatching(/^finds-a-map-/), []]);
    expect(output).toContain(`npx orch-apiserver open ${join(folder, file)}`);
    const { head, writes } = await readState(join(folder, file));
    expect(head.test).toMatchObject({ name: 'finds a map', error: expect.stringContaining('1 !== 2') });
    expect(writes.at(-1)?.key).toContain('here');
  } finally {
    await rm(folder, { recursive: true });
  }
}, 300_000);
