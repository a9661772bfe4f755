/** An autoscaler reads the metrics of its pods once for all that it measures, and looks at the pods in steps. */
import { expect, test } from 'vitest';
import { MeasuredPods, targetOf } from '../../src/controllers/autoscaling/pod-usage.js';
import { recommendedReplicas } from '../../src/controllers/autoscaling/replica-count.js';
import type { ServedKinds } from '../../src/controllers/runtime/served-kinds.js';
import { kubernetes, UNBOUNDED_WORK } from '../../src/foundation/index.js';
import { takeSteps } from '../support/steps.js';

const COUNT = 200;
const CPU = { name: 'cpu', container: undefined };

const pods = Array.from({ length: COUNT }, (_, index) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${index}` } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1', memory: '1' } } }] },
  status: { phase: 'Running' },
}));

test('the metrics are listed once', async () => {
  let lists = 0;
  const client = {
    list: async () => {
      lists += 1;
      const containers = [{ name: 'c', usage: { cpu: '500m', memory: '2' } }];
      return { items: pods.map(({ metadata }) => ({ metadata, containers })) };
    },
  };
  const kind = { client: { namespace: () => client } };
  const kinds = { find: () => kind } as unknown as ServedKinds;
  const measured = new MeasuredPods(kinds, kubernetes, 'default', 'app=web');
  const [cpu, memory] = [
    await measured.usage(CPU, UNBOUNDED_WORK),
    await measured.usage({ ...CPU, name: 'memory' }, UNBOUNDED_WORK),
  ];
  expect([cpu.used.get('p0'), memory.used.get('p0'), lists]).toEqual([500, 2000, 1]);
  await expect(measured.usage({ ...CPU, name: 'disk' }, UNBOUNDED_WORK)).resolves.toMatchObject({ used: new Map() });
});

test('the pods are looked at with a pause at each', () => {
  const target = takeSteps((work) => targetOf({ type: 'Utilization', averageUtilization: 50 }, pods, CPU, work));
  expect(target.result.requests?.size).toBe(COUNT);
  expect(target.pauses).toBeGreaterThanOrEqual(COUNT);
  const measurement = { used: new Map(pods.map(({ metadata }) => [metadata.name, 1000])), atMs: 0, windowMs: 0 };
  const { result, pauses } = takeSteps((work) =>
    recommendedReplicas(COUNT, pods, measurement, target.result, { isCpu: false, nowMs: 0, work }),
  );
  expect(result).toEqual({ replicas: 2 * COUNT, utilization: 100, average: 1000 });
  expect(pauses).toBeGreaterThanOrEqual(2 * COUNT);
});
