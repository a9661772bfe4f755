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

const encoder = new TextEncoder();

/** A POST of an object, as a transport passes it on. */
function postOf(path: string, object: object): Parameters<ApiServer['target']['handle']>[0] {
  const fields = new Map([
    ['authorization', 'Bearer bench'],
    ['content-type', 'application/json'],
    ['user-agent', 'bench/1.0'],
  ]);
  const body = encoder.encode(JSON.stringify(object));
  return {
    method: 'POST',
    path,
    query: '',
    headers: {
      get: (name) => fields.get(name),
      getAll: (name) => [fields.get(name) ?? []].flat(),
      names: () => fields.keys(),
      hasPrefix: (prefix) => [...fields.keys()].some((name) => name.startsWith(prefix)),
    },
    body: () => Promise.resolve(body),
    peer: { address: '127.0.0.1', tls: false },
    signal: new AbortController().signal,
  };
}

/** Creates of a kind with defaults and rules, relative to those of a kind without, of the same size. */
export async function workloads(): Promise<Measure[]> {
  await using server = new ApiServer({
    dialect: 'kubernetes',
    authentication: { tokens: [{ token: 'bench', user: { username: 'bench', groups: ['system:masters'] } }] },
  });
  const client = server.client();
  const deployments = client.resource({ apiVersion: 'apps/v1', kind: 'Deployment' }).namespace('default');
  const configMaps = client.resource(ConfigMap).namespace('default');
  const bytes = JSON.stringify(await deployments.create(benchDeployment('subject'))).length;
  const data = await dataOfSize(
    bytes,
    async (data) => JSON.stringify(await configMaps.create({ metadata: { generateName: 'sized-' }, data })).length,
  );
  let next = 0;
  const name = (): string => `made-${(next += 1)}`;
  const posts = (path: string, make: (name: string) => object) => {
    const requests = Array.from({ length: (ROUNDS + 1) * BATCH }, () => postOf(path, make(name())));
    return async () => {
      for (const request of requests.splice(-BATCH)) {
        const { status } = await server.target.handle(request);
        if (status !== 201) throw new Error(`a create was answered with ${status}`);
      }
    };
  };
  const cost = await interleaved(ROUNDS, {
    deployment: posts('/apis/apps/v1/namespaces/default/deployments', benchDeployment),
    configMap: posts('/api/v1/namespaces/default/configmaps', (name) => ({ metadata: { name }, data })),
    clientDeployment: async () => {
      for (let index = 0; index < BATCH; index += 1) await deployments.create(benchDeployment(name()));
    },
    clientConfigMap: async () => {
      for (let index = 0; index < BATCH; index += 1) await configMaps.create({ metadata: { name: name() }, data });
    },
  });
  const micros = ({ cpuUs }: { readonly cpuUs: number }): string => `${(cpuUs / BATCH).toFixed(1)} µs`;
  const inProcess = cost.clientDeployment.cpuUs / cost.clientConfigMap.cpuUs;
  return [
    {
      name: 'create of a Deployment over one of a ConfigMap of its size',
      value: cost.deployment.cpuUs / cost.configMap.cpuUs,
      unit: '×',
      target: { sense: '<=', value: 3 },
      detail: `${bytes} bytes stored; ${micros(cost.deployment)} against ${micros(cost.configMap)} CPU for a request; ${inProcess.toFixed(2)} × by the client in the process (${micros(cost.clientDeployment)})`,
    },
  ];
}
