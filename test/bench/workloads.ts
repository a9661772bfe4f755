import { ApiServer, ConfigMap } from 'orch-apiserver';
import { interleaved, type Measure } from './measure.js';

const BATCH = 1_000;
const ROUNDS = 9;
/** Length of an entry of the ConfigMap, in characters. */
const ENTRY = 440;

/** A Deployment as charts have them: two containers with probes, resources and volumes. */
function benchDeployment(name: string) {
  const labels = { app: 'bench', tier: 'web' };
  const container = (container: string, port: number) => ({
    name: container,
    image: `example.com/${container}:1.0`,
    ports: [{ name: 'http', containerPort: port }],
    env: [{ name: 'REGION', value: 'north' }],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/healthz', port: 'http' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
  });
  return {
    metadata: { name, labels },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [container('app', 8080), container('proxy', 8081)],
          volumes: [{ name: 'config', configMap: { name: 'settings' } }],
        },
      },
    },
  };
}

/** Returns entries as long as those of the other benchmarks, until a stored ConfigMap of them has the size. */
async function dataOfSize(bytes: number, sizeOf: (data: Record<string, string>) => Promise<number>) {
  const data: Record<string, string> = {};
  let size = await sizeOf(data);
  for (let index = 0; size < bytes - ENTRY; index += 1) {
    data[`settings-${index}.conf`] = 'x'.repeat(ENTRY);
    size = await sizeOf(data);
  }
  return data;
}

/** Creates of a kind with defaults and rules, relative to those of a kind without, of the same size. */
export async function workloads(): Promise<Measure[]> {
  await using server = new ApiServer({ dialect: 'kubernetes' });
  const client = server.client();
  const deployments = client.resource({ apiVersion: 'apps/v1', kind: 'Deployment' }).namespace('default');
  const configMaps = client.resource(ConfigMap).namespace('default');
  const bytes = JSON.stringify(await deployments.create(benchDeployment('subject'))).length;
  const data = await dataOfSize(bytes, async (data) =>
    JSON.stringify(await configMaps.create({ metadata: { generateName: 'sized-' }, data })).length,
  );
  let next = 0;
  const cost = await interleaved(ROUNDS, {
    deployment: async () => {
      for (let index = 0; index < BATCH; index += 1) await deployments.create(benchDeployment(`made-${(next += 1)}`));
    },
    configMap: async () => {
      for (let index = 0; index < BATCH; index += 1)
        await configMaps.create({ metadata: { name: `made-${(next += 1)}` }, data });
    },
  });
  const micros = (used: { cpuUs: number }): string => `${(used.cpuUs / BATCH).toFixed(1)} µs CPU`;
  return [
    {
      name: 'create of a Deployment over one of a ConfigMap of its size',
      value: cost.deployment.cpuUs / cost.configMap.cpuUs,
      unit: '×',
      target: { sense: '<=', value: 3 },
      detail: `in-process; ${bytes} bytes stored; ${micros(cost.deployment)} against ${micros(cost.configMap)}`,
    },
  ];
}
