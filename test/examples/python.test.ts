import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLES, outcomeOf } from './program.js';

const cwd = `${EXAMPLES}python`;
const COLD = 5 * 60_000;

/** Runs tests without writing caches beside them. */
const pytest = (file: string, env: Readonly<Record<string, string>> = {}) =>
  outcomeOf('python3', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', file], {
    cwd,
    env: { PYTHONDONTWRITEBYTECODE: '1', ...env },
  });

describe('the helper for Python', () => {
  let packages = '';
  let missing: string | undefined;
  beforeAll(async () => {
    packages = await mkdtemp(join(tmpdir(), 'examples-python-'));
    const { code } = await outcomeOf('python3', ['-c', 'import pytest']);
    missing = code === 0 ? undefined : 'python3 with pytest is not installed';
  }, COLD);
  afterAll(() => rm(packages, { recursive: true }));

  it('needs only the standard library: a fork for each test, faults, time', { timeout: COLD }, async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const { code, output } = await pytest('test_counter.py');
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('4 passed') });
  });

  it('gives a configuration to the official client', { timeout: COLD }, async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const words = ['-m', 'pip', 'install', '--quiet', '--target', packages, '--requirement', 'requirements.txt'];
    const installed = await outcomeOf('python3', words, { cwd });
    if (installed.code !== 0) skip(`pip cannot install the client: ${installed.output}`);
    const { code, output } = await pytest('test_official_client.py', { PYTHONPATH: packages });
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('2 passed') });
  });
});
