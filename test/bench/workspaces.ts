import { ConfigMap } from 'orch-apiserver/kinds';
import { createManualClock } from 'orch-apiserver/testing';
import { createWorkspaces } from 'orch-apiserver/workspaces';
import { costOf, median, type Measure } from './measure.js';

const MADE = 5_000;
const ACTIVE = 50;

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('run Node with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Workspaces that are made, loaded by their first request, and idle again: time of the processor and memory of each. */
export async function workspaces(): Promise<Measure[]> {
  const clock = createManualClock();
  await using served = createWorkspaces({ clock, unloadAfter: '5m' });
  // Code and the template are loaded once.
  for (let index = 0; index < 20; index += 1) {
    await served.create(`warm${index}`);
    using open = await served.open(`warm${index}`);
    await open
      .client()
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'warm' } });
    await open.server.settled();
  }
  await clock.advance('20m');
  const empty = heapBytes();
  const making = await costOf(async () => {
    for (let index = 0; index < MADE; index += 1) await served.create(`w${index}`);
  });
  const made = heapBytes();
  const loads: number[] = [];
  const reads: number[] = [];
  const opened: Awaited<ReturnType<typeof served.open>>[] = [];
  for (let index = 0; index < ACTIVE; index += 1) {
    const { cpuUs } = await costOf(async () => void opened.push(await served.open(`w${index}`)));
    loads.push(cpuUs / 1000);
  }
  const loaded = heapBytes();
  for (const open of opened) {
    const configMaps = open.client().resource(ConfigMap).namespace('default');
    for (let index = 0; index < 10; index += 1) await configMaps.create({ metadata: { name: `c${index}` } });
    await open.server.settled();
    reads.push((await costOf(async () => void (await configMaps.list()))).cpuUs);
  }
  const active = heapBytes();
  for (const open of opened) open.close();
  opened.length = 0;
  await clock.advance('20m');
  const idle = heapBytes();
  const kb = (bytes: number, count: number): number => bytes / 1024 / count;
  return [
    { name: 'workspaces: made', value: making.cpuUs / MADE / 1000, unit: 'ms CPU', target: { sense: '<=', value: 1 } },
    {
      ...{ name: 'workspaces: memory of one that was made', value: kb(made - empty, MADE), unit: 'KB' },
      target: { sense: '<=', value: 20 },
    },
    { name: 'workspaces: load', value: median(loads), unit: 'ms CPU', target: { sense: '<=', value: 5 } },
    {
      name: 'workspaces: memory of one that is loaded',
      value: kb(loaded - made, ACTIVE),
      unit: 'KB',
      target: undefined,
    },
    {
      name: 'workspaces: memory of one with objects and controllers',
      value: kb(active - made, ACTIVE),
      ...{ unit: 'KB', target: undefined, detail: `10 objects; a list takes ${median(reads).toFixed(0)} µs` },
    },
    {
      ...{ name: 'workspaces: memory of one with 10 objects that is idle again', value: kb(idle - made, ACTIVE) },
      ...{ unit: 'KB', target: { sense: '<=', value: 20 }, detail: 'with its history' },
    },
  ];
}
