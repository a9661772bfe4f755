import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TYPESCRIPT } from '../../support/typescript.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('node:test runs tests with a server each, and its fake timers', async () => {
  const program = fileURLToPath(new URL('node-test-program.ts', import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: `${root}tsconfig.node.json` };
  const args = [...TYPESCRIPT, '--test', '--test-reporter=tap', program];
  const run = await promisify(execFile)(process.execPath, args, { cwd: root, env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  expect(run.stdout + run.stderr).toMatch(/# pass 3\n# fail 0\n/);
}, 60_000);
