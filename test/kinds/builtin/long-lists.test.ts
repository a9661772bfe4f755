import { expectProportional } from '../../support/units.js';
import { describe, expect, test } from 'vitest';
import { WarningRecorder } from '../../../src/server/codec/warnings.js';
import type { FieldError } from '../../../src/foundation/errors/field-error.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { hookResult } from '../../../src/registry/writes/hook-steps.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK, type MaybeSteps, type Work } from '../../../src/foundation/work/work.js';
import type { RequestContext } from '../../../src/registry/store/context.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import {
  CertificateSigningRequest,
  ClusterRole,
  ConfigMap,
  CSINode,
  Deployment,
  Endpoints,
  EndpointSlice,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  LimitRange,
  MutatingWebhookConfiguration,
  NetworkPolicy,
  Node,
  PersistentVolume,
  Pod,
  ReplicationController,
  ResourceQuota,
  RoleBinding,
  Secret,
  Service,
  StatefulSet,
  StorageClass,
} from '../../../src/kinds/builtin/index.js';
import { contextOf, create, decode, kubernetes, texts } from './support.js';

const COUNT = 300;

const many = <Item>(make: (index: number) => Item, count = COUNT): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const address = (index: number): string => `10.0.${index >> 8}.${index & 255}`;
const members = (make: (index: number) => string): Record<string, string> =>
  Object.fromEntries(many((index) => [make(index), '1']));

const CONTAINER = { name: 'c', image: 'i' };
const pod = (spec: object): object => ({ spec: { containers: [CONTAINER], ...spec } });
const container = (fields: object): object => ({ spec: { containers: [{ ...CONTAINER, ...fields }] } });
const affinity = (term: object): object =>
  pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });

