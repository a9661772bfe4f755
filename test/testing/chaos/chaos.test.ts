import { describe, expect, test } from 'vitest';
import { ConfigMap } from '../../../src/entries/index.js';
import { chaos, ChaosError, startTestServer, type TestServer } from '../../../src/entries/testing.js';

const DEFAULT = 'default';
const maps = (server: TestServer) => server.client.resource(ConfigMap).namespace(DEFAULT);

/** Retries everything: code that survives every fault whose effect is over after some attempts. */
async function insist<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let tries = 0; tries < 50; tries += 1)
    try {
      return await attempt();
    } catch (error) {
      if (tries === 49) throw error;
    }
  throw new Error('unreachable');
}

/** Adds one to a counter: safe against concurrent writers and lost answers. */
async function safeCount(server: TestServer): Promise<void> {
  await insist(async () => {
    const counter = await maps(server).get('visits');
    if (counter.data?.['total'] === '1') return;
    await maps(server).update({ ...counter, data: { total: '1' } });
  });
}

const seeded = async (): Promise<TestServer> => {
  const server = await startTestServer();
  await maps(server).create({ metadata: { name: 'visits' } });
  return server;
};

const failureOf = (work: Promise<unknown>): Promise<ChaosError> =>
  work.then(
    () => expect.fail('the test survives'),
    (error) => {
      if (error instanceof ChaosError) return error;
      throw error;
    },
  );

describe('chaos', () => {
  test('lets code that survives pass, and tells what it struck', async () => {
    const report = await chaos({ seed: 1, runs: 15, start: seeded }, async (server) => {
      await safeCount(server);
      server.faults.clear();
      expect((await maps(server).get('visits')).data).toEqual({ total: '1' });
    });
    expect(report.runs).toBe(15);
    expect(report.hits).toBeGreaterThan(10);
  });

  test('runs on forks of a prepared server', async () => {
    await using prepared = await seeded();
    const report = await chaos({ seed: 2, runs: 5, start: () => prepared.fork() }, safeCount);
    expect(report.runs).toBe(5);
    expect((await maps(prepared).get('visits')).data).toBeUndefined();
  });

  test('finds code that breaks, and the fewest rules that break it, which can be pasted', async () => {
    const options = { seed: 'x', runs: 40, start: seeded } as const;
    const careless = async (server: TestServer): Promise<void> => {
      const counter = await insist(() => maps(server).get('visits'));
      // A conflict is never resolved by the same version.
      await insist(() => maps(server).update({ ...counter, data: { total: '1' } }));
    };
    const error = await failureOf(chaos(options, careless));
    expect(error.rules).toHaveLength(1);
    expect(error.message).toContain('These lines repeat the failure:\n  test.faults.');
    expect(error.cause).toMatchObject({ code: 409 });
    expect(await failureOf(chaos(options, careless))).toMatchObject({ run: error.run, rules: error.rules });
    await using server = await seeded();
    for (const rule of error.rules) server.faults.add(rule);
    await expect(careless(server)).rejects.toMatchObject({ code: 409 });
  });

  test('needs two rules when only both together break the code', async () => {
    const fragile = async (server: TestServer): Promise<void> => {
      const failed = async (work: Promise<unknown>): Promise<boolean> =>
        work.then(
          () => false,
          () => true,
        );
      const got = await failed(maps(server).get('visits'));
      const listed = await failed(maps(server).list());
      if (got && listed) throw new Error('both failed');
    };
    const error = await failureOf(
      chaos({ seed: 3, runs: 200, rules: 6, faults: ['fail', 'dropConnection', 'delay'], start: seeded }, fragile),
    );
    expect(error.rules).toHaveLength(2);
    expect(error.cause).toMatchObject({ message: 'both failed' });
  });

  test('finds code that waits for ever, and code that does not expect a crash', async () => {
    const blocked = async (server: TestServer): Promise<void> => {
      const abort = new AbortController();
      for await (const event of maps(server).watch({ signal: abort.signal })) if (event.type === 'ADDED') return;
      await new Promise(() => undefined);
    };
    const error = await failureOf(
      chaos({ seed: 1, runs: 30, faults: ['dropWatches'], limit: '1m', start: seeded }, async (server) =>
        blocked(server).catch(() => new Promise<void>(() => undefined)),
      ),
    );
    expect(error.message).toContain('did not end within 60 s on its clock');
    const crashed = await failureOf(
      chaos({ seed: 1, runs: 5, faults: ['crash'], start: seeded }, async (server) => {
        await maps(server).update({ metadata: { name: 'visits' }, data: { total: '1' } });
      }),
    );
    expect(crashed.message).toContain('test.faults.crash({ afterWrites: 0');
    await chaos({ seed: 1, runs: 3, faults: ['crash'], start: seeded }, async (server) => {
      for (;;)
        try {
          return await safeCount(server);
        } catch {
          await server.clock.advance(1);
        }
    });
  });

  test('refuses a test that fails by itself, and wrong options', async () => {
    await expect(chaos({ seed: 1 }, async () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'chaos: the test fails without any fault: broken',
    );
    await expect(chaos({} as never, async () => undefined)).rejects.toThrow('the option seed is required');
    await expect(chaos({ seed: 1, faults: ['partition' as never] }, async () => undefined)).rejects.toThrow(
      'one of fail',
    );
    await expect(chaos({ seed: 1 }, undefined as never)).rejects.toThrow('the second argument must be a function');
  });
});
