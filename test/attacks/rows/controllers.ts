/** Objects that controllers work on: many of a kind that depend on many of another one. */
import { fill } from '../kinds.js';
import type { Answer, Row } from '../row.js';
import { threadTime } from '../thread-time.js';
import type { World } from '../world.js';

const CORE = '/api/v1/namespaces/attack';
const APPS = '/apis/apps/v1/namespaces/attack';
const BATCH = '/apis/batch/v1/namespaces/attack';

/** Interval of looking whether the controllers have work, and time of the processor in it beside that of the probe. */
const LOOK_MS = 500;
const IDLE_MS = 25;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Time of the processor that a server uses in an interval, in milliseconds. */
async function usedBy({ pid }: World): Promise<number> {
  const time = threadTime(String(pid));
  const before = time().cpuMs;
  await pause(LOOK_MS);
  return time().cpuMs - before;
}

/** Waits until the controllers have no work. @param idleMs time of the processor that the server uses without */
async function quiet(world: World, idleMs: number, signal?: AbortSignal): Promise<void> {
  for (let idle = 0; idle < 2 && signal?.aborted !== true;)
    idle = (await usedBy(world)) < 1.5 * idleMs + IDLE_MS ? idle + 1 : 0;
}

/** An object that is sent, or many. */
interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly type?: string;
  readonly times?: number;
  readonly atOnce?: number;
  readonly body?: (index: number) => object;
}

interface Crowd {
  readonly before?: readonly Sent[];
  readonly sends: readonly Sent[];
  readonly flags?: readonly string[];
  readonly rights?: Row['rights'];
  readonly statuses?: readonly number[];
  readonly keepsMb?: number;
}

const MERGE = 'application/merge-patch+json';

async function prepared(world: World, before: readonly Sent[]): Promise<void> {
  for (const { path, times = 1, body = () => ({}) } of before)
    await fill(world, path, times, (index) => JSON.stringify(body(index)));
  await quiet(world, 0);
}

/** Sends requests, one kind after another, and waits until the controllers have done their work. */
async function sendAll(world: World, signal: AbortSignal, { sends, rights = 'edit' }: Crowd): Promise<Answer[]> {
  const client = world.as(rights).until(signal);
  const idleMs = await usedBy(world);
  const answers: Answer[] = [];
  for (const { path, method = 'POST', type, times = 1, atOnce = 8, body } of sends) {
    const flood = await client.flood({
      request: (index) => ({
        ...{ method, path: path.replace('{index}', String(index)) },
        ...(type === undefined ? {} : { type }),
        ...(body === undefined ? {} : { body: JSON.stringify(body(index)) }),
      }),
      ...{ times, atOnce },
    });
    answers.push(...flood);
  }
  await quiet(world, idleMs, signal);
  client.close();
  return answers;
}

const CONTAINERS = [{ name: 'c', image: 'i' }];
const selected = { labels: { app: 'a' } };
const template = { metadata: selected, spec: { containers: CONTAINERS } };
const selector = { matchLabels: { app: 'a' } };

const pod = (name: string, labels: object = { app: 'a' }, spec: object = {}): object => ({
  metadata: { name, labels },
  spec: { containers: CONTAINERS, ...spec },
});
const pods = (times: number, spec: object = {}): Sent => ({
  ...{ path: `${CORE}/pods`, times },
  body: (index) => pod(`p${index}`, { app: 'a', one: `v${index}` }, spec),
});
const relabelled = (times: number): Sent => ({
  ...{ method: 'PATCH', type: MERGE, path: `${CORE}/pods/p{index}`, times },
  body: (index) => ({ metadata: { labels: { changed: `v${index}` } } }),
});
const numbered = (times: number, name: string, value = 'v'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: times }, (_, index) => [`${name}${index}`, value]));

const nodes = (count: number): readonly string[] => [`--simulate-nodes=${count}`];