/** A kind, and an object with a list or map of many parts, by its name. */
const LONG: Readonly<Record<string, readonly [kind: ResourceDefinition, fields: object]>> = {
  'addresses of an endpoint slice': [
    EndpointSlice,
    { addressType: 'IPv4', endpoints: [{ addresses: many(address) }], ports: [] },
  ],
  'ports of an endpoint slice': [
    EndpointSlice,
    { addressType: 'IPv4', endpoints: [], ports: many((index) => ({ name: `p${index}`, port: index })) },
  ],
  'addresses of endpoints': [Endpoints, { subsets: [{ addresses: many((index) => ({ ip: address(index) })) }] }],
  'ports of a network policy': [NetworkPolicy, { spec: { ingress: [{ ports: many((index) => ({ port: index })) }] } }],
  'values of a selector': [
    NetworkPolicy,
    { spec: { podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: many((i) => `v${i}`) }] } } },
  ],
  'labels of a selector': [NetworkPolicy, { spec: { podSelector: { matchLabels: members((index) => `k${index}`) } } }],
  'paths of an ingress': [
    Ingress,
    {
      spec: { rules: [{ http: { paths: many((index) => ({ path: `/${index}`, pathType: 'Exact', backend: {} })) } }] },
    },
  ],
  'hosts of an ingress': [Ingress, { spec: { tls: [{ hosts: many((index) => `h${index}.example`) }] } }],
  'ports of a service': [Service, { spec: { ports: many((index) => ({ name: `p${index}`, port: index + 1 })) } }],
  'addresses of a service': [Service, { spec: { externalIPs: many(address) } }],
  'cluster addresses of a service': [
    Service,
    { spec: { clusterIP: address(0), clusterIPs: many(address), ipFamilies: many(() => 'IPv4') } },
  ],
  'resources of a quota': [ResourceQuota, { spec: { hard: members((index) => `count/things${index}`) } }],
  'scopes of a quota': [ResourceQuota, { spec: { scopes: many(() => 'BestEffort') } }],
  'resources of a limit range': [
    LimitRange,
    { spec: { limits: [{ type: 'Pod', max: members((index) => `example.com/r${index}`) }] } },
  ],
  'rules of a role': [ClusterRole, { rules: many(() => ({ verbs: ['get'], apiGroups: [''], resources: ['pods'] })) }],
  'subjects of a binding': [
    RoleBinding,
    { roleRef: { kind: 'Role', name: 'r' }, subjects: many((index) => ({ kind: 'User', name: `u${index}` })) },
  ],
  'keys of a config map': [ConfigMap, { data: members((index) => `k${index}`) }],
  'taints of a node': [Node, { spec: { taints: many((index) => ({ key: `k${index}`, effect: 'NoSchedule' })) } }],
  'terms of a storage class': [
    StorageClass,
    {
      provisioner: 'p',
      allowedTopologies: many((index) => ({ matchLabelExpressions: [{ key: `k${index}`, values: ['a'] }] })),
    },
  ],
  'keys of a driver': [
    CSINode,
    { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: many((index) => `k${index}`) }] } },
  ],
  'capacity of a volume': [PersistentVolume, { spec: { capacity: members((index) => `r${index}`) } }],
  'usages of a certificate': [
    CertificateSigningRequest,
    { spec: { request: '', signerName: 'a.b/c', usages: many(() => 'server auth') } },
  ],
  'metrics of an autoscaler': [
    HorizontalPodAutoscaler,
    {
      spec: {
        scaleTargetRef: { kind: 'D', name: 'd' },
        maxReplicas: 2,
        metrics: many(() => ({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } })),
      },
    },
  ],
  'webhooks of a configuration': [
    MutatingWebhookConfiguration,
    { webhooks: many((index) => ({ name: `w${index}.a.b`, clientConfig: {}, admissionReviewVersions: ['v1'] })) },
  ],
  'rules of a failure policy': [
    Job,
    {
      spec: {
        podFailurePolicy: { rules: many(() => ({ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } })) },
        template: { spec: { containers: [CONTAINER], restartPolicy: 'Never' } },
      },
    },
  ],
  'containers of a pod': [Pod, pod({ containers: many((index) => ({ ...CONTAINER, name: `c${index}` })) })],
  'environment of a container': [Pod, container({ env: many((index) => ({ name: `E${index}`, value: '1' })) })],
  'ports of a container': [Pod, container({ ports: many((index) => ({ containerPort: index + 1 })) })],
  'mounts of a container': [
    Pod,
    container({ volumeMounts: many((index) => ({ name: `v${index}`, mountPath: `/${index}` })) }),
  ],
  'limits of a container': [Pod, container({ resources: { limits: members((index) => `example.com/r${index}`) } })],
  'claims of a container': [Pod, container({ resources: { claims: many((index) => ({ name: `c${index}` })) } })],
  'headers of a probe': [
    Pod,
    container({ livenessProbe: { httpGet: { port: 80, httpHeaders: many(() => ({ name: 'a', value: '' })) } } }),
  ],
  'volumes of a pod': [Pod, pod({ volumes: many((index) => ({ name: `v${index}`, emptyDir: {} })) })],
  'items of a volume': [
    Pod,
    pod({ volumes: [{ name: 'v', configMap: { name: 'm', items: many((i) => ({ key: `k${i}`, path: `p${i}` })) } }] }),
  ],
  'sources of a volume': [
    Pod,
    pod({ volumes: [{ name: 'v', projected: { sources: many((i) => ({ secret: { name: `s${i}` } })) } }] }),
  ],
  'tolerations of a pod': [Pod, pod({ tolerations: many((index) => ({ key: `k${index}`, operator: 'Exists' })) })],
  'node selector of a pod': [Pod, pod({ nodeSelector: members((index) => `k${index}`) })],
  'spread constraints of a pod': [
    Pod,
    pod({
      topologySpreadConstraints: many((index) => ({
        ...{ maxSkew: 1, topologyKey: `k${index}`, whenUnsatisfiable: 'DoNotSchedule' },
      })),
    }),
  ],
  'namespaces of an affinity': [Pod, affinity({ topologyKey: 'k', namespaces: many((index) => `n${index}`) })],
  'host aliases of a pod': [Pod, pod({ hostAliases: many((index) => ({ ip: address(index) })) })],
  'sysctls of a pod': [
    Pod,
    pod({ securityContext: { sysctls: many((i) => ({ name: `kernel.shm${i}`, value: '' })) } }),
  ],
  'selector of a replication controller': [
    ReplicationController,
    {
      spec: {
        selector: members((index) => `k${index}`),
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER] } },
      },
    },
  ],
  'containers of a template': [
    Deployment,
    {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: many((i) => ({ ...CONTAINER, name: `c${i}` })) },
        },
      },
    },
  ],
};

