import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedEngines } from '../storage/remote/shared-engines.js';
import { EtcdProcess } from '../storage/etcd/etcd-process.js';
import { PostgresProcess } from '../storage/postgres/postgres-process.js';
import { TYPESCRIPT } from '../support/typescript.js';
import { EXAMPLES, outcomeOf } from './program.js';

const KILLS = 3;

interface Result {
  readonly acknowledged: number;
  readonly lost: string[];
  readonly failed: string[];
}

/** Starts a database. @returns the flags of a server that uses it */
async function startDatabase(engine: string): Promise<{ readonly flags: string[]; remove(): Promise<void> }> {
  if (engine === 'etcd') {
    const etcd = await EtcdProcess.start();
    return { flags: ['--storage=etcd', `--etcd-servers=${etcd.url}`], remove: () => etcd.remove() };
  }
  const postgres = await PostgresProcess.start();
  return { flags: ['--storage=postgres', `--postgres-url=${postgres.url}`], remove: () => postgres.remove() };
}

describe.each(sharedEngines)('three-servers on $name', ({ name, isInstalled }) => {
  describe.skipIf(!isInstalled)('with its balancer', () => {
    let database: { readonly flags: string[]; remove(): Promise<void> };
    beforeAll(async () => {
      database = await startDatabase(name);
    });
    afterAll(() => database.remove());

    test('loses no write and refuses none while servers are killed and end in order', async () => {
      const flags = ['--every=0', `--kills=${KILLS}`, '--clients=3', '--seed=11', ...database.flags];
      const program = [...TYPESCRIPT, 'three-servers/main.ts', ...flags];
      const { code, output } = await outcomeOf(process.execPath, program, {
        env: { TSX_TSCONFIG_PATH: `${EXAMPLES}tsconfig.json`, PORT: '0' },
      });
      expect(code, output).toBe(0);
      // Both ways to end are among them.
      expect(output.match(/^SIG(KILL|TERM) to https:/gm)).toHaveLength(KILLS);
      expect(output).toContain('SIGKILL to ');
      expect(output).toContain('SIGTERM to ');
      const result = JSON.parse(/^result (.*)$/m.exec(output)?.[1] ?? '{}') as Result;
      expect(result).toMatchObject({ lost: [], failed: [] });
      expect(result.acknowledged).toBeGreaterThan(KILLS * 6);
    }, 300_000);
  });
});
