/**
 * Pending operations in the process of a server keep that process alive, and nothing else of the server does: observed
 * from another process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { esbuildDoors } from '../../scripts/doors.js';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Exit code of Node for a program that ends with an unsettled top-level await. */
const UNSETTLED = 13;

let directory: string;
let script: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keep-alive-'));
  script = join(directory, 'script.mjs');
  const entry = fileURLToPath(new URL('keep-alive/script.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [esbuildDoors()],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rm(directory, { recursive: true }));

async function run(name: string): Promise<{ readonly out: string; readonly code: number | null }> {
  const child = spawn(process.execPath, [script, name], { stdio: ['ignore', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.on('data', (data) => (out += String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { out: out.trim(), code };
}

test.concurrent.each([
  ['a watch, until an event', 'ADDED a'],
  ['a watch, until its time is out', 'over'],
  ['a watch, until the server closes', 'over'],
  ['a get at a version of the future', '504'],
  ['a list at a version of the future', '504'],
  ['initial events at a version of the future', 'ERROR'],
  ['a request that hangs', '504'],
  ['a request that is sent again', '0'],
  ['a request beyond the rate', '0'],
  ['following a server that was away', 'SYNCED'],
  ['a controller, until it is stopped', 'stopped'],
  ['a candidate that waits for the lead', 'stopped'],
])('keeps the process alive: %s', { timeout: 60_000 }, async (name, out) => {
  expect(await run(name)).toEqual({ out, code: 0 });
});

test.concurrent.each([
  ['an idle server', 'a'],
  ['a watch that nobody reads', 'ADDED'],
  ['an informer', 'synced'],
])('does not keep the process alive: %s', { timeout: 60_000 }, async (name, out) => {
  expect(await run(name)).toEqual({ out, code: 0 });
});

test.concurrent.each([
  'a watch in the background',
  'following in the background',
  'a controller whose server is closed',
])('does not keep the process alive: %s', { timeout: 300_000 }, async (name) => {
  expect(await run(name)).toEqual({ out: '', code: UNSETTLED });
});