/** Claims of containers are dropped without it. */
const GATES = { DynamicResourceAllocation: true };
const base = contextOf(kubernetes, GATES);

/** Runs a hook in a request whose slice is always used up. Returns its result, and how often it paused. */
async function counted<Result>(
  hook: (context: RequestContext) => MaybeSteps<Result> | Promise<Result>,
): Promise<{ readonly result: Result; readonly pauses: number }> {
  let pauses = 0;
  const work: Work = { ...UNBOUNDED_WORK, spend: () => true, next: () => Promise.resolve(void (pauses += 1)) };
  const context = { ...base, work };
  return { result: await hookResult(hook(context), context), pauses };
}

/** The errors of a new object, by the rules of its kind. */
const rulesOf =
  ({ strategy }: ResourceDefinition, object: StoredObject) =>
  (context: RequestContext): MaybeSteps<FieldError[]> | Promise<FieldError[]> =>
    strategy?.validateNew?.(object, context) ?? strategy?.validate?.(object, context) ?? [];

test.each(Object.entries(LONG))('%s are checked with a pause at each', async (_name, [kind, fields]) => {
  const rules = rulesOf(kind, create(kind, { metadata: { name: 'long' }, ...fields } as JsonObject, kubernetes, GATES));
  const { result, pauses } = await counted(rules);
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
  expect(texts(result)).toEqual(texts(await hookResult(rules(base), base)));
});

describe('the defaults', () => {
  test.each(['containers of a pod', 'volumes of a pod', 'containers of a template'])(
    'of the %s pause',
    async (name) => {
      const [kind, fields] = LONG[name] ?? [Pod, {}];
      const draft = decode(kind, { metadata: { name: 'long' }, ...fields } as JsonObject, kubernetes);
      const { pauses } = await counted((context) => kind.strategy?.defaults?.(draft, context));
      expect(pauses).toBeGreaterThanOrEqual(COUNT);
    },
  );

  test('of the texts of a secret pause', async () => {
    const draft = decode(Secret, { metadata: { name: 'long' } }, kubernetes);
    Object.assign(draft, { stringData: members((index) => `k${index}`) });
    const { pauses } = await counted((context) => Secret.strategy?.defaults?.(draft, context));
    expect(pauses).toBeGreaterThanOrEqual(COUNT);
    expect(Object.keys((draft as { data?: object }).data ?? {})).toHaveLength(COUNT);
  });

  test('and the disabled fields of a pod pause between features', async () => {
    const draft = decode(Pod, container({}) as JsonObject, kubernetes);
    const { pauses } = await counted((context) => Pod.strategy?.prepareForCreate?.(draft, context));
    expect(pauses).toBeGreaterThan(3);
  });
});

test('the canonical form of endpoints is made with a pause at each address', async () => {
  const endpoints = decode(
    Endpoints,
    { metadata: { name: 'long' }, ...LONG['addresses of endpoints']?.[1] },
    kubernetes,
  );
  const same = structuredClone(endpoints);
  const { pauses } = await counted((context) => Endpoints.strategy?.canonicalize?.(endpoints as StoredObject, context));
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
  atOnce(Endpoints.strategy?.canonicalize?.(same as StoredObject, base));
  expect(endpoints).toEqual(same);
});