const CROWDS: Readonly<Record<string, Crowd>> = {
  '2,000 disruption budgets for 1,000 pods': {
    flags: nodes(10),
    before: [
      pods(1_000),
      {
        ...{ path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets', times: 2_000 },
        body: (index) => ({ metadata: { name: `b${index}` }, spec: { minAvailable: 1, selector } }),
      },
    ],
    sends: [relabelled(100)],
  },
  '50 disruption budgets with long selectors for 1,000 pods': {
    flags: nodes(10),
    before: [pods(1_000)],
    sends: [
      {
        ...{ path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets', times: 50, atOnce: 4 },
        body: (index) => ({
          metadata: { name: `b${index}` },
          spec: {
            minAvailable: 1,
            selector: {
              matchExpressions: Object.keys(numbered(20_000, 'k')).map((key) => ({ key, operator: 'DoesNotExist' })),
            },
          },
        }),
      },
      relabelled(20),
    ],
    keepsMb: 400,
  },
  '1,000 services for 500 pods': {
    flags: nodes(10),
    before: [
      pods(500),
      {
        ...{ path: `${CORE}/services`, times: 1_000 },
        body: (index) => ({
          metadata: { name: `s${index}` },
          spec: { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 1 }] },
        }),
      },
    ],
    sends: [relabelled(20)],
  },
  'a service of 10,000 ports for 500 pods': {
    flags: nodes(10),
    before: [pods(500)],
    sends: [
      {
        path: `${CORE}/services`,
        body: () => ({
          metadata: { name: 's' },
          spec: {
            selector: { app: 'a' },
            ports: Array.from({ length: 10_000 }, (_, index) => ({
              name: `p${index}`,
              port: index + 1,
              targetPort: `t${index}`,
            })),
          },
        }),
      },
    ],
  },
  'a service without a selector in a namespace of 5,000 pods': {
    flags: nodes(50),
    before: [pods(5_000)],
    sends: [
      {
        path: `${CORE}/services`,
        body: () => ({ metadata: { name: 's' }, spec: { selector: {}, ports: [{ port: 1 }] } }),
      },
      relabelled(10),
    ],
  },
  'slices of one service, 5,000': {
    flags: nodes(1),
    before: [
      {
        path: `${CORE}/services`,
        body: () => ({
          metadata: { name: 's' },
          spec: { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 1 }] },
        }),
      },
    ],
    sends: [
      {
        ...{ path: '/apis/discovery.k8s.io/v1/namespaces/attack/endpointslices', times: 5_000 },
        body: (index) => ({
          metadata: {
            name: `e${index}`,
            labels: {
              'kubernetes.io/service-name': 's',
              'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
            },
          },
          addressType: 'IPv4',
          endpoints: [{ addresses: [`10.0.${index >> 8}.${index & 255}`] }],
        }),
      },
    ],
  },
  'Endpoints of 20,000 addresses': {
    flags: nodes(1),
    before: [{ path: `${CORE}/services`, body: () => ({ metadata: { name: 's' }, spec: { ports: [{ port: 1 }] } }) }],
    sends: [
      {
        path: `${CORE}/endpoints`,
        body: () => ({
          metadata: { name: 's' },
          subsets: [
            {
              ports: [{ port: 1 }],
              addresses: Array.from({ length: 20_000 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` })),
            },
          ],
        }),
      },
    ],
  },
  'Endpoints of 20,000 subsets': {
    flags: nodes(1),
    before: [{ path: `${CORE}/services`, body: () => ({ metadata: { name: 's' }, spec: { ports: [{ port: 1 }] } }) }],
    sends: [
      {
        path: `${CORE}/endpoints`,
        body: () => ({
          metadata: { name: 's' },
          subsets: Array.from({ length: 20_000 }, (_, index) => ({
            ports: [{ port: index + 1 }],
            addresses: [{ ip: `10.0.${index >> 8}.${index & 255}` }],
          })),
        }),
      },
    ],
  },
  'a replica set of 5,000': {
    flags: nodes(50),
    sends: [
      {
        path: `${APPS}/replicasets`,
        body: () => ({ metadata: { name: 'r' }, spec: { replicas: 5_000, selector, template } }),
      },
      { method: 'PATCH', type: MERGE, path: `${APPS}/replicasets/r`, body: () => ({ spec: { replicas: 0 } }) },
    ],
    keepsMb: 100,
  },
  '1,000 replica sets for 1,000 orphans': {
    flags: nodes(10),
    before: [
      {
        ...{ path: `${APPS}/replicasets`, times: 1_000 },
        body: (index) => ({
          metadata: { name: `r${index}` },
          spec: {
            replicas: 0,
            selector: { matchLabels: { app: 'b' } },
            template: { metadata: { labels: { app: 'b' } }, spec: template.spec },
          },
        }),
      },
    ],
    sends: [pods(1_000)],
  },
  '500 replica sets with long selectors for 200 orphans': {
    flags: nodes(10),
    before: [
      {
        ...{ path: `${APPS}/replicasets`, times: 500 },
        body: (index) => {
          const labels = { ...numbered(500, 'k'), own: `r${index}` };
          return {
            metadata: { name: `r${index}` },
            spec: {
              replicas: 0,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: template.spec },
            },
          };
        },
      },
    ],
    sends: [pods(200)],
  },
  'a deployment with 2,000 replica sets': {
    flags: nodes(10),
    before: [
      {
        path: `${APPS}/deployments`,
        body: () => ({
          metadata: { name: 'd' },
          spec: { replicas: 0, revisionHistoryLimit: 100_000, selector, template },
        }),
      },
      {
        ...{ path: `${APPS}/replicasets`, times: 2_000 },
        body: (index) => {
          const labels = { app: 'a', own: `r${index}` };
          return {
            metadata: { name: `r${index}`, labels },
            spec: {
              replicas: 0,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: template.spec },
            },
          };
        },
      },
    ],
    sends: [
      {
        method: 'PATCH',
        type: MERGE,
        path: `${APPS}/deployments/d`,
        times: 20,
        body: (index) => ({ spec: { template: { metadata: { annotations: { a: `${index}` } } } } }),
      },
    ],
  },
  'a job of 3,000 pods': {
    flags: nodes(30),
    sends: [
      {
        path: `${BATCH}/jobs`,
        body: () => ({
          metadata: { name: 'j' },
          spec: {
            completions: 3_000,
            parallelism: 3_000,
            completionMode: 'Indexed',
            template: { spec: { containers: CONTAINERS, restartPolicy: 'Never' } },
          },
        }),
      },
    ],
    keepsMb: 100,
  },
  '2,000 cron jobs': {
    flags: nodes(10),
    sends: [
      {
        ...{ path: `${BATCH}/cronjobs`, times: 2_000 },
        body: (index) => ({
          metadata: { name: `c${index}` },
          spec: {
            schedule: '*/1 * * * *',
            suspend: index > 200,
            jobTemplate: { spec: { template: { spec: { containers: CONTAINERS, restartPolicy: 'Never' } } } },
          },
        }),
      },
    ],
    keepsMb: 60,
  },
  'a daemon set on 1,000 nodes': {
    flags: nodes(1_000),
    sends: [{ path: `${APPS}/daemonsets`, body: () => ({ metadata: { name: 'd' }, spec: { selector, template } }) }],
    keepsMb: 100,
  },
  'a stateful set of 1,000': {
    flags: nodes(10),
    sends: [
      {
        path: `${APPS}/statefulsets`,
        body: () => ({
          metadata: { name: 's' },
          spec: { replicas: 1_000, podManagementPolicy: 'Parallel', serviceName: 's', selector, template },
        }),
      },
      {
        method: 'PATCH',
        type: MERGE,
        path: `${APPS}/statefulsets/s`,
        body: () => ({ spec: { template: { metadata: { annotations: { a: 'b' } } } } }),
      },
    ],
    keepsMb: 100,
  },
  '200 quotas for 1,000 objects': {
    before: [
      {
        ...{ path: `${CORE}/resourcequotas`, times: 200 },
        body: (index) => ({
          metadata: { name: `q${index}` },
          spec: { hard: { 'count/configmaps': '100000', configmaps: '100000', ...numbered(50, 'count/things', '5') } },
        }),
      },
    ],
    sends: [{ path: `${CORE}/configmaps`, times: 1_000, body: (index) => ({ metadata: { name: `m${index}` } }) }],
  },
  'an owner of 5,000 maps that is deleted': {
    before: [
      { path: `${CORE}/configmaps`, body: () => ({ metadata: { name: 'owner' } }) },
      {
        path: `${CORE}/configmaps`,
        times: 5_000,
        body: (index) => ({
          metadata: {
            name: `m${index}`,
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'u' }],
          },
        }),
      },
    ],
    sends: [{ method: 'DELETE', path: `${CORE}/configmaps/owner?propagationPolicy=Foreground` }],
  },
  'a map with 20,000 owners': {
    sends: [
      {
        path: `${CORE}/configmaps`,
        times: 4,
        body: (index) => ({
          metadata: {
            name: `m${index}`,
            ownerReferences: Array.from({ length: 10_000 }, (_, owner) => ({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: `n${owner}`,
              uid: `u${owner}`,
            })),
          },
        }),
      },
    ],
  },
  'a namespace of 10,000 objects that is deleted': {
    before: [
      { path: '/api/v1/namespaces', body: () => ({ metadata: { name: 'full' } }) },
      {
        path: '/api/v1/namespaces/full/configmaps',
        times: 10_000,
        body: (index) => ({ metadata: { name: `m${index}` } }),
      },
    ],
    sends: [{ method: 'DELETE', path: '/api/v1/namespaces/full' }],
  },
  '2,000 namespaces': {
    sends: [{ path: '/api/v1/namespaces', times: 2_000, body: (index) => ({ metadata: { name: `n${index}` } }) }],
    keepsMb: 60,
  },
  '1,000 claims of 1,000 pods': {
    flags: nodes(10),
    before: [
      {
        ...{ path: `${CORE}/persistentvolumeclaims`, times: 1_000 },
        body: (index) => ({
          metadata: { name: `c${index}` },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        }),
      },
      {
        ...{ path: `${CORE}/pods`, times: 1_000 },
        body: (index) =>
          pod(
            `p${index}`,
            {},
            {
              volumes: Array.from({ length: 20 }, (_, volume) => ({
                name: `v${volume}`,
                persistentVolumeClaim: { claimName: `c${(index + volume) % 1_000}` },
              })),
            },
          ),
      },
    ],
    sends: [{ method: 'DELETE', path: `${CORE}/persistentvolumeclaims` }],
  },
  '1,000 pods with affinity on 500 nodes': {
    flags: nodes(500),
    sends: [
      {
        ...{ path: `${CORE}/pods`, times: 1_000 },
        body: (index) =>
          pod(
            `p${index}`,
            { app: 'a' },
            {
              affinity: {
                podAntiAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: [
                    { labelSelector: selector, topologyKey: 'kubernetes.io/hostname' },
                  ],
                },
              },
              topologySpreadConstraints: [
                {
                  maxSkew: 1,
                  topologyKey: 'kubernetes.io/hostname',
                  whenUnsatisfiable: 'DoNotSchedule',
                  labelSelector: selector,
                },
              ],
            },
          ),
      },
    ],
  },
  'a pod with 5,000 terms of affinity on 500 nodes': {
    flags: nodes(500),
    before: [pods(1_000)],
    sends: [
      {
        ...{ path: `${CORE}/pods`, times: 4 },
        body: (index) =>
          pod(
            `q${index}`,
            {},
            {
              affinity: {
                podAntiAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 5_000 }, (_, term) => ({
                    labelSelector: { matchLabels: { [`k${term}`]: 'v' } },
                    topologyKey: 'kubernetes.io/hostname',
                  })),
                },
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: Array.from({ length: 5_000 }, (_, term) => ({
                      matchExpressions: [{ key: `k${term}`, operator: 'Exists' }],
                    })),
                  },
                },
              },
            },
          ),
      },
    ],
  },
  'a pod with 20,000 tolerations on 500 nodes': {
    flags: nodes(500),
    sends: [
      {
        ...{ path: `${CORE}/pods`, times: 4 },
        body: (index) =>
          pod(
            `p${index}`,
            {},
            { tolerations: Array.from({ length: 20_000 }, (_, key) => ({ key: `k${key}`, operator: 'Exists' })) },
          ),
      },
    ],
  },
  '5,000 pods that cannot be scheduled': {
    flags: nodes(5),
    sends: [pods(5_000)],
    keepsMb: 150,
  },
  '5,000 pods that are created and deleted together': {
    flags: nodes(50),
    sends: [pods(5_000), { method: 'DELETE', path: `${CORE}/pods` }],
    keepsMb: 100,
  },
  'an autoscaler of 1,000 pods with 2,000 metrics': {
    flags: nodes(10),
    before: [
      {
        path: `${APPS}/replicasets`,
        body: () => ({ metadata: { name: 'r' }, spec: { replicas: 1_000, selector, template } }),
      },
    ],
    sends: [
      {
        path: '/apis/autoscaling/v2/namespaces/attack/horizontalpodautoscalers',
        body: () => ({
          metadata: { name: 'h' },
          spec: {
            maxReplicas: 1_000,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r' },
            metrics: Array.from({ length: 2_000 }, () => ({
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '1' } },
            })),
          },
        }),
      },
    ],
  },
};

/** The rows. */
export const controllers: readonly Row[] = Object.entries(CROWDS).map(([name, crowd]): Row => {
  const { before = [], flags, rights = 'edit', statuses = [200, 201], keepsMb = 48 } = crowd;
  return {
    ...{ name, rights, statuses, keepsMb },
    ...(flags === undefined ? {} : { flags }),
    prepare: (world) => prepared(world, before),
    sends: (world, signal) => sendAll(world, signal, crowd),
  };
});
