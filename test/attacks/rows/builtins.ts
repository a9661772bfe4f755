/** Objects of built-in kinds with lists as long as a body allows. */
import type { Rights, Row } from '../row.js';
import { filled, once } from '../texts.js';

const CORE = '/api/v1/namespaces/attack';

/** Number of items: their text fits into a body. */
const MOST = 80_000;

const many = (item: (index: number) => string): string =>
  Array.from({ length: MOST }, (_, index) => item(index)).join();
const address = (index: number): string => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
const pod = (spec: string): string => `"spec":{"containers":[{"name":"c","image":"i"}],${spec}}`;

const container = (fields: string): string => `"spec":{"containers":[{"name":"c","image":"i",${fields}}]}`;

/** Length of the lists of an object that the storage accepts, and the memory of such an object. */
const STORED_BYTES = 900_000;
const STORED_MB = 24;
/** Ports with numbers of their own. */
const ports = (port: (index: number) => string): string =>
  Array.from({ length: 30_000 }, (_, index) => port(index)).join();

interface Long {
  readonly path: string;
  readonly type: string;
  readonly members: () => string;
  /** More members of the metadata. Default none. */
  readonly metadata?: () => string;
  /** Default `edit`. */
  readonly rights?: Rights;
}

/** The path, the type and the members of the objects. */
const OBJECTS: Readonly<Record<string, Long>> = {
  'addresses of a service': {
    path: `${CORE}/services`,
    type: '"apiVersion":"v1","kind":"Service"',
    members: () => `"spec":{"ports":[{"port":1}],"clusterIPs":[${filled((index) => `"${address(index)}"`)}]}`,
  },
  'ports of a service': {
    path: `${CORE}/services`,
    type: '"apiVersion":"v1","kind":"Service"',
    members: () => `"spec":{"ports":[${many((index) => `{"port":${index % 9}}`)}]}`,
  },
  'resources of a quota': {
    path: `${CORE}/resourcequotas`,
    type: '"apiVersion":"v1","kind":"ResourceQuota"',
    members: () => `"spec":{"hard":{${filled((index) => `"k${index}":"1"`)}}}`,
  },
  'spread constraints of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => pod(`"topologySpreadConstraints":[${many((index) => `{"maxSkew":${index}}`)}]`),
  },
  'items of a volume': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => pod(`"volumes":[{"name":"v","secret":{"items":[${many((index) => `{"path":"p${index}"}`)}]}}]`),
  },
  'name servers of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => pod(`"dnsConfig":{"nameservers":[${filled((index) => `"${address(index)}"`)}]}`),
  },
  'expressions of a schedule': {
    path: '/apis/batch/v1/namespaces/attack/cronjobs',
    type: '"apiVersion":"batch/v1","kind":"CronJob"',
    members: () => `"spec":{"schedule":"${filled((index) => `*/${1e6 + index}`)} * * * *","jobTemplate":{}}`,
  },
  'labels in a selector of a deployment': {
    path: '/apis/apps/v1/namespaces/attack/deployments',
    type: '"apiVersion":"apps/v1","kind":"Deployment"',
    members: () => `"spec":{"selector":{"matchExpressions":[${many((index) => `{"key":"k${index}"}`)}]}}`,
  },
};