/** Fields for which nothing is to be warned about, so that every item is visited. */
const WARNED: Readonly<Record<string, readonly [kind: ResourceDefinition, fields: object]>> = {
  ...Object.fromEntries(
    ['environment of a container', 'containers of a pod', 'volumes of a pod', 'node selector of a pod'].map((name) => [
      name,
      LONG[name] ?? [Pod, {}],
    ]),
  ),
  'addresses of a service': [Service, { spec: { externalIPs: many(address) } }],
  'sources of a volume': [
    Pod,
    pod({
      volumes: [
        {
          name: 'v',
          projected: { sources: [{ serviceAccountToken: { path: 'p' } }, ...many(() => ({ secret: { name: 's' } }))] },
        },
      ],
    }),
  ],
  'terms of the affinity of a pod': [
    Pod,
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: many((index) => ({ matchFields: [{ key: `k${index}`, operator: 'Exists' }] })),
          },
        },
      },
    }),
  ],
  'ports of a container': [Pod, container({ ports: many((index) => ({ containerPort: 1, hostPort: index + 1 })) })],
  'containers of a template': LONG['containers of a template'] ?? [Pod, {}],
  'terms of a storage class': LONG['terms of a storage class'] ?? [Pod, {}],
  'claims of a set': [
    StatefulSet,
    {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER] } },
        volumeClaimTemplates: many((index) => ({ metadata: { name: `v${index}` } })),
      },
    },
  ],
};

describe('the warnings', () => {
  const warningsOf =
    (kind: ResourceDefinition, fields: object) =>
    (context: RequestContext): MaybeSteps<string[]> => {
      const object = create(kind, { metadata: { name: 'long' }, ...fields } as JsonObject, kubernetes, GATES);
      return kind.strategy?.warnings?.(object, undefined, context) ?? [];
    };

  test.each(Object.entries(WARNED))('about %s are found with a pause at each', async (_name, [kind, fields]) => {
    const { result, pauses } = await counted(warningsOf(kind, fields));
    expect(result).toEqual([]);
    expect(pauses).toBeGreaterThanOrEqual(COUNT);
  });

  test.each([
    ['the same number', (): object => ({ containerPort: 1 })],
    ['numbers of the node of their own', (index: number): object => ({ containerPort: 1, hostPort: index + 1 })],
    [
      'addresses of the node of their own',
      (index: number): object => ({ containerPort: 1, hostPort: 1, hostIP: address(index) }),
    ],
  ])('about ports with %s take time in proportion to their number', async (_name, port) => {
    await expectProportional((count) => {
      const object = create(Pod, { metadata: { name: 'a' }, ...container({ ports: many(port, count) }) } as JsonObject);
      return () => atOnce(Pod.strategy?.warnings?.(object, undefined, base) ?? []);
    }, 400);
  });

  test('about ports are those of each pair that interferes, in the order of the ports', () => {
    const kinds: readonly object[] = [0, 0, 7, 8].flatMap((hostPort) =>
      ['', '10.0.0.1', '10.0.0.2'].map((hostIP) => ({ containerPort: 1, protocol: 'TCP', hostPort, hostIP })),
    );
    const clash = (a: Record<string, unknown>, b: Record<string, unknown>): string | undefined => {
      if (a['hostIP'] === b['hostIP'] && a['hostPort'] === b['hostPort']) return 'duplicate';
      if (a['hostPort'] === 0 || b['hostPort'] === 0) return 'overlapping';
      const isOneAny = (a['hostIP'] === '') !== (b['hostIP'] === '');
      return a['hostPort'] === b['hostPort'] && isOneAny ? 'dangerously ambiguous' : undefined;
    };
    for (let rotation = 0; rotation < kinds.length; rotation += 1) {
      const ports = [...kinds.slice(rotation), ...kinds.slice(0, rotation)] as Record<string, unknown>[];
      const expected = ports.flatMap((port, index) =>
        ports.slice(0, index).flatMap((other, earlier) => {
          const how = clash(port, other);
          const at = (place: number): string => `spec.containers[0].ports[${place}]`;
          return how === undefined ? [] : [`${at(index)}: ${how} port definition with ${at(earlier)}`];
        }),
      );
      const fields = { metadata: { name: 'a' }, ...container({ ports }) } as JsonObject;
      const found = atOnce(Pod.strategy?.warnings?.(create(Pod, fields), undefined, base) ?? []);
      const pairs = found.filter((text) => text.includes('port definition'));
      expect(pairs.length).toBeGreaterThan(10);
      expect(pairs).toEqual(expected.slice(0, pairs.length));
    }
  });

  test('end with what a response can hold', () => {
    const fields = { metadata: { name: 'a' }, ...container({ ports: many(() => ({ containerPort: 1 })) }) };
    const found = atOnce(Pod.strategy?.warnings?.(create(Pod, fields as JsonObject), undefined, base) ?? []);
    const recorders = [new WarningRecorder(), new WarningRecorder()] as const;
    for (const text of found) recorders[0].add(text);
    for (let index = 1; index < COUNT; index += 1)
      for (let other = 0; other < index; other += 1) {
        const at = (place: number): string => `spec.containers[0].ports[${place}]`;
        recorders[1].add(`${at(index)}: duplicate port definition with ${at(other)}`);
      }
    expect(found.length).toBeLessThan(COUNT);
    expect(recorders[0].headers).toEqual(recorders[1].headers);
  });
});

