import { describe, expect, test } from 'vitest';
import { kubernetes, orch } from '../../../src/foundation/index.js';
import type { Amounts } from '../../../src/kinds/quota/amounts.js';
import { formatQuantity } from '../../../src/foundation/objects/quantity.js';
import {
  claimEvaluator,
  countedKind,
  isCounted,
  objectCounts,
  podEvaluator,
  QuotaLedger,
  serviceEvaluator,
  type ScopedQuota,
} from '../../../src/kinds/index.js';
import type { MeasuredPod, MeasuredPodSpec } from '../../../src/kinds/quota/measured-pod.js';
import type { MeasuredService } from '../../../src/kinds/quota/services.js';

const NOW = Date.parse('2024-05-01T12:00:00Z');
const pods = podEvaluator(kubernetes);
const pod = (spec: MeasuredPodSpec = {}, others: Partial<MeasuredPod> = {}): MeasuredPod => ({
  metadata: { name: 'p', namespace: 'n' },
  spec,
  ...others,
});
const writtenAmounts = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
const usage = (object: MeasuredPod): Record<string, string> => writtenAmounts(pods.usage(object, NOW));
const cpu = (name: string, request: string, others: object = {}) => ({
  name,
  resources: { requests: { cpu: request } },
  ...others,
});

describe('what a pod uses', () => {
  test('is the sum of its containers, under the names of requests and limits', () => {
    const spec = {
      containers: [
        {
          name: 'a',
          resources: { requests: { cpu: '500m', memory: '1Gi', 'example.com/gpu': '1' }, limits: { cpu: '1' } },
        },
        {
          name: 'b',
          resources: { requests: { cpu: '1', 'hugepages-2Mi': '4Mi', storage: '1' }, limits: { cpu: '1500m' } },
        },
      ],
    };
    expect(usage(pod(spec))).toEqual({
      'count/pods': '1',
      pods: '1',
      cpu: '1500m',
      'requests.cpu': '1500m',
      'limits.cpu': '2500m',
      memory: '1Gi',
      'requests.memory': '1Gi',
      'hugepages-2Mi': '4Mi',
      'requests.hugepages-2Mi': '4Mi',
      'requests.example.com/gpu': '1',
    });
  });

  test.each<readonly [name: string, spec: MeasuredPodSpec, cpu: string]>([
    [
      'an init container that needs more',
      { containers: [cpu('a', '1')], initContainers: [cpu('i', '3'), cpu('j', '2')] },
      '3',
    ],
    [
      'an init container that needs less',
      { containers: [cpu('a', '1'), cpu('b', '1')], initContainers: [cpu('i', '1')] },
      '2',
    ],
    [
      'a sidecar beside the containers',
      { containers: [cpu('a', '1')], initContainers: [cpu('s', '2', { restartPolicy: 'Always' })] },
      '3',
    ],
    [
      'a sidecar beside a later init container',
      { containers: [cpu('a', '1')], initContainers: [cpu('s', '2', { restartPolicy: 'Always' }), cpu('i', '4')] },
      '6',
    ],
    ['overhead', { containers: [cpu('a', '1')], overhead: { cpu: '250m' } }, '1250m'],
  ])('counts %s', (_name, spec, expected) => {
    expect(usage(pod(spec))['requests.cpu']).toBe(expected);
  });

  test('overhead raises a limit only where a container has one', () => {
    const spec = {
      containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }],
      overhead: { cpu: '1', memory: '1' },
    };
    expect(usage(pod(spec))).toMatchObject({ 'limits.cpu': '2', 'requests.memory': '1' });
    expect(usage(pod(spec))).not.toHaveProperty('limits.memory');
  });

  test.each<readonly [name: string, others: Partial<MeasuredPod>, counts: boolean]>([
    ['running', { status: { phase: 'Running' } }, true],
    ['succeeded', { status: { phase: 'Succeeded' } }, false],
    ['failed', { status: { phase: 'Failed' } }, false],
    [
      'being deleted',
      { metadata: { deletionTimestamp: '2024-05-01T11:59:45Z', deletionGracePeriodSeconds: 30 } },
      true,
    ],
    [
      'stuck after its grace period',
      { metadata: { deletionTimestamp: '2024-05-01T11:59:00Z', deletionGracePeriodSeconds: 30 } },
      false,
    ],
  ])('is only its object when it has ended: %s', (_name, others, counts) => {
    const used = usage(pod({ containers: [cpu('a', '1')] }, others));
    expect(used['count/pods']).toBe('1');
    expect(used['pods']).toBe(counts ? '1' : undefined);
  });

  test('a pod without requests cannot be counted where compute resources are limited', () => {
    const spec = { containers: [cpu('b', '1'), { name: 'a' }], initContainers: [{ name: 'i' }] };
    expect(pods.refusal?.(pod(spec), ['pods', 'limits.cpu', 'requests.cpu', 'ephemeral-storage'])).toBe(
      'must specify limits.cpu for: a,b,i; requests.cpu for: a,i',
    );
    expect(pods.refusal?.(pod(spec), ['pods'])).toBeUndefined();
  });
});

