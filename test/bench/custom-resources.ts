import { ApiServer, systemClock } from 'orch-apiserver';
import { createMemoryStorage } from 'orch-apiserver/storage/memory';
import { median, type Measure } from './measure.js';

const DEFINITIONS = 500;
const ROUNDS = 5;
const GROUP = 'bench.example';
/** Length of the JSON of one definition, in characters. */
const TEXT = 2_000;

/** A server that starts with many stored definitions: nothing of a kind is compiled before its first use. */
export async function customResources(): Promise<Measure[]> {
  const storage = createMemoryStorage({ clock: systemClock });
  const close = storage.close.bind(storage);
  // Several servers use the storage, one after the other.
  storage.close = () => Promise.resolve();
  await define(storage);
  const samples: { readonly startMs: number; readonly usedMiB: number; readonly firstMs: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const sample = await startOnce(storage);
    if (round > 0) samples.push(sample);
  }
  await close();
  return [
    {
      name: `start with ${DEFINITIONS} definitions`,
      value: median(samples.map(({ startMs }) => startMs)),
      unit: 'ms',
      target: { sense: '<=', value: 2_000 },
      detail: `${DEFINITIONS} definitions of ${TEXT} characters; the first request of a kind takes ${median(samples.map(({ firstMs }) => firstMs)).toFixed(1)} ms more`,
    },
    {
      name: 'memory of a definition whose kind is not used',
      value: (median(samples.map(({ usedMiB }) => usedMiB)) * 1024) / DEFINITIONS,
      unit: 'KiB',
      target: { sense: '<=', value: 64 },
      detail: 'with its share of discovery, garbage collection and the watch of its objects',
    },
  ];
}

async function define(storage: ReturnType<typeof createMemoryStorage>): Promise<void> {
  await using server = new ApiServer({ dialect: 'kubernetes', storage });
  const definitions = server
    .client()
    .resource({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
  for (let index = 0; index < DEFINITIONS; index += 1) await definitions.create(definition(index));
  await server.settled();
}

function definition(index: number) {
  const plural = `widgets${index}`;
  const properties: Record<string, object> = {};
  const make = () => ({
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind: `Widget${index}` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
        },
      ],
    },
  });
  for (let field = 0; JSON.stringify(make()).length < TEXT; field += 1)
    properties[`field${field}`] = { type: 'string', maxLength: 50 + field, description: `The field ${field}.` };
  return make();
}

async function startOnce(storage: ReturnType<typeof createMemoryStorage>) {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const begin = performance.now();
  await using server = new ApiServer({ dialect: 'kubernetes', storage });
  const used = server.client().resource({ apiVersion: `${GROUP}/v1`, kind: 'Widget7' });
  await server.ready();
  await server.client().resource({ apiVersion: 'v1', kind: 'Namespace' }).list();
  const startMs = performance.now() - begin;
  const first = performance.now();
  await used.namespace('default').create({ metadata: { generateName: 'w-' }, spec: { field1: 'a' } });
  const firstMs = performance.now() - first;
  await server.settled();
  globalThis.gc?.();
  return { startMs, firstMs, usedMiB: (process.memoryUsage().heapUsed - before) / 2 ** 20 };
}
