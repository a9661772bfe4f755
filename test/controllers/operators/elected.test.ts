/** Controllers that run in one of several processes: the one that leads. */
import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { createController, createManager, LeadLostError } from '../../../src/entries/controllers.js';
import { toFetchHandler } from '../../../src/entries/fetch.js';
import { ConfigMap, Lease } from '../../../src/entries/kinds.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';

const start = () => startTestServer({ dialect: 'kubernetes', users: { ann: { groups: ['system:masters'] } } });
const LEASE = { lease: 'copier', identity: 'one' };

/** Resolves when a process leads. */
const led = ({ client }: TestServer, identity: string) =>
  client
    .resource(Lease)
    .namespace('default')
    .waitFor('copier', (lease) => lease?.spec?.holderIdentity === identity);

/** Starts a process that tells which objects its controller sees. */
function begin(of: TestServer, identity: string, told: string[]) {
  const controller = createController({
    name: 'copier',
    kind: ConfigMap,
    reconcile: ({ metadata }) => {
      if (metadata.namespace === 'default') told.push(`${identity} ${metadata.name}`);
    },
  });
  const stop = new AbortController();
  const manager = createManager({ client: of.client, controllers: [controller], onError: () => undefined });
  const ended = manager.run({ signal: stop.signal, leaderElection: { lease: 'copier', identity } }).then(
    () => 'stopped',
    (error: unknown) => error,
  );
  return { manager, stop: () => stop.abort(), ended };
}

const create = ({ client }: TestServer, name: string) =>
  client.resource(ConfigMap).namespace('default').create({ metadata: { name } });

/** Lets requests and runs happen, without time, until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !holds(); turn += 1) await nextTurn();
  expect(holds()).toBe(true);
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));

const seen = (told: readonly string[], name: string) => told.filter((line) => line.endsWith(` ${name}`));

describe('controllers with a leader election', () => {
  test('run in one process, and in another one after it has stopped', async () => {
    await using of = await start();
    const told: string[] = [];
    const one = begin(of, 'one', told);
    await led(of, 'one');
    const two = begin(of, 'two', told);
    await create(of, 'a');
    await until(() => seen(told, 'a').length > 0);
    one.stop();
    expect(await one.ended).toBe('stopped');
    const taken = led(of, 'two');
    await of.clock.advance('5s');
    await taken;
    await create(of, 'b');
    await until(() => seen(told, 'b').length > 0);
    expect([seen(told, 'a')[0], seen(told, 'b')]).toEqual(['one a', ['two b']]);
    two.stop();
    expect(await two.ended).toBe('stopped');
  });

  test('follow the objects while another process leads, and queue nothing', async () => {
    await using of = await start();
    const told: string[] = [];
    const one = begin(of, 'one', told);
    await led(of, 'one');
    const two = begin(of, 'two', told);
    await two.manager.settled();
    const ready = await toFetchHandler(two.manager)(new Request('http://127.0.0.1/readyz'));
    expect(ready.status).toBe(200);
    await create(of, 'a');
    await until(() => seen(told, 'a').length > 0);
    await two.manager.settled();
    expect(await two.manager.metrics()).toContain('workqueue_depth{name="copier"} 0\n');
    const lists = () => of.requests({ verb: 'list', resource: 'configmaps' }).length;
    const before = lists();
    one.stop();
    await one.ended;
    await of.clock.advance('5s');
    await until(() => told.includes('two a'));
    expect(lists() - before).toBe(0);
    two.stop();
    expect(await two.ended).toBe('stopped');
  });

  test('end with an error when the lead is lost', async () => {
    await using of = await start();
    const told: string[] = [];
    const one = begin(of, 'one', told);
    await led(of, 'one');
    await create(of, 'early');
    await until(() => seen(told, 'early').length > 0);
    of.faults.fail({ resource: 'leases' }, { status: 503 });
    for (let second = 0; second < 12; second += 1) await of.clock.advance('1s');
    expect(await one.ended).toBeInstanceOf(LeadLostError);
    of.faults.clear();
    await create(of, 'late');
    await of.settled();
    expect(seen(told, 'late')).toEqual([]);
    await one.manager.settled();
  });

  test('send nothing more when the lead is lost, and get no time to end', async () => {
    await using of = await start();
    let began = false;
    const calls: unknown[] = [];
    const controller = createController({
      name: 'copier',
      kind: ConfigMap,
      reconcile: async (_object, { client, signal }) => {
        began = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        calls.push(await client.resource(ConfigMap).namespace('default').list().catch(nameOf));
      },
    });
    const manager = createManager({ client: of.client, controllers: [controller], onError: () => undefined });
    const ended = manager.run({ leaderElection: { lease: 'copier', identity: 'one' } }).catch(nameOf);
    await create(of, 'a');
    await until(() => began);
    of.faults.fail({ resource: 'leases' }, { status: 503 });
    for (let second = 0; second < 11; second += 1) await of.clock.advance('1s');
    expect(await ended).toBe('LeadLostError');
    expect(calls).toEqual(['LeadLostError']);
  });

  test('look at the time before each call: the process may have stood still', async () => {
    await using of = await start();
    let blockedMs = 0;
    const clock = {
      now: () => of.clock.now(),
      monotonic: () => of.clock.now() + blockedMs,
      after: (ms: number, callback: () => void) => of.clock.after(ms, callback),
    };
    const handle = toFetchHandler(of.server);
    await using client = await connect(
      { url: 'http://127.0.0.1', token: of.token('ann'), fetch: (url, init) => handle(new Request(url, init)) },
      { clock },
    );
    const calls: unknown[] = [];
    const controller = createController({
      name: 'copier',
      kind: ConfigMap,
      reconcile: async ({ metadata: { name = '' } }, { client: own }) => {
        if (name !== 'a') return;
        blockedMs = 11_000;
        calls.push(await own.resource(ConfigMap).namespace('default').delete(name).catch(nameOf));
      },
    });
    const manager = createManager({ client, controllers: [controller], onError: () => undefined });
    const ended = manager.run({ leaderElection: { lease: 'copier', identity: 'one' } }).catch(nameOf);
    await create(of, 'a');
    await until(() => calls.length > 0);
    expect(calls).toEqual(['LeadLostError']);
    await manager.abandon();
    await ended;
  });

  test('refuse wrong options before anything runs', async () => {
    await using of = await start();
    const manager = createManager({ client: of.client, controllers: [] });
    await expect(manager.run({ leaderElection: { lease: '' } })).rejects.toThrow(/leaderElection.*lease/);
    await expect(manager.run({ leaderElection: { ...LEASE, renewDeadline: '20s' } })).rejects.toThrow(
      'leaderElection: leaseDuration must be greater than renewDeadline',
    );
  });
});