describe('the scopes of pods', () => {
  const counted = (object: MeasuredPod, quota: ScopedQuota): boolean => isCounted(pods, object, quota);
  const ofClass = (operator: string, values?: string[]): ScopedQuota => ({
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
  });

  test.each<readonly [spec: MeasuredPodSpec, scopes: readonly string[]]>([
    [{}, ['NotTerminating', 'BestEffort']],
    [{ activeDeadlineSeconds: 0 }, ['Terminating', 'BestEffort']],
    [{ containers: [cpu('a', '1')] }, ['NotTerminating', 'NotBestEffort']],
    [{ priorityClassName: 'high' }, ['NotTerminating', 'BestEffort', 'PriorityClass']],
    [
      {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { topologyKey: 'zone', namespaceSelector: {} } },
            ],
          },
        },
      },
      ['NotTerminating', 'BestEffort', 'CrossNamespacePodAffinity'],
    ],
  ])('%j is in %j', (spec, scopes) => {
    const all = [
      'Terminating',
      'NotTerminating',
      'BestEffort',
      'NotBestEffort',
      'PriorityClass',
      'CrossNamespacePodAffinity',
    ];
    expect(all.filter((scope) => counted(pod(spec), { scopes: [scope] }))).toEqual(scopes);
    expect(counted(pod(spec), { scopes })).toBe(true);
  });

  test.each([
    ['In', ['high'], true, false],
    ['NotIn', ['high'], false, true],
    ['Exists', undefined, true, false],
    ['DoesNotExist', undefined, false, true],
    ['In', ['low'], false, false],
    ['NotIn', ['low'], true, true],
  ] as const)('the operator %s %j', (operator, values, named, unnamed) => {
    const quota = ofClass(operator, values === undefined ? undefined : [...values]);
    expect(counted(pod({ priorityClassName: 'high' }), quota)).toBe(named);
    expect(counted(pod(), quota)).toBe(unnamed);
  });
});

describe('services', () => {
  const used = (spec: MeasuredService['spec']): Record<string, string> =>
    writtenAmounts(serviceEvaluator.usage({ metadata: {}, spec }, NOW));
  const ports = [{ port: 1, nodePort: 30000 }, { port: 2 }];

  test.each([
    ['ClusterIP', {}, '0', '0'],
    ['NodePort', {}, '2', '0'],
    ['LoadBalancer', {}, '2', '1'],
    ['LoadBalancer', { allocateLoadBalancerNodePorts: false }, '1', '1'],
  ])('of type %s %j', (type, others, nodePorts, balancers) => {
    expect(used({ type, ports, ...others })).toEqual({
      'count/services': '1',
      services: '1',
      'services.nodeports': nodePorts,
      'services.loadbalancers': balancers,
    });
  });
});

describe('claims', () => {
  test.each([orch, kubernetes])('use storage of their class, in whole bytes, in the dialect $name', (dialect) => {
    const claims = claimEvaluator(dialect);
    const suffix = `storageclass.storage.${dialect.groupSuffix}`;
    const claim = {
      metadata: {},
      spec: { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } },
    };
    expect(writtenAmounts(claims.usage(claim, NOW))).toEqual({
      'count/persistentvolumeclaims': '1',
      persistentvolumeclaims: '1',
      'requests.storage': '2',
      [`gold.${suffix}/persistentvolumeclaims`]: '1',
      [`gold.${suffix}/requests.storage`]: '2',
    });
    expect(claims.measures(`iron.${suffix}/requests.storage`)).toBe(true);
    expect(claims.measures('requests.cpu')).toBe(false);
    const growing = { ...claim, status: { allocatedResources: { storage: '5' } } };
    expect(claims.usage(growing, NOW).get('requests.storage')?.unscaled).toBe(5n);
  });
});

describe('counts of objects', () => {
  test('have one name for each kind, and a short one for some of the core group', () => {
    const used = (group: string, resource: string): string[] => [
      ...objectCounts(group, resource).usage({ metadata: {} }, NOW).keys(),
    ];
    expect(used('apps', 'deployments')).toEqual(['count/deployments.apps']);
    expect(used('', 'secrets')).toEqual(['count/secrets', 'secrets']);
    expect(countedKind('count/cronjobs.batch')).toEqual({ group: 'batch', resource: 'cronjobs' });
    expect(countedKind('count/secrets')).toEqual({ group: '', resource: 'secrets' });
    expect(countedKind('cpu')).toBeUndefined();
    expect(isCounted(objectCounts('', 'secrets'), { metadata: {} }, { scopes: ['Terminating'] })).toBe(false);
  });
});

const used = (ledger: QuotaLedger, ...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, ledger.used(name)]));

test('a ledger sums what objects use, in the notation of the amounts', () => {
  const ledger = new QuotaLedger();
  const memory = (text: string) =>
    pods.usage(pod({ containers: [{ name: 'a', resources: { requests: { memory: text } } }] }), NOW);
  ledger.set('a', memory('1Gi'));
  ledger.set('b', memory('512Mi'));
  expect(used(ledger, 'memory', 'cpu', 'pods')).toEqual({ memory: '1536Mi', cpu: '0', pods: '2' });
  ledger.set('a', memory('2Gi'));
  expect(used(ledger, 'memory')).toEqual({ memory: '2560Mi' });
  ledger.set('a', undefined);
  ledger.set('b', undefined);
  expect(ledger.set('b', undefined)).toBe(false);
  expect(used(ledger, 'memory', 'pods')).toEqual({ memory: '0', pods: '0' });
  ledger.set('c', memory('1000'));
  expect(used(ledger, 'memory')).toEqual({ memory: '1k' });
});
