import { ApiServer, ConfigMap } from 'orch-apiserver';
import { benchConfigMap } from './object.mjs';
import { costOf, median, type Measure } from './measure.js';

const WATCHERS = 1_000;
const CHANGES = 1_000;
const NAMES = 10_000;

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

/** CPU time of one change with `watchers` watchers, each on another name, one of which is changed. */
async function changeWithNamedWatchers(watchers: number): Promise<number> {
  await using server = new ApiServer();
  const client = server.client().resource(ConfigMap).namespace('default');
  const abort = new AbortController();
  for (let index = 0; index < watchers; index += 1) await client.create(benchConfigMap(`name-${index}`));
  let delivered = 0;
  const readers = Array.from({ length: watchers }, async (_, index) => {
    for await (const event of client.watch({
      resourceVersion: String(1 + watchers),
      fieldSelector: `metadata.name=name-${index}`,
      signal: abort.signal,
    }))
      if (event.type === 'MODIFIED') delivered += 1;
  });
  await turn();
  const change = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const present = await client.get(`name-${index % watchers}`);
      present.data = { ...present.data, mode: String(Math.trunc(performance.now() * 1000) + index) };
      await client.update(present);
      await turn();
    }
  };
  await change(200);
  const samples: number[] = [];
  for (let round = 0; round < 7; round += 1) samples.push((await costOf(() => change(500))).cpuUs / 500);
  abort.abort();
  await Promise.all(readers);
  if (delivered < 200) throw new Error('no events were delivered');
  return median(samples);
}

/** The cost of watchers. */
export async function watch(): Promise<Measure[]> {
  const none = await deliver(0);
  const many = await deliver(WATCHERS);
  const perEvent = (many - none) / (WATCHERS * CHANGES);
  const one = await changeWithNamedWatchers(1);
  const named = await changeWithNamedWatchers(NAMES);
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
