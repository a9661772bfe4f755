import { ApiServer, ConfigMap } from 'orch-apiserver';
import { benchConfigMap } from './object.mjs';
import { interleaved, type Measure } from './measure.js';

const BATCH = 4_000;

/** Create and get through the in-process client, relative to parsing and writing the object's JSON on this machine. */
export async function inProcess(): Promise<Measure[]> {
  await using server = new ApiServer();
  const client = server.client().resource(ConfigMap).namespace('default');
  const stored = await client.create(benchConfigMap('subject'));
  const text = JSON.stringify(stored);
  let next = 0;
  let sink: unknown;
  const costs = await interleaved(9, {
    json: () => {
      for (let index = 0; index < BATCH; index += 1) sink = JSON.stringify(JSON.parse(text));
    },
    create: async () => {
      for (let index = 0; index < BATCH; index += 1) sink = await client.create(benchConfigMap(`made-${(next += 1)}`));
    },
    get: async () => {
      for (let index = 0; index < BATCH; index += 1) sink = await client.get('subject');
    },
  });
  if (sink === undefined) throw new Error('nothing was measured');
  const rate = (cost: { wallUs: number }): number => (BATCH * 1e6) / cost.wallUs;
  const detail = `object of ${text.length} bytes; JSON.parse + JSON.stringify of it: ${(costs.json.wallUs / BATCH).toFixed(2)} µs`;
  return [
    {
      name: 'in-process create',
      value: rate(costs.create),
      unit: 'a second',
      target: { sense: '>=', value: 40_000 },
      detail: `${(costs.create.cpuUs / BATCH).toFixed(1)} µs CPU each; ${detail}`,
    },
    {
      name: 'in-process get',
      value: rate(costs.get),
      unit: 'a second',
      target: { sense: '>=', value: 400_000 },
      detail: `${(costs.get.cpuUs / BATCH).toFixed(2)} µs CPU each`,
    },
  ];
}
