import { ApiServer, ConfigMap, type AdmissionPlugin, type ApiServerOptions } from 'orch-apiserver';
import { benchConfigMap } from './object.mjs';
import { interleaved, type Measure } from './measure.js';

const BATCH = 2_000;

/** Reads what it gets, as a plugin does that decides by the object. */
const reader: AdmissionPlugin = {
  name: 'Reader',
  operations: ['UPDATE'],
  mutate: ({ object, oldObject }) => void (object?.metadata.labels ?? oldObject?.metadata.labels),
  validate: ({ object, oldObject }) => void (object?.metadata.labels ?? oldObject?.metadata.labels),
};
/** Concerns another operation. */
const bystander: AdmissionPlugin = { ...reader, name: 'Bystander', operations: ['CONNECT'] };

/** Measures the copies of objects that plugins of the server's owner get: updates in process. */
export async function handed(): Promise<Measure[]> {
  let turn = 0;
  const world = async (options: ApiServerOptions) => {
    const server = new ApiServer(options);
    const client = server.client().resource(ConfigMap).namespace('default');
    const stored = await client.create(benchConfigMap('subject'));
    const update = async (): Promise<void> => {
      for (let index = 0; index < BATCH; index += 1)
        await client.update({
          ...stored,
          metadata: { ...stored.metadata, resourceVersion: '', annotations: { turn: String((turn += 1)) } },
        });
    };
    return { update, [Symbol.asyncDispose]: () => server.close() };
  };
  await using none = await world({ admission: { plugins: [bystander] } });
  await using copied = await world({ admission: { plugins: [reader] } });
  await using frozen = await world({ admission: { plugins: [reader] }, freezeHanded: true });
  const costs = await interleaved(9, { none: none.update, copied: copied.update, frozen: frozen.update });
  const each = (cost: { cpuUs: number }): number => cost.cpuUs / BATCH;
  return [
    {
      name: 'update with a plugin of the owner',
      value: each(costs.copied) - each(costs.none),
      unit: 'µs CPU more',
      target: { sense: '<=', value: 20 },
      detail: `${each(costs.none).toFixed(1)} µs without; frozen copies ${(each(costs.frozen) - each(costs.none)).toFixed(1)} µs more`,
    },
  ];
}
