import { atOnce } from '../../../src/foundation/work/work.js';
import { describe, expect, test } from 'vitest';
import { flowClassifier, type RequestDigest } from '../../../src/server/fairness/classification/classify.js';
import { isUsableLevel } from '../../../src/server/fairness/levels.js';
import { kubernetes, orch } from '../../../src/foundation/index.js';
import { maintainedFlowSchemas, maintainedPriorityLevels } from '../../../src/kinds/builtin/flowcontrol/bootstrap.js';
import { flowSchemaErrors } from '../../../src/kinds/builtin/flowcontrol/validate-flow-schema.js';
import { priorityLevelErrors } from '../../../src/kinds/builtin/flowcontrol/validate-priority-level.js';

const named = <Spec>({
  suggested,
  mandatory,
}: {
  suggested: ReadonlyMap<string, Spec>;
  mandatory: ReadonlyMap<string, Spec>;
}) => [...suggested, ...mandatory].map(([name, spec]) => ({ metadata: { name }, spec }));

const LEVELS = named(maintainedPriorityLevels);
const classifier = flowClassifier(named(maintainedFlowSchemas(kubernetes)), LEVELS);

const ANYONE = 'system:authenticated';
const USERS = {
  admin: ['system:masters', ANYONE],
  jane: [ANYONE],
  nobody: ['system:unauthenticated'],
  stranger: [],
  'system:node:a': ['system:nodes', ANYONE],
  'system:kube-scheduler': [ANYONE],
  'system:kube-controller-manager': [ANYONE],
  'system:serviceaccount:kube-system:dns': ['system:serviceaccounts', 'system:serviceaccounts:kube-system', ANYONE],
  'system:serviceaccount:kube-system:endpoint-controller': ['system:serviceaccounts', ANYONE],
  'system:serviceaccount:shop:cart': ['system:serviceaccounts', 'system:serviceaccounts:shop', ANYONE],
} satisfies Record<string, string[]>;

/** A request in the notation `verb group/resource/subresource namespace`, or `verb /path`. */
function requestOf(text: string): RequestDigest['request'] {
  const [verb = '', target = '', namespace = ''] = text.split(' ');
  const none = { group: '', resource: '', subresource: '', namespace: '', path: '' };
  if (target.startsWith('/')) return { ...none, isResource: false, verb, path: target };
  const [group = '', resource = '', subresource = ''] = target.split('/');
  return { ...none, isResource: true, verb, group: group === 'core' ? '' : group, resource, subresource, namespace };
}

describe('the objects of release 1.31', () => {
  test.each<[keyof typeof USERS, string, string, string]>([
    ['admin', 'get core/pods shop', 'exempt', 'exempt'],
    ['admin', 'get /healthz', 'exempt', 'exempt'],
    ['nobody', 'get /livez', 'probes', 'exempt'],
    ['nobody', 'get /readyz/ping', 'probes', 'exempt'],
    ['nobody', 'post /readyz', 'global-default', 'global-default'],
    ['jane', 'get /version', 'global-default', 'global-default'],
    ['jane', 'list core/pods shop', 'global-default', 'global-default'],
    ['stranger', 'list core/pods shop', 'catch-all', 'catch-all'],
    ['system:node:a', 'update core/nodes/status', 'system-node-high', 'node-high'],
    ['system:node:a', 'get core/nodes', 'system-node-high', 'node-high'],
    ['system:node:a', 'patch core/nodes/proxy', 'system-nodes', 'system'],
    ['system:node:a', 'update coordination.k8s.io/leases kube-node-lease', 'system-node-high', 'node-high'],
    ['system:node:a', 'list coordination.k8s.io/leases', 'system-nodes', 'system'],
    ['system:node:a', 'watch core/pods', 'system-nodes', 'system'],
    ['system:node:a', 'get /version', 'system-nodes', 'system'],
    [
      'system:kube-scheduler',
      'update coordination.k8s.io/leases kube-system',
      'system-leader-election',
      'leader-election',
    ],
    ['system:kube-scheduler', 'patch coordination.k8s.io/leases kube-system', 'kube-scheduler', 'workload-high'],
    ['system:kube-scheduler', 'create core/pods/binding shop', 'kube-scheduler', 'workload-high'],
    ['system:kube-controller-manager', 'create core/endpoints shop', 'endpoint-controller', 'workload-high'],
    ['system:kube-controller-manager', 'list core/endpoints shop', 'kube-controller-manager', 'workload-high'],
    [
      'system:serviceaccount:kube-system:endpoint-controller',
      'update core/endpoints shop',
      'endpoint-controller',
      'workload-high',
    ],
    [
      'system:serviceaccount:kube-system:dns',
      'update core/endpoints shop',
      'workload-leader-election',
      'leader-election',
    ],
    [
      'system:serviceaccount:kube-system:dns',
      'update core/configmaps shop',
      'workload-leader-election',
      'leader-election',
    ],
    [
      'system:serviceaccount:kube-system:dns',
      'get coordination.k8s.io/leases shop',
      'system-leader-election',
      'leader-election',
    ],
    ['system:serviceaccount:kube-system:dns', 'watch core/services', 'kube-system-service-accounts', 'workload-high'],
    ['system:serviceaccount:shop:cart', 'get coordination.k8s.io/leases shop', 'service-accounts', 'workload-low'],
    ['system:serviceaccount:shop:cart', 'get core/secrets shop', 'service-accounts', 'workload-low'],
  ])('classify a request of %s, %s, by %s', (username, text, schema, level) => {
    const found = classifier.classify({ user: { username, groups: USERS[username] }, request: requestOf(text) });
    expect([found.flowSchema.name, found.priorityLevel.name]).toEqual([schema, level]);
  });

  test.each([kubernetes, orch])('are valid in the dialect $name', (dialect) => {
    for (const { metadata, spec } of named(maintainedFlowSchemas(dialect)))
      expect([metadata.name, atOnce(flowSchemaErrors(metadata.name, spec, undefined))]).toEqual([metadata.name, []]);
    for (const { metadata, spec } of LEVELS) {
      expect([metadata.name, [...atOnce(priorityLevelErrors(metadata.name, spec))]]).toEqual([metadata.name, []]);
      expect(isUsableLevel({ metadata, spec })).toBe(true);
    }
  });

  test('divide the seats of a server as release 1.31 does', () => {
    const shares = LEVELS.map(({ metadata, spec }) => [
      metadata.name,
      spec.limited?.nominalConcurrencyShares ?? spec.exempt?.nominalConcurrencyShares,
      spec.limited?.lendablePercent ?? spec.exempt?.lendablePercent,
      spec.limited?.borrowingLimitPercent,
    ]);
    expect(shares).toEqual([
      ['system', 30, 33, undefined],
      ['node-high', 40, 25, undefined],
      ['leader-election', 10, 0, undefined],
      ['workload-high', 40, 50, undefined],
      ['workload-low', 100, 90, undefined],
      ['global-default', 20, 50, undefined],
      ['exempt', 0, 0, undefined],
      ['catch-all', 5, 0, undefined],
    ]);
  });
});
