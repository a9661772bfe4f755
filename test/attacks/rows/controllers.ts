/** Workloads, owners, quotas and namespaces: many objects of a kind that a controller works on. */
import {
  crowdRows,
  APPS,
  BATCH,
  CLAIM,
  CONTAINERS,
  CORE,
  MERGE,
  nodes,
  numbered,
  pod,
  pods,
  selector,
  template,
  type Crowd,
  type Sent,
} from '../crowds.js';
import type { Row } from '../row.js';

/** Selects all pods by many requirements. */
const LONG = {
  matchExpressions: Array.from({ length: 20_000 }, (_, index) => ({ key: `k${index}`, operator: 'DoesNotExist' })),
};

const external = (metric: object): object => ({
  type: 'External',
  external: { metric, target: { type: 'AverageValue', averageValue: '1' } },
});

/** Creates autoscalers of the replica set `r`. */
const autoscalers = (times: number, metrics: readonly object[]): Sent => ({
  ...{ path: '/apis/autoscaling/v2/namespaces/attack/horizontalpodautoscalers', times },
  body: (index) => ({
    metadata: { name: `h${index}` },
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r' }, metrics },
  }),
});

const scaledSet = (labels: object): Sent => ({
  path: `${APPS}/replicasets`,
  body: () => ({ metadata: { name: 'r' }, spec: { replicas: 1, selector: labels, template } }),
});

const CROWDS: Readonly<Record<string, Crowd>> = {
  '20 budgets with long selectors, and 20 pods': {
    flags: nodes(10),
    before: [pods(20)],
    sends: [
      {
        ...{ path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets', times: 20 },
        body: (index) => ({ metadata: { name: `b${index}` }, spec: { minAvailable: '50%', selector: LONG } }),
      },
    ],
    keepsMb: 100,
  },
  '20 autoscalers of metrics with long selectors': {
    flags: nodes(10),
    before: [scaledSet(selector)],
    sends: [autoscalers(20, [external({ name: 'rate', selector: LONG })])],
    keepsMb: 100,
  },
  '4 autoscalers of 10,000 metrics of others': {
    flags: nodes(10),
    before: [scaledSet(selector)],
    sends: [
      autoscalers(
        4,
        Array.from({ length: 10_000 }, () => external({ name: 'rate' })),
      ),
    ],
    keepsMb: 60,
  },
  '20 autoscalers and a budget of a replica set with a long selector': {
    flags: nodes(10),
    before: [scaledSet({ ...selector, ...LONG })],
    sends: [
      autoscalers(20, [external({ name: 'rate' })]),
      {
        path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets',
        body: () => ({ metadata: { name: 'b' }, spec: { minAvailable: '50%', selector } }),
      },
    ],
    keepsMb: 60,
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
    // A patch that meets other writes six times is refused.
    statuses: [200, 201, 409],
  },
  '200 quotas for 1,000 objects': {
    // Each object changes all quotas. What remains is history, up to its limit.
    flags: ['--history-memory=16Mi'],
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
  '5,000 maps whose owner does not exist': {
    sends: [
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
  'maps with 10,000 owners, 4': {
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
  '30 stateful sets with 3,000 claims, and 50 claims': {
    before: [
      {
        ...{ path: `${APPS}/statefulsets`, times: 30 },
        body: (index) => ({
          metadata: { name: `s${index}` },
          spec: {
            ...{ replicas: 0, serviceName: 's', selector, template },
            volumeClaimTemplates: Array.from({ length: 3_000 }, (_, claim) => ({
              metadata: { name: `c${claim}` },
              spec: CLAIM,
            })),
          },
        }),
      },
    ],
    sends: [
      {
        ...{ path: `${CORE}/persistentvolumeclaims`, times: 50 },
        body: (index) => ({ metadata: { name: `c${index}-s${index % 30}-0` }, spec: CLAIM }),
      },
    ],
    keepsMb: 100,
  },
  'a stateful set of 20 with 300 claims each': {
    flags: nodes(10),
    sends: [
      {
        path: `${APPS}/statefulsets`,
        body: () => ({
          metadata: { name: 's' },
          spec: {
            ...{ replicas: 20, podManagementPolicy: 'Parallel', serviceName: 's', selector, template },
            volumeClaimTemplates: Array.from({ length: 300 }, (_, claim) => ({
              metadata: { name: `c${claim}` },
              spec: CLAIM,
            })),
          },
        }),
      },
    ],
    keepsMb: 150,
  },
  '1,000 claims of 1,000 pods': {
    flags: nodes(10),
    before: [
      {
        ...{ path: `${CORE}/persistentvolumeclaims`, times: 1_000 },
        body: (index) => ({
          metadata: { name: `c${index}` },
          spec: CLAIM,
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
};

/** The rows. */
export const controllers: readonly Row[] = crowdRows(CROWDS);
