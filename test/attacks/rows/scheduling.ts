/** Pods that are hard to place, for the scheduler of the simulation and the controllers that place pods. */
import { crowdRows, APPS, CORE, nodes, pod, pods, selector, template, type Crowd } from '../crowds.js';
import type { Row } from '../row.js';

const CROWDS: Readonly<Record<string, Crowd>> = {
  'a daemon set on 1,000 nodes': {
    flags: nodes(1_000),
    sends: [{ path: `${APPS}/daemonsets`, body: () => ({ metadata: { name: 'd' }, spec: { selector, template } }) }],
    keepsMb: 100,
  },
  '20 daemon sets with 5,000 terms of affinity on 500 nodes': {
    flags: nodes(500),
    sends: [
      {
        ...{ path: `${APPS}/daemonsets`, times: 20 },
        body: (index) => ({
          metadata: { name: `d${index}` },
          spec: {
            selector,
            template: {
              ...template,
              spec: {
                ...template.spec,
                affinity: {
                  nodeAffinity: {
                    requiredDuringSchedulingIgnoredDuringExecution: {
                      nodeSelectorTerms: Array.from({ length: 5_000 }, (_, term) => ({
                        matchExpressions: [{ key: `k${term}`, operator: 'Exists' }],
                      })),
                    },
                  },
                },
              },
            },
          },
        }),
      },
    ],
    keepsMb: 100,
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
  '20 pods with 2,000 terms of anti-affinity, and 100 others on 100 nodes': {
    flags: nodes(100),
    before: [
      {
        ...{ path: `${CORE}/pods`, times: 20 },
        body: (index) =>
          pod(
            `a${index}`,
            {},
            {
              affinity: {
                podAntiAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 2_000 }, (_, term) => ({
                    labelSelector: { matchLabels: { [`k${term}`]: 'v' } },
                    topologyKey: 'kubernetes.io/hostname',
                  })),
                },
              },
            },
          ),
      },
    ],
    sends: [pods(100)],
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
};

/** The rows. */
export const scheduling: readonly Row[] = crowdRows(CROWDS);
