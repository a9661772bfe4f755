/** A process with a small heap, in which far more is written than fits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const HEAP_MB = 96;
const UPDATES = 20_000;

test.concurrent.each(['memory', 'sqlite'])(
  'in a heap of 96 MB, 160 MB of updates pass through the engine %s',
  { timeout: 60_000 },
  async (engine) => {
    const load = [
      'test/bench/memory.ts',
      '--engine',
      engine,
      '--updates',
      `${UPDATES}`,
      '--bytes',
      '8192',
      '--objects',
      '100',
      '--limit-mb',
      `${HEAP_MB}`,
    ];
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, '--import', 'tsx', ...load], {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: 'tsconfig.node.json' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, errors] = ['', ''];
    child.stdout.on('data', (data) => (out += String(data)));
    child.stderr.on('data', (data) => (errors += String(data)));
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const result = JSON.parse(out.trim().split('\n').at(-1) ?? '') as { updates: number; idle: string; items: number };
    expect(result.updates).toBeGreaterThanOrEqual(UPDATES);
    // The watcher that never read got an error, and all objects exist.
    expect(result).toMatchObject({ idle: '410', items: 100 });
  },
);
