import { afterEach, describe, expect, test } from 'vitest';
import type { AdmissionPlugin } from '../../src/entries/index.js';
import { decorateStorage, type Storage } from '../../src/entries/storage.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { KeyTurns } from '../../src/registry/writes/key-turns.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { ask } from '../server/ask.js';

describe('the turns of a key', () => {
  const clock = createManualClock();

  test('come in the order in which they are asked for', async () => {
    const turns = new KeyTurns(clock);
    const order: string[] = [];
    const run = async (name: string): Promise<void> => {
      const turn = turns.of('/a');
      await turn.take();
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      turn.end();
    };
    await Promise.all(['first', 'second', 'third'].map(run));
    expect(order).toEqual([
      ...['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'],
    ]);
  });

  test('wait for nobody when nobody else updates the key', () => {
    const turns = new KeyTurns(clock);
    const [one, other] = [turns.of('/a'), turns.of('/b')];
    expect([one.take(), one.take(), other.take()]).toEqual([undefined, undefined, undefined]);
    one.end();
    one.end();
    expect(turns.of('/a').take()).toBeUndefined();
  });

  test('end when a step waits, and not before', async () => {
    const turns = new KeyTurns(clock);
    const first = turns.of('/a');
    void first.take();
    let came = false;
    void turns
      .of('/a')
      .take()
      ?.then(() => (came = true));
    expect(first.endIfWaiting('at once')).toBe('at once');
    await Promise.resolve();
    expect(came).toBe(false);
    await first.endIfWaiting(Promise.resolve());
    expect(came).toBe(true);
  });

  test('are lost by an update that does not come to its end', async () => {
    const turns = new KeyTurns(clock);
    const stuck = turns.of('/a');
    void stuck.take();
    const waiting = [turns.of('/a'), turns.of('/a')];
    const came: number[] = [];
    waiting.forEach((turn, index) => void turn.take()?.then(() => came.push(index)));
    await clock.advance(1_000);
    expect(came).toEqual([0]);
    stuck.end();
    await clock.advance(1_000);
    expect(came).toEqual([0, 1]);
  });

  test('are forgotten for keys that nobody updates', () => {
    const turns = new KeyTurns(clock);
    const busy = turns.of('/busy');
    void busy.take();
    for (let index = 0; index < 5_000; index += 1) {
      const turn = turns.of(`/${index}`);
      void turn.take();
      turn.end();
    }
    expect(turns.size).toBeLessThanOrEqual(1_024);
    expect(turns.of('/busy').take()).toBeInstanceOf(Promise);
  });
});

const COUNT = 50;
const all = <Result>(one: (index: number) => Promise<Result>): Promise<PromiseSettledResult<Result>[]> =>
  Promise.allSettled(Array.from({ length: COUNT }, (_, index) => one(index)));
const fulfilled = (outcomes: readonly PromiseSettledResult<unknown>[]): number =>
  outcomes.filter(({ status }) => status === 'fulfilled').length;

/** A plugin that counts the updates that it sees, with `mutate`. */
function counting(mutate: AdmissionPlugin['mutate'] = () => undefined): { plugin: AdmissionPlugin; seen(): number } {
  let seen = 0;
  const plugin: AdmissionPlugin = {
    name: 'Counts',
    operations: ['UPDATE'],
    mutate: (attributes, round) => {
      if (attributes.info.kind !== 'ConfigMap') return undefined;
      seen += 1;
      return mutate(attributes, round);
    },
  };
  return { plugin, seen: () => seen };
}