/** Lists whose items are compared with each other. */
const COMPARED: Readonly<Record<string, (count: number) => readonly [kind: ResourceDefinition, fields: object]>> = {
  'terms of a storage class': (count) => [
    StorageClass,
    {
      provisioner: 'p',
      allowedTopologies: many((index) => ({ matchLabelExpressions: [{ key: `k${index}`, values: ['a'] }] }), count),
    },
  ],
  'values of a term': (count) => [
    StorageClass,
    {
      provisioner: 'p',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'k', values: many((index) => `v${index}`, count) }] }],
    },
  ],
  'keys of a driver': (count) => [
    CSINode,
    { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: many((index) => `k${index}`, count) }] } },
  ],
  'spread constraints': (count) => [
    Pod,
    pod({
      topologySpreadConstraints: many(
        (index) => ({ maxSkew: 1, topologyKey: `k${index}`, whenUnsatisfiable: 'DoNotSchedule' }),
        count,
      ),
    }),
  ],
  'claims of a container': (count) => [
    Pod,
    container({ resources: { claims: many((index) => ({ name: `c${index}` }), count) } }),
  ],
  'containers with a claim that the pod does not have': (count) => [
    Pod,
    {
      spec: {
        resourceClaims: many((index) => ({ name: `claim-${index}`, resourceClaimName: 'c' }), count),
        containers: many(
          (index) => ({ name: `c${index}`, image: 'i', resources: { claims: [{ name: 'none' }] } }),
          count,
        ),
      },
    },
  ],
  'keys of an affinity': (count) => [
    Pod,
    affinity({
      topologyKey: 'k',
      labelSelector: {},
      matchLabelKeys: many((index) => `a${index}`, count),
      mismatchLabelKeys: many((index) => `b${index}`, count),
    }),
  ],
  'review versions of a webhook': (count) => [
    MutatingWebhookConfiguration,
    { webhooks: [{ name: 'w.a.b', clientConfig: {}, admissionReviewVersions: many((index) => `v${index}`, count) }] },
  ],
};

test.each(Object.entries(COMPARED))('%s take time in proportion to their number', async (_name, fieldsOf) => {
  await expectProportional((count) => {
    const [kind, fields] = fieldsOf(count);
    const object = create(kind, { metadata: { name: 'long' }, ...fields } as JsonObject, kubernetes, GATES);
    return () => hookResult(rulesOf(kind, object)(base), base);
  }, 400);
});
