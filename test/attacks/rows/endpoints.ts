/** Services, their endpoints, and the budgets of pods. */
import { crowdRows, CORE, nodes, numbered, pod, pods, relabelled, selector, type Crowd } from '../crowds.js';
import type { Row } from '../row.js';

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
  '2,000 disruption budgets for other pods, and 200 evictions': {
    flags: nodes(10),
    before: [
      pods(300),
      {
        ...{ path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets', times: 2_000 },
        body: (index) => ({
          metadata: { name: `b${index}` },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'a', one: `other${index}` } } },
        }),
      },
    ],
    sends: [
      {
        ...{ path: `${CORE}/pods/p{index}/eviction`, times: 200 },
        body: (index) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: `p${index}` } }),
      },
    ],
  },
  '500 disruption budgets for a pod of 20,000 labels': {
    flags: nodes(1),
    before: [
      {
        ...{ path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets', times: 500 },
        body: (index) => ({ metadata: { name: `b${index}` }, spec: { minAvailable: 1, selector } }),
      },
    ],
    sends: [
      { path: `${CORE}/pods`, times: 3, body: (index) => pod(`p${index}`, { app: 'a', ...numbered(20_000, 'k') }) },
      relabelled(3),
    ],
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
    // A million endpoints do not fit into the store of such a heap.
    mayLog: /limits\.objectsTextBytes/,
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
};

/** The rows. */
export const endpoints: readonly Row[] = crowdRows(CROWDS);
