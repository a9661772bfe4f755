import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleChild, startChild } from './child-program.js';
import type { Child } from './child-program.js';
import type { CrashOrder, CrashReport } from './crash-protocol.js';
import { CrashWitness } from './crash-witness.js';
import { storeDirectory } from './store-directory.js';

/** How often a child is killed; `npm run test:crashes` does it more often. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? '200');

/** Lets a child work on the store until it is killed, and collects all its reports. */
async function round({ process: child, reports }: Child, order: CrashOrder, witness: CrashWitness): Promise<void> {
  const gone = once(child, 'exit');
  child.stdin?.end(`${JSON.stringify(order)}\n`);
  // Sometimes before it kills itself in the middle of its writes, possibly in the middle of a recovery.
  if (Math.random() < 0.2) setTimeout(() => child.kill('SIGKILL'), Math.random() * 150);
  const [, signal] = (await gone) as [number | null, string | null];
  const lines = readFileSync(reports, 'utf8').split('\n');
  // Empty, or the beginning of a report that was cut off: a killed process stops between the pages of a write.
  lines.pop();
  for (const line of lines) witness.receive(JSON.parse(line) as CrashReport);
  expect(signal).toBe('SIGKILL');
}

describe('sqlite storage: the process is killed', () => {
  it.each(['full', 'relaxed'] as const)(
    `keeps all acknowledged writes, no partial write, and events without gaps (%s)`,
    async (durability) => {
      const directory = storeDirectory();
      const program = await bundleChild(directory);
      const witness = new CrashWitness();
      const rounds = durability === 'full' ? ROUNDS : Math.ceil(ROUNDS / 10);
      let next = startChild(program, join(directory, 'reports-0'));
      for (let index = 0; index < rounds; index++) {
        const child = next;
        // The next process starts while this one works.
        next = startChild(program, join(directory, `reports-${(index + 1) % 2}`));
        await round(
          child,
          {
            path: join(directory, 'store.db'),
            watchFrom: witness.seen,
            seed: index,
            durability,
            killAfter: Math.floor(Math.random() * 400),
          },
          witness,
        );
      }
      next.process.kill('SIGKILL');
      console.log(
        `${rounds} kills, revision ${witness.seen}, ${witness.acknowledged} writes acknowledged, ${witness.unreported} that nobody heard of`,
      );
      expect(witness.acknowledged).toBeGreaterThan(rounds);
    },
    60_000 + ROUNDS * 2_000,
  );
});
