import { ApiServer, ConfigMap } from 'orch-apiserver';
import { benchConfigMap } from './object.mjs';
import { costOf, median, type Measure } from './measure.js';

const WATCHERS = 1_000;
const CHANGES = 1_000;
const NAMES = 10_000;
const NAMED_ROUNDS = 25;
const NAMED_CHANGES = 200;

/** Lets all pending work run: watchers read delivered events. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function deliver(watchers: number): Promise<number> {
  await using server = new ApiServer();
  const client = server.client().resource(ConfigMap).namespace('default');
  const object = await client.create(benchConfigMap('watched'));
  const abort = new AbortController();
  let delivered = 0;
  const readers = Array.from({ length: watchers }, async () => {
    for await (const event of client.watch({
      resourceVersion: object.metadata.resourceVersion ?? '',
      signal: abort.signal,
    }))
      if (event.type === 'MODIFIED') delivered += 1;
  });
  await turn();
  const change = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const present = await client.get('watched');
      present.data = { ...present.data, mode: String(Math.trunc(performance.now() * 1000) + index) };
      await client.update(present);
      await turn();
    }
  };
  await change(50);
  const { cpuUs } = await costOf(() => change(CHANGES));
  abort.abort();
  await Promise.all(readers);
  if (delivered !== watchers * (CHANGES + 50))
    throw new Error(`${delivered} events of ${watchers * (CHANGES + 50)} were delivered`);
  return cpuUs;
}

/** A server with objects, some of which have a watcher each. */
interface Named {
  /** Changes the objects one after another, and returns the CPU time of a change in microseconds. */
  change(count: number): Promise<number>;
  close(): Promise<void>;
}

async function openNamed(watchers: number): Promise<Named> {
  const server = new ApiServer();
  const client = server.client().resource(ConfigMap).namespace('default');
  const abort = new AbortController();
  for (let index = 0; index < NAMES; index += 1) await client.create(benchConfigMap(`name-${index}`));
  let delivered = 0;
  let expected = 0;
  let changed = 0;
  const readers = Array.from({ length: watchers }, async (_, index) => {
    for await (const event of client.watch({
      resourceVersion: String(1 + NAMES),
      fieldSelector: `metadata.name=name-${index}`,
      signal: abort.signal,
    }))
      if (event.type === 'MODIFIED') delivered += 1;
  });
  await turn();
  const changeOne = async (): Promise<void> => {
    const index = changed % NAMES;
    const present = await client.get(`name-${index}`);
    present.data = { ...present.data, mode: String(Math.trunc(performance.now() * 1000) + changed) };
    await client.update(present);
    changed += 1;
    if (index < watchers) expected += 1;
    await turn();
  };
  return {
    async change(count) {
      const { cpuUs } = await costOf(async () => {
        for (let index = 0; index < count; index += 1) await changeOne();
      });
      return cpuUs / count;
    },
    async close() {
      abort.abort();
      await Promise.all(readers);
      await server.close();
      if (delivered !== expected) throw new Error(`${delivered} events of ${expected} were delivered`);
    },
  };
}

/** CPU time of a change among the same objects with one watcher and with many. The rounds alternate, so that both have the same heap and noise. */
async function namedWatchers(): Promise<{ readonly one: number; readonly named: number }> {
  const servers = [await openNamed(1), await openNamed(NAMES)];
  const samples: number[][] = servers.map(() => []);
  for (const server of servers) await server.change(500);
  for (let round = 0; round < NAMED_ROUNDS; round += 1)
    for (const [index, server] of servers.entries()) samples[index]?.push(await server.change(NAMED_CHANGES));
  for (const server of servers) await server.close();
  const [one = 0, named = 0] = samples.map(median);
  return { one, named };
}

/** The cost of watchers. */
export async function watch(): Promise<Measure[]> {
  const none = await deliver(0);
  const many = await deliver(WATCHERS);
  const perEvent = (many - none) / (WATCHERS * CHANGES);
  const { one, named } = await namedWatchers();
  return [
    {
      name: '1,000 watchers, 1,000 changes: CPU per delivered event',
      value: perEvent,
      unit: 'µs',
      target: { sense: '<=', value: 2 },
      detail: `without watchers ${(none / CHANGES).toFixed(0)} µs a change`,
    },
    {
      name: '10,000 watchers on 10,000 names: CPU per change against 1 watcher',
      value: named / one,
      unit: '×',
      target: { sense: '<=', value: 1.3 },
      detail: `${named.toFixed(1)} µs against ${one.toFixed(1)} µs`,
    },
  ];
}
