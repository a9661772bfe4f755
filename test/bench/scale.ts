import { ApiServer, ConfigMap } from 'orch-apiserver';
import { benchConfigMap } from './object.mjs';
import { interleaved, type Measure } from './measure.js';

const SMALL = 1_000;
const LARGE = 100_000;
const PAGE = 500;
const BATCH = 40;

async function filled(objects: number): Promise<{ server: ApiServer; jsonBytes: number }> {
  const server = new ApiServer();
  const client = server.client().resource(ConfigMap).namespace('default');
  let jsonBytes = 0;
  for (let index = 0; index < objects; index += 1)
    jsonBytes += JSON.stringify(await client.create(benchConfigMap(`object-${String(index).padStart(6, '0')}`))).length;
  return { server, jsonBytes };
}

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Costs that do and do not grow with the store. */
export async function scale(): Promise<Measure[]> {
  const small = await filled(SMALL);
  const before = heapBytes();
  const large = await filled(LARGE);
  const memory = (heapBytes() - before) / large.jsonBytes;
  let sink = 0;
  const page = (server: ApiServer) => {
    const client = server.client().resource(ConfigMap).namespace('default');
    return async (): Promise<void> => {
      for (let index = 0; index < BATCH; index += 1) sink += (await client.list({ limit: PAGE })).items.length;
    };
  };
  const costs = await interleaved(15, { small: page(small.server), large: page(large.server) });
  if (sink === 0) throw new Error('nothing was listed');
  await small.server.close();
  await large.server.close();
  const each = (cost: { cpuUs: number }): string => (cost.cpuUs / BATCH).toFixed(0);
  return [
    {
      name: 'page of 500: 100,000 objects in the store against 1,000',
      value: costs.large.cpuUs / costs.small.cpuUs,
      unit: '×',
      target: { sense: '<=', value: 1.3 },
      detail: `${each(costs.large)} µs against ${each(costs.small)} µs`,
    },
    {
      name: 'memory of 100,000 objects over their JSON',
      value: memory,
      unit: '×',
      target: { sense: '<=', value: 3 },
      detail: `${(large.jsonBytes / 1e6).toFixed(0)} MB of JSON`,
    },
  ];
}
