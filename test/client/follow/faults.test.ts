import { afterEach, describe, expect, test } from 'vitest';
import type { FollowEvent } from '../../../src/entries/client.js';
import { Informer } from '../../../src/entries/controllers.js';
import { ConfigMap, type ObjectOf } from '../../../src/entries/index.js';
import type { FaultRule, TestServer } from '../../../src/entries/testing.js';
import { PLACES, SOCKETS, type Place, type Reached } from '../backends/places.js';

/** Repeatable numbers from 0 to below 1. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Map = ObjectOf<typeof ConfigMap>;

const op = { username: 'op', groups: ['system:masters'] };
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Applies events as they come, and says what is wrong with them. */
class Mirror {
  readonly state = new globalThis.Map<string, { readonly uid: string; readonly version: number }>();
  readonly problems: string[] = [];
  readonly #seen = new globalThis.Map<string, number>();

  apply(event: FollowEvent<Map>): void {
    if (event.type === 'SYNCED') return;
    const { name = '', uid = '', resourceVersion = '' } = event.object.metadata;
    const version = Number(resourceVersion);
    const known = this.state.get(name);
    if (event.type === 'DELETED') {
      if (known === undefined) this.problems.push(`${name} was deleted unknown`);
      this.state.delete(name);
      return;
    }
    const last = this.#seen.get(name) ?? 0;
    if (version <= last) this.problems.push(`${name} has version ${version} after ${last}`);
    if (event.type === 'ADDED' && known !== undefined) this.problems.push(`${name} was added twice`);
    if (event.type === 'MODIFIED' && known?.uid !== uid) this.problems.push(`${name} changed its uid`);
    this.#seen.set(name, version);
    this.state.set(name, { uid, version });
  }

  get text(): string {
    return [...this.state]
      .map(([name, { uid, version }]) => `${name} ${uid} ${version}`)
      .sort()
      .join('\n');
  }
}

async function truth(test: TestServer): Promise<string> {
  const { items } = await test.client.resource(ConfigMap).namespace('default').list();
  return items
    .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .sort()
    .join('\n');
}

/** Does something at random: a write, or a fault for the user `op`. */
async function act(test: TestServer, random: () => number, rules: FaultRule[]): Promise<void> {
  const maps = test.client.resource(ConfigMap).namespace('default');
  const name = `m${Math.floor(random() * 6)}`;
  const chance = random();
  const ignore = (): undefined => undefined;
  if (chance < 0.25) await maps.create({ metadata: { name } }).catch(ignore);
  else if (chance < 0.5) await maps.patch(name, { data: { n: String(random()) } }).catch(ignore);
  else if (chance < 0.62) await maps.delete(name).catch(ignore);
  else if (chance < 0.68) {
    await maps.delete(name).catch(ignore);
    await maps.create({ metadata: { name } }).catch(ignore);
  } else if (chance < 0.74) test.faults.dropWatches({ user: 'op' }, { cleanly: random() < 0.5 });
  else if (chance < 0.8) rules.push(test.faults.fail({ user: 'op', verb: 'watch', times: 2 }, { status: 503 }));
  else if (chance < 0.85) rules.push(test.faults.fail({ user: 'op', verb: 'list', times: 2 }, { status: 500 }));
  else if (chance < 0.9) rules.push(test.faults.partition('op', { watches: random() < 0.5 ? 'cut' : 'silent' }));
  else if (chance < 0.95) for (const rule of rules.splice(0)) rule.remove();
  else test.faults.expireHistory();
}

const running: { readonly reached: Reached; readonly stop: () => Promise<unknown> }[] = [];
afterEach(async () => {
  for (const { reached, stop } of running.splice(0)) {
    await stop();
    await reached.close();
  }
});

async function followed(place: Place, seed: number) {
  const reached = await place.start('kubernetes');
  const { test } = reached;
  const client = await reached.client({ user: op, clock: test.clock });
  const mirror = new Mirror();
  const abort = new AbortController();
  const maps = client.resource(ConfigMap).namespace('default');
  const following = (async () => {
    for await (const event of maps.follow({ signal: abort.signal, limit: 2 })) mirror.apply(event);
  })();
  const informer = new Informer<Map>({ source: maps, clock: test.clock, pageSize: 2, onError: () => undefined });
  informer.start();
  running.push({
    reached,
    stop: async () => {
      abort.abort();
      await Promise.all([following, informer.stop()]);
    },
  });
  return { test, mirror, informer, random: randomOf(seed) };
}

/** Lets time pass until a condition holds. */
async function eventually(test: TestServer, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let step = 0; step < 600 && !(await holds()); step += 1) {
    await test.advance('2s');
    await turns(3);
  }
  expect(await holds()).toBe(true);
}

const places = [PLACES[0], ...SOCKETS].filter((place) => place !== undefined);

describe.each(places.flatMap((place) => [1, 2, 3].map((seed) => ({ place, seed }))))(
  'under faults, $place.name, seed $seed',
  ({ place, seed }) => {
    test('no event is lost or doubled, and an informer shows the state', { timeout: 300_000 }, async () => {
      const { test, mirror, informer, random } = await followed(place, seed);
      const rules: FaultRule[] = [];
      for (let step = 0; step < 120; step += 1) {
        await act(test, random, rules);
        if (random() < 0.3) await test.advance(`${Math.ceil(random() * 3)}s`);
        await turns(2);
      }
      for (const rule of rules) rule.remove();
      const expected = await truth(test);
      await eventually(test, () => mirror.text === expected);
      const cached = (): string =>
        [...informer.values()]
          .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
          .sort()
          .join('\n');
      await eventually(test, () => cached() === expected);
      expect(mirror.problems).toEqual([]);
    });
  },
);