/** Objects that are stored: admission, warnings and controllers go through their lists as well. */
const STORED: Readonly<Record<string, Long>> = {
  'equal ports of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => container(`"ports":[${filled(() => '{"containerPort":1}', ',', STORED_BYTES)}]`),
  },
  'ports of a node': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => container(`"ports":[${ports((index) => `{"containerPort":1,"hostPort":${index + 1}}`)}]`),
  },
  'hidden variables of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => container(`"env":[${filled((index) => `{"name":"E${index % 9}"}`, ',', STORED_BYTES)}]`),
  },
  'node ports of a service': {
    path: `${CORE}/services?dryRun=All`,
    type: '"apiVersion":"v1","kind":"Service"',
    members: () =>
      `"spec":{"type":"NodePort","ports":[${ports((index) => `{"name":"p${index}","port":${index + 1}}`)}]}`,
  },
  'endpoints of a slice': {
    path: '/apis/discovery.k8s.io/v1/namespaces/attack/endpointslices',
    type: '"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice"',
    members: () => {
      const addresses = Array.from({ length: 60 }, (_, index) => `"${address(index)}"`).join();
      return `"addressType":"IPv4","endpoints":[${Array.from({ length: 1_000 }, () => `{"addresses":[${addresses}]}`).join()}]`;
    },
  },
  'metrics of an autoscaler': {
    path: '/apis/autoscaling/v2/namespaces/attack/horizontalpodautoscalers',
    type: '"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler"',
    members: () => {
      const target = '"target":{"type":"Utilization","averageUtilization":50}';
      const metric = `{"type":"Resource","resource":{"name":"cpu",${target}}}`;
      return `"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"a"},"metrics":[${filled(() => metric, ',', STORED_BYTES)}]}`;
    },
  },
  'a selector of a budget': {
    path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets',
    type: '"apiVersion":"policy/v1","kind":"PodDisruptionBudget"',
    members: () => {
      const expression = (index: number): string => `{"key":"k${index}","operator":"Exists"}`;
      return `"spec":{"minAvailable":1,"selector":{"matchExpressions":[${filled(expression, ',', STORED_BYTES)}]}}`;
    },
  },
  'owners of a map': {
    path: `${CORE}/configmaps`,
    type: '"apiVersion":"v1","kind":"ConfigMap"',
    metadata: () => {
      const owner = (index: number): string => `{"apiVersion":"v1","kind":"Pod","name":"p${index}","uid":"u${index}"}`;
      return `,"ownerReferences":[${filled(owner, ',', STORED_BYTES)}]`;
    },
    members: () => '"data":{}',
  },
  'webhooks of a configuration': {
    rights: 'define',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    type: '"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration"',
    members: () => {
      const rest = '"clientConfig":{"url":"https://a.b"},"sideEffects":"None","admissionReviewVersions":["v1"]';
      return `"webhooks":[${filled((index) => `{"name":"a${index}.b.c",${rest}}`, ',', STORED_BYTES)}]`;
    },
  },
  'amounts of a quota': {
    path: `${CORE}/resourcequotas`,
    type: '"apiVersion":"v1","kind":"ResourceQuota"',
    members: () => `"spec":{"hard":{${filled((index) => `"count/k${index}.x":"1"`, ',', STORED_BYTES)}}}`,
  },
};

const rowsOf = (objects: Readonly<Record<string, Long>>, statuses: readonly number[], keepsMb = 0): readonly Row[] =>
  Object.entries(objects).flatMap(([name, { path, type, members, metadata = () => '', rights = 'edit' }]): Row[] => {
    const body = once(() => `{${type},"metadata":{"generateName":"long-"${metadata()}},${members()}}`);
    return [1, 4].map((times): Row => ({
      ...{ name: `${name}, ${times}`, rights, statuses, keepsMb: keepsMb * times },
      sends: [{ request: { method: 'POST', path, body }, times }],
    }));
  });

const versioned = (resourceVersion: string): string =>
  JSON.stringify({ metadata: { name: 'versioned', resourceVersion } });
const CONTAINERS = [{ name: 'c', image: 'i' }];
const numbered = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

/** Changes that are refused, with an error about a long value. */
const REFUSED: Readonly<Record<string, { readonly path: string; readonly object: object; readonly spec: object }>> = {
  'the selector of a replica set': {
    path: '/apis/apps/v1/namespaces/attack/replicasets',
    object: {
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: CONTAINERS } },
      },
    },
    spec: { selector: { matchLabels: numbered(40_000) } },
  },
  'the selector of nodes of a pod': {
    path: `${CORE}/pods`,
    object: { spec: { containers: CONTAINERS } },
    spec: { nodeSelector: numbered(40_000) },
  },
  'the volumes of a pod': {
    path: `${CORE}/pods`,
    object: { spec: { containers: CONTAINERS } },
    spec: { volumes: Array.from({ length: 20_000 }, (_, index) => ({ name: `v${index}`, emptyDir: {} })) },
  },
};

const refused = Object.entries(REFUSED).map(([name, { path, object, spec }]): Row => ({
  ...{ name: `changes of ${name} that are refused, 4`, rights: 'edit', statuses: [409, 413, 422] },
  prepare: ({ owner }) =>
    owner.must({ method: 'POST', path, body: JSON.stringify({ metadata: { name: 'kept' }, ...object }) }),
  sends: [
    {
      request: {
        ...{ method: 'PATCH', path: `${path}/kept`, type: 'application/merge-patch+json' },
        body: JSON.stringify({ spec }),
      },
      times: 4,
    },
  ],
}));

/** The rows. */
export const builtins: readonly Row[] = [
  ...rowsOf(OBJECTS, [400, 413, 422]),
  ...rowsOf(STORED, [201], STORED_MB),
  ...refused,
  {
    ...{ name: 'a resource version of 2,000,000 digits, 4', rights: 'edit', statuses: [500] },
    prepare: ({ owner }) => owner.must({ method: 'POST', path: `${CORE}/configmaps`, body: versioned('') }),
    sends: [
      {
        request: { method: 'PUT', path: `${CORE}/configmaps/versioned`, body: versioned('7'.repeat(2_000_000)) },
        times: 4,
      },
    ],
  },
];
