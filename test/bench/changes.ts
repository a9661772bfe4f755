import { ApiServer, ConfigMap, Pod, type JsonObject } from 'orch-apiserver';
import { fromFieldsV1, toFieldsV1, union } from 'orch-apiserver/apply';
import { applyJsonPatch, strategicMergePatch } from 'orch-apiserver/patch';
import { orch } from '../../src/foundation/dialect/dialect.js';
import { Pod as DeclaredPod } from '../../src/kinds/builtin/core/pod/pod.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { benchPod } from './pod.js';
import { costOf, interleaved, type Measure } from './measure.js';

const BATCH = 400;

/** Applies, patches and field sets. */
export async function changes(): Promise<Measure[]> {
  await using server = new ApiServer();
  const pods = server.client().resource(Pod).namespace('default');
  await pods.apply(benchPod('subject', 0), { fieldManager: 'bench' });
  const stored = await pods.get('subject');
  const { schema } = new ResourceInfo(DeclaredPod, orch);
  const paths: Record<string, JsonObject> = {};
  for (let index = 0; index < 250; index += 1) paths[`f:key-${index}`] = { '.': {}, 'f:leaf': {} };
  const left = { 'f:data': paths };
  const right = { 'f:data': { ...paths, 'f:other': {} } };
  const operations = [
    { op: 'replace', path: '/spec/containers/0/image', value: 'example.com/app:2' },
    { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
    { op: 'test', path: '/spec/containers/1/name', value: 'proxy' },
    { op: 'remove', path: '/metadata/labels/tier' },
    { op: 'copy', from: '/metadata/name', path: '/metadata/annotations/name' },
  ];
  let turn = 0;
  let sink: unknown;
  const repeat = (work: () => unknown) => (): void => {
    for (let index = 0; index < BATCH; index += 1) sink = work();
  };
  const costs = await interleaved(9, {
    applyChanged: async () => {
      for (let index = 0; index < BATCH; index += 1)
        sink = await pods.apply(benchPod('subject', (turn += 1)), { fieldManager: 'bench', force: true });
    },
    applySame: async () => {
      const same = benchPod('subject', turn);
      for (let index = 0; index < BATCH; index += 1) sink = await pods.apply(same, { fieldManager: 'bench' });
    },
    strategic: repeat(() =>
      strategicMergePatch(
        stored as never as JsonObject,
        { spec: { containers: [{ name: 'app', image: `example.com/app:${(turn += 1)}` }] } },
        schema,
      ),
    ),
    jsonPatch: repeat(() => applyJsonPatch(stored as never as JsonObject, operations)),
    fieldSets: repeat(() => toFieldsV1(union(fromFieldsV1(left), fromFieldsV1(right)))),
  });
  if (sink === undefined) throw new Error('nothing was measured');
  const rate = (cost: { cpuUs: number }): number => (BATCH * 1e6) / cost.cpuUs;
  const measure = (name: string, cost: { cpuUs: number }, target: number): Measure => ({
    name,
    value: rate(cost),
    unit: 'a second of CPU',
    target: { sense: '>=', value: target },
    detail: `${(cost.cpuUs / BATCH).toFixed(1)} µs each`,
  });
  return [
    measure('server-side apply of a Pod, one field changed', costs.applyChanged, 4_000),
    measure('server-side apply of a Pod, nothing changed', costs.applySame, 8_000),
    measure('strategic merge patch of that Pod', costs.strategic, 15_000),
    measure('JSON Patch of 5 operations', costs.jsonPatch, 25_000),
    measure('field sets: parse, union with 500 paths, serialise', costs.fieldSets, 10_000),
    await collection(),
  ];
}

/** CPU time of collecting the dependents of one owner after a background delete. */
async function collect(dependents: number): Promise<number> {
  await using server = new ApiServer();
  const client = server.client().resource(ConfigMap).namespace('default');
  const owner = await client.create({ metadata: { name: 'owner' } });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' }];
  for (let index = 0; index < dependents; index += 1)
    await client.create({ metadata: { name: `dependent-${index}`, ownerReferences } });
  await server.settled();
  const { cpuUs } = await costOf(async () => {
    await client.delete('owner', { propagationPolicy: 'Background' });
    await server.settled();
  });
  const left = await client.list({ limit: 1 });
  if (left.items.length > 0) throw new Error('dependents are left');
  return cpuUs;
}

async function collection(): Promise<Measure> {
  await collect(1_000);
  const small = Math.min(await collect(1_000), await collect(1_000), await collect(1_000));
  const large = Math.min(await collect(10_000), await collect(10_000));
  return {
    name: 'collecting 10,000 dependents against 1,000',
    value: large / small,
    unit: '×',
    target: { sense: '<=', value: 12 },
    detail: `${(large / 1000).toFixed(0)} ms against ${(small / 1000).toFixed(0)} ms`,
  };
}
