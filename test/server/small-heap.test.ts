/** Processes with a small heap, in which far more is written than fits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compiledProgram } from '../support/compiled-program.js';

const HEAP_MB = 96;
const UPDATES = 20_000;

type Program = Awaited<ReturnType<typeof compiledProgram>>;
let load: Program;
let overloaded: Program;
beforeAll(async () => {
  [load, overloaded] = await Promise.all([
    compiledProgram('test/bench/memory.ts'),
    compiledProgram('test/server/overloaded-server.ts'),
  ]);
});
afterAll(() => {
  load.remove();
  overloaded.remove();
});

test.concurrent.each(['memory', 'sqlite'])(
  'in a heap of 96 MB, 160 MB of updates pass through the engine %s',
  { timeout: 300_000 },
  async (engine) => {
    const options = [
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
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, load.file, ...options], {
      env: { ...process.env, NODE_OPTIONS: '' },
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

test(
  'in a heap of 96 MB, a server refuses 400 MB of objects, and bodies of any number, without dying',
  {
    timeout: 120_000,
  },
  async () => {
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, overloaded.file], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let exited = false;
    child.on('exit', () => (exited = true));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const maps = `${line.toString().trim()}/api/v1/namespaces/default/configmaps`;
    const request = async (method: string, path = '', body?: string): Promise<number> => {
      const response = await fetch(maps + path, {
        method,
        headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const text = 'x'.repeat(1_000_000);
    const statuses = new Map<number, number>();
    /** Sends as many requests at once as the server may refuse. */
    const flood = async (count: number, bodyOf: (number: number) => string): Promise<void> => {
      let next = 0;
      const send = async (): Promise<void> => {
        while (next < count) {
          const status = await request('POST', '', bodyOf(next++));
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: 50 }, send));
    };
    try {
      await flood(400, (number) => JSON.stringify({ metadata: { name: `map-${number}` }, data: { text } }));
      // Each fits into the limit of bodies, and is far larger than an object may be.
      await flood(100, (number) =>
        JSON.stringify({ metadata: { name: `large-${number}` }, data: { text: text + text } }),
      );
      expect([...statuses.keys()].filter((status) => ![201, 422, 429].includes(status))).toEqual([]);
      expect(statuses.get(201)).toBeGreaterThan(10);
      expect(statuses.get(429)).toBeGreaterThan(100);
      expect(await request('DELETE')).toBe(200);
      expect(await request('POST', '', JSON.stringify({ metadata: { name: 'after' }, data: { text } }))).toBe(201);
      expect(exited).toBe(false);
    } finally {
      child.kill();
    }
  },
);
