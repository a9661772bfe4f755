/**
 * Hidden classes of V8: a request must not make any. `{ ...options, name }` makes one for each object when `options` has
 * no member `name`: 60 times the cost of a literal, and a miss of the inline cache for each later access.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TIMES = 300;
/** Members of Node's own AbortSignal, each of which has hidden classes of its own. */
const OF_NODE = /symbol\("k(Aborted|Reason|Composite)"/;

test('no request makes hidden classes of its own', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shapes-'));
  try {
    const log = join(folder, 'v8.log');
    const child = spawn(
      process.execPath,
      [
        '--log-maps',
        '--no-log-maps-details',
        '--no-logfile-per-isolate',
        `--logfile=${log}`,
        '--import',
        'tsx',
        'test/server/shapes-process.ts',
        String(TIMES),
      ],
      {
        cwd: root,
        env: { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: 'tsconfig.node.json' },
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(0);
    expect(repeatedTransitions(await readFile(log, 'utf8'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Returns the transitions to a new hidden class, as line, column and member, that as many requests made. */
function repeatedTransitions(log: string): string[] {
  const counts = new Map<string, number>();
  const begin = log.indexOf(',requestsBegin\n');
  expect(begin).toBeGreaterThan(0);
  for (const line of log.slice(begin).split('\n')) {
    // map,Transition,time,from,to,pc,line,column,reason,member
    const fields = line.split(',');
    if (fields[0] !== 'map' || fields[1] !== 'Transition' || fields[8] !== 'prototype') continue;
    const [from, row, column, member = ''] = [fields[3], fields[6], fields[7], fields.slice(9).join(',')];
    if (OF_NODE.test(member)) continue;
    const key = `${row}:${column} ${member} (from ${from})`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > TIMES / 2).map(([key, count]) => `${key}: ${count} times`);
}
