/** A controller whose writes no event delivers. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createController } from '../../../src/entries/controllers.js';
import { ConfigMap } from '../../../src/entries/kinds.js';
import { startTestServer, type RunningControllers, type TestServer } from '../../../src/entries/testing.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import { Backup } from './backup.js';

const op = { username: 'op', groups: ['system:masters'] };
const OF_MAPS = { user: 'op', resource: 'configmaps' } as const;

/** Lets requests and runs happen, without time. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
}

describe('a run whose write no event delivers', () => {
  let server: TestServer;
  let running: RunningControllers;
  let runs = 0;

  beforeEach(async () => {
    server = await startTestServer({ dialect: 'kubernetes', resources: [Backup] });
    runs = 0;
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      async reconcile(_backup, { apply }) {
        runs += 1;
        if (runs === 1) await apply(ConfigMap, { metadata: { name: 'child' } });
      },
    });
    running = await server.run(controller, { client: server.server.client({ user: op }) });
  });
  afterEach(() => server.close());

  /** Lets requests and runs happen, without time, until there have been so many runs. */
  async function ran(count: number): Promise<void> {
    for (let turn = 0; turn < 100_000 && runs < count; turn += 1) await nextTurn();
    expect(runs).toBe(count);
  }

  /** Makes the informer of ConfigMaps blind, and lets a run write one that others delete. */
  async function writesUnseen() {
    const blind = [
      server.faults.fail({ ...OF_MAPS, verb: 'watch' }, { status: 503 }),
      server.faults.fail({ ...OF_MAPS, verb: 'list' }, { status: 503 }),
    ];
    server.faults.dropWatches(OF_MAPS);
    const backups = server.client.resource(Backup).namespace('default');
    await backups.create({ metadata: { name: 'a' }, spec: { secret: 's' } });
    await ran(1);
    await server.client
      .resource(ConfigMap)
      .namespace('default')
      .waitFor('child', (child) => child !== undefined);
    await server.client.resource(ConfigMap).namespace('default').delete('child');
    server.faults.expireHistory();
    await backups.patch('a', { spec: { copies: 2 } });
    await turns();
    expect(runs).toBe(1);
    return blind;
  }

  const unseen = () =>
    running.errors.filter(({ error }) => error instanceof Error && error.name === 'UnseenWritesError');

  test('is followed by the next one as soon as a list shows that others have undone it', async () => {
    const blind = await writesUnseen();
    for (const rule of blind) rule.remove();
    await server.clock.advance('5s');
    await ran(2);
    expect(unseen()).toEqual([]);
  });

  test('is followed by the next one after half a minute, which is reported', async () => {
    const blind = await writesUnseen();
    await server.clock.advance('29s');
    await turns();
    expect([runs, unseen()]).toEqual([1, []]);
    await server.clock.advance('2s');
    await ran(2);
    expect(unseen()).toMatchObject([{ controller: 'backup', key: 'default/a' }]);
    for (const rule of blind) rule.remove();
  });
});