describe('updates of one object at once', () => {
  const started: TestServer[] = [];
  afterEach(async () => {
    for (const running of started.splice(0)) await running.close();
  });
  const start = async (
    plugins: readonly AdmissionPlugin[],
    storage: Storage = createMemoryStorage({ clock: createManualClock() }),
  ) => {
    const running = await startTestServer({
      storage,
      admission: { plugins },
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    });
    started.push(running);
    await running.settled();
    return { ...running, maps: running.client.resource(ConfigMap).namespace('default') };
  };

  test.each(['merge', 'strategic', 'json', 'apply', 'update'] as const)('each %s does its work once', async (kind) => {
    const { plugin, seen } = counting();
    const { maps } = await start([plugin]);
    await maps.create({ metadata: { name: 'a' }, data: { first: '1' } });
    const outcomes = await all((index) => {
      const data = { [`k${index}`]: 'v' };
      if (kind === 'merge') return maps.patch('a', { data });
      if (kind === 'strategic') return maps.patch('a', { data }, { type: 'strategic' });
      if (kind === 'json') return maps.patch('a', [{ op: 'add', path: `/data/k${index}`, value: 'v' }]);
      if (kind === 'update') return maps.update({ metadata: { name: 'a' }, data });
      return maps.apply({ metadata: { name: 'a' }, data }, { fieldManager: `m${index}` });
    });
    expect(fulfilled(outcomes)).toBe(COUNT);
    expect(seen()).toBe(COUNT);
    if (kind !== 'update') expect(Object.keys((await maps.get('a')).data ?? {})).toHaveLength(COUNT + 1);
  });

  test('those of one version conflict, but for the first', async () => {
    const { maps } = await start([]);
    const first = await maps.create({ metadata: { name: 'a' } });
    const outcomes = await all((index) => maps.update({ ...first, data: { k: String(index) } }));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      ...new Array<string>(COUNT - 1).fill('rejected'),
    ]);
    expect((await maps.get('a')).data).toEqual({ k: '0' });
  });

  test('one that waits for somebody else does not hold up the others, nor that one', async () => {
    const inner = { done: false };
    const { plugin } = counting(async ({ object }) => {
      if (object?.metadata.labels?.['outer'] === undefined || inner.done) return;
      inner.done = true;
      // The plugin changes the object that is being changed.
      await running.maps.patch('a', { data: { inner: '1' } });
    });
    const running = await start([plugin]);
    await running.maps.create({ metadata: { name: 'a' } });
    await running.maps.patch('a', { metadata: { labels: { outer: '1' } } });
    expect(await running.maps.get('a')).toMatchObject({ metadata: { labels: { outer: '1' } }, data: { inner: '1' } });
  });

  test('those of two servers on one store all succeed', async () => {
    const engine = createMemoryStorage({ clock: createManualClock() });
    const shared = decorateStorage(engine, { close: () => Promise.resolve() });
    const [one, two] = [await start([], shared), await start([], shared)];
    await one.maps.create({ metadata: { name: 'a' }, data: { n: '0' } });
    const outcomes = await all((index) =>
      (index % 2 === 0 ? one : two).maps.update({ metadata: { name: 'a' }, data: { [`k${index}`]: 'v' } }),
    );
    expect(fulfilled(outcomes)).toBe(COUNT);
    expect((await one.maps.get('a')).metadata.resourceVersion).toBe((await two.maps.get('a')).metadata.resourceVersion);
  });

  test('one that was over while it waited writes nothing', async () => {
    const engine = createMemoryStorage({ clock: createManualClock() });
    let holds = false;
    let held = (): void => undefined;
    let release = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (held = resolve));
    const storage = decorateStorage(engine, {
      update: async (...given) => {
        if (holds && given[0].includes('/configmaps/default/a')) {
          holds = false;
          held();
          await new Promise<void>((resolve) => (release = resolve));
        }
        return engine.update(...given);
      },
    });
    const { maps, server, clock } = await start([], storage);
    await maps.create({ metadata: { name: 'a' } });
    holds = true;
    const patched = (field: string, timeout: string) =>
      ask(server, 'PATCH', `/api/v1/namespaces/default/configmaps/a?timeout=${timeout}`, {
        token: 'admin',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ data: { [field]: '1' } }),
      });
    const answers = [patched('first', '10s'), patched('second', '500ms'), patched('third', '10s')];
    await isHeld;
    await clock.advance(600);
    expect((await answers[1])?.status).toBe(504);
    release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 504, 200]);
    expect((await maps.get('a')).data).toEqual({ first: '1', third: '1' });
  });
});
