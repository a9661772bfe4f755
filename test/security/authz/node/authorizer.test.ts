import { describe, expect, it } from 'vitest';
import {
  coveringRules,
  defaultRbacPolicy,
  type Attributes,
  type Decision,
} from '../../../../src/security/authz/index.js';
import {
  createNodeAuthorizer,
  NodeGraph,
  nodeRules,
  type NodeAuthorizerOptions,
} from '../../../../src/security/authz/node/index.js';
import { groupName, kubernetes, orch, systemGroup, type Dialect } from '../../../../src/foundation/index.js';
import { addPod, request, volumeOf } from './support.js';

/** Two nodes with two pods each; the objects of a pod have its name in their own. */
function populated(dialect: Dialect): NodeGraph {
  const graph = new NodeGraph(dialect);
  for (const node of ['node0', 'node1']) {
    for (const pod of [`pod0-${node}`, `pod1-${node}`]) {
      addPod(graph, pod, node, {
        secrets: [`secret-${pod}`, 'shared'],
        configMaps: [`config-${pod}`],
        claims: [`claim-${pod}`],
        resourceClaims: [`rc-${pod}`],
        serviceAccount: `sa-${node}`,
      });
      graph.changed(
        'persistentvolumes',
        volumeOf(`claim-${pod}`, { csi: { nodePublishSecretRef: { namespace: 'ns', name: `pv-secret-${pod}` } } }),
        { namespace: '', name: `pv-${pod}` },
      );
    }
    graph.changed('volumeattachments', { spec: { nodeName: node } }, { namespace: '', name: `attachment-${node}` });
    graph.changed('resourceslices', { spec: { nodeName: node } }, { namespace: '', name: `slice-${node}` });
  }
  return graph;
}

const authorizerFor = (dialect: Dialect, options: Partial<NodeAuthorizerOptions> = {}) =>
  createNodeAuthorizer({ graph: populated(dialect), dialect, ...options });
const UNRELATED = "no relationship found between node 'node0' and this object";
const ONLY_GET = 'can only get individual resources of this type';

/**
 * A request of node0: verb, resource with its group and subresource, further attributes; and the reason for its denial,
 * `true` if it is allowed.
 */
type Row = readonly [verb: string, resource: string, facts: Partial<Attributes>, outcome: true | string];

const ns = 'ns';
const lease = 'orch-node-lease';
const selecting = (key: string, value: string): Partial<Attributes> => ({
  fieldSelector: [{ key, operator: 'In', values: [value] }],
});

const withAnyOptions: readonly Row[] = [
  ['get', 'configmaps', { name: 'config-pod0-node0', namespace: ns }, true],
  ['get', 'secrets', { name: 'secret-pod0-node0', namespace: ns }, true],
  ['list', 'secrets', { name: 'secret-pod0-node0', namespace: ns }, true],
  ['watch', 'configmaps', { name: 'config-pod1-node0', namespace: ns }, true],
  ['list', 'secrets', { namespace: ns }, 'No Object name found'],
  ['watch', 'secrets', { namespace: ns }, 'No Object name found'],
  ['list', 'secrets', { name: 'secret-pod0-node0' }, 'can only read namespaced object of this type'],
  ['get', 'secrets', { name: 'secret-pod0-node0', namespace: 'other' }, UNRELATED],
  ['get', 'secrets', { name: 'secret-pod0-node0', namespace: ns, subresource: 'status' }, 'cannot read subresource'],
  ['update', 'secrets', { name: 'secret-pod0-node0', namespace: ns }, 'can only read resources of this type'],
  ['deletecollection', 'configmaps', { namespace: ns }, 'can only read resources of this type'],
  ['get', 'secrets', { name: 'shared', namespace: ns }, true],
  ['get', 'secrets', { name: 'pv-secret-pod0-node0', namespace: ns }, true],
  ['get', 'configmaps', { name: 'config-pod0-node1', namespace: ns }, UNRELATED],
  ['get', 'secrets', { name: 'secret-pod0-node1', namespace: ns }, UNRELATED],
  ['get', 'secrets', { name: 'pv-secret-pod0-node1', namespace: ns }, UNRELATED],
  ['get', 'secrets', { name: 'nothing', namespace: ns }, UNRELATED],
  ['get', 'persistentvolumeclaims', { name: 'claim-pod0-node0', namespace: ns }, true],
  ['get', 'persistentvolumeclaims', { name: 'claim-pod0-node1', namespace: ns }, UNRELATED],
  ['list', 'persistentvolumeclaims', { name: 'claim-pod0-node0', namespace: ns }, ONLY_GET],
  [
    'get',
    'persistentvolumeclaims',
    { name: 'claim-pod0-node0', namespace: ns, subresource: 'x' },
    'cannot get subresource',
  ],
  ['update', 'persistentvolumeclaims', { name: 'claim-pod0-node0', namespace: ns, subresource: 'status' }, true],
  ['patch', 'persistentvolumeclaims', { name: 'claim-pod0-node0', namespace: ns, subresource: 'status' }, true],
  ['patch', 'persistentvolumeclaims', { name: 'claim-pod0-node1', namespace: ns, subresource: 'status' }, UNRELATED],
  [
    'get',
    'persistentvolumeclaims',
    { name: 'claim-pod0-node0', namespace: ns, subresource: 'status' },
    'can only get/update/patch this type',
  ],
  ['get', 'persistentvolumes', { name: 'pv-pod0-node0' }, true],
  ['get', 'persistentvolumes', { name: 'pv-pod0-node1' }, UNRELATED],
  ['watch', 'persistentvolumes', {}, ONLY_GET],
  ['get', 'resource./resourceclaims', { name: 'rc-pod0-node0', namespace: ns }, true],
  ['get', 'resource./resourceclaims', { name: 'rc-pod0-node1', namespace: ns }, UNRELATED],
  ['get', 'resourceclaims', { name: 'rc-pod0-node0', namespace: ns }, ''],
  ['get', 'storage./volumeattachments', { name: 'attachment-node0' }, true],
  ['get', 'storage./volumeattachments', { name: 'attachment-node1' }, UNRELATED],
  ['create', 'serviceaccounts', { name: 'sa-node0', namespace: ns, subresource: 'token' }, true],
  ['create', 'serviceaccounts', { name: 'sa-node1', namespace: ns, subresource: 'token' }, UNRELATED],
  ['create', 'serviceaccounts', { name: 'sa-node0', namespace: 'other', subresource: 'token' }, UNRELATED],
  [
    'create',
    'serviceaccounts',
    { namespace: ns, subresource: 'token' },
    'can only create tokens for individual service accounts',
  ],
  [
    'update',
    'serviceaccounts',
    { name: 'sa-node0', namespace: ns, subresource: 'token' },
    'can only create tokens for individual service accounts',
  ],
  [
    'get',
    'serviceaccounts',
    { name: 'sa-node0', namespace: ns },
    'can only create tokens for individual service accounts',
  ],
  [
    'create',
    'serviceaccounts',
    { name: 'sa-node0', namespace: ns },
    'can only create token subresource of serviceaccount',
  ],
  ...['get', 'update', 'patch', 'delete'].flatMap<Row>((verb) => [
    [verb, 'coordination./leases', { name: 'node0', namespace: lease }, true],
    [
      verb,
      'coordination./leases',
      { name: 'node1', namespace: lease },
      'can only access node lease with the same name as the requesting node',
    ],
    [
      verb,
      'coordination./leases',
      { name: 'node0', namespace: 'foo' },
      'can only access leases in the "orch-node-lease" system namespace',
    ],
    [verb, 'storage./csinodes', { name: 'node0' }, true],
    [verb, 'storage./csinodes', { name: 'node1' }, 'can only access CSINode with the same name as the requesting node'],
    [verb, 'resource./resourceslices', { name: 'slice-node0' }, true],
    [verb, 'resource./resourceslices', { name: 'slice-node1' }, UNRELATED],
  ]),
  ['create', 'coordination./leases', { namespace: lease }, true],
  [
    'create',
    'coordination./leases',
    { namespace: 'foo' },
    'can only access leases in the "orch-node-lease" system namespace',
  ],
  ['list', 'coordination./leases', { namespace: lease }, 'can only get, create, update, patch, or delete a node lease'],
  [
    'watch',
    'coordination./leases',
    { namespace: lease, name: 'node0' },
    'can only get, create, update, patch, or delete a node lease',
  ],
  ['create', 'storage./csinodes', {}, true],
  ['list', 'storage./csinodes', {}, 'can only get, create, update, patch, or delete a CSINode'],
  ['get', 'storage./csinodes', { name: 'node0', subresource: 'csiDrivers' }, 'cannot authorize CSINode subresources'],
  ['create', 'resource./resourceslices', {}, true],
  [
    'get',
    'resource./resourceslices',
    { name: 'slice-node0', subresource: 'status' },
    'cannot authorize ResourceSlice subresources',
  ],
  ['get', 'resource./resourceslices', {}, 'No Object name found'],
  [
    'approve',
    'resource./resourceslices',
    {},
    'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
  ],
  ...['list', 'watch', 'deletecollection'].map<Row>((verb) => [
    verb,
    'resource./resourceslices',
    selecting('nodeName', 'node0'),
    true,
  ]),

  ['get', 'pods', { name: 'pod0-node0', namespace: ns }, true],
  ['list', 'pods', selecting('spec.nodeName', 'node0'), true],
  ['watch', 'pods', selecting('spec.nodeName', 'node0'), true],
  ['list', 'pods', { name: 'pod0-node0', namespace: ns }, true],
  ['create', 'pods', { namespace: ns }, true],
  ['delete', 'pods', { name: 'pod0-node1', namespace: ns }, true],
  ['create', 'pods', { namespace: ns, subresource: 'proxy' }, ''],
  ['delete', 'pods', { name: 'pod0-node0', namespace: ns, subresource: 'proxy' }, ''],
  ['update', 'pods', { name: 'pod0-node0', namespace: ns }, ''],
  ['update', 'pods', { name: 'pod0-node1', namespace: ns, subresource: 'status' }, true],
  ['patch', 'pods', { name: 'pod0-node0', namespace: ns, subresource: 'status' }, true],
  ['get', 'pods', { name: 'pod0-node0', namespace: ns, subresource: 'status' }, ''],
  ['create', 'pods', { name: 'pod0-node1', namespace: ns, subresource: 'eviction' }, true],
  ['get', 'pods', { name: 'pod0-node0', namespace: ns, subresource: 'constructor' }, ''],
  ['get', 'nodes', { name: 'node0' }, true],
  ['list', 'nodes', { name: 'node0' }, true],
  ['create', 'nodes', {}, true],
  ['update', 'nodes', { name: 'node1' }, true],
  ['patch', 'nodes', { name: 'node0', subresource: 'status' }, true],
  ['get', 'nodes', { name: 'node0', subresource: 'proxy' }, ''],
  ['delete', 'nodes', { name: 'node0' }, ''],

  ['create', 'authentication./tokenreviews', {}, true],
  ['create', 'authorization./subjectaccessreviews', {}, true],
  ['create', 'authorization./localsubjectaccessreviews', { namespace: ns }, true],
  ['create', 'authorization./selfsubjectaccessreviews', {}, ''],
  ['create', 'certificates./certificatesigningrequests', {}, true],
  ['watch', 'certificates./certificatesigningrequests', { name: 'mine' }, true],
  ['update', 'certificates./certificatesigningrequests', { name: 'mine', subresource: 'approval' }, ''],
  ['delete', 'certificates./certificatesigningrequests', { name: 'mine' }, ''],
  ['list', 'services', {}, true],
  ['get', 'endpoints', { name: 'x', namespace: ns }, true],
  ['list', 'endpoints', {}, ''],
  ['create', 'events', { namespace: ns }, true],
  ['create', 'events./events', { namespace: ns }, ''],
  ['list', 'storage./csidrivers', {}, true],
  ['watch', 'node./runtimeclasses', {}, true],
  ['get', 'namespaces', { name: ns }, ''],
  ['create', 'example.com/secrets', { namespace: ns }, ''],
];

const withoutSelectors: readonly Row[] = [
  ['get', 'pods', { name: 'pod0-node1', namespace: ns }, true],
  ['list', 'pods', {}, true],
  ['watch', 'pods', {}, true],
  ['get', 'nodes', { name: 'node1' }, true],
  ['list', 'nodes', {}, true],
  ['watch', 'nodes', { name: 'node1' }, true],
  ['list', 'resource./resourceslices', {}, true],
  ['deletecollection', 'resource./resourceslices', {}, true],
];

const OWN_SLICES = 'can only list/watch/deletecollection resourceslices with nodeName field selector';
const OWN_PODS = 'can only list/watch pods with spec.nodeName field selector';
const withSelectors: readonly Row[] = [
  ['get', 'pods', { name: 'pod0-node1', namespace: ns }, UNRELATED],
  ['get', 'pods', { namespace: ns }, 'No Object name found'],
  ['list', 'pods', {}, OWN_PODS],
  ['watch', 'pods', selecting('spec.nodeName', 'node1'), OWN_PODS],
  ['list', 'pods', { fieldSelector: [{ key: 'spec.nodeName', operator: 'NotIn', values: ['node0'] }] }, OWN_PODS],
  ['list', 'pods', { fieldSelector: [{ key: 'spec.nodeName', operator: 'In', values: ['node0', 'node1'] }] }, OWN_PODS],
  ['list', 'pods', { name: 'pod0-node1', namespace: ns }, UNRELATED],
  ['get', 'nodes', { name: 'node1' }, "node 'node0' cannot read 'node1', only its own Node object"],
  ['list', 'nodes', { name: 'node1' }, "node 'node0' cannot read 'node1', only its own Node object"],
  ['watch', 'nodes', {}, "node 'node0' cannot read all nodes, only its own Node object"],
  ['list', 'resource./resourceslices', {}, OWN_SLICES],
  ['watch', 'resource./resourceslices', selecting('nodeName', 'node1'), OWN_SLICES],
  ['deletecollection', 'resource./resourceslices', {}, OWN_SLICES],
];

/**
 * `resource./resourceclaims` is in the built-in group `resource`, `pods` in the core group, `example.com/x` in that
 * group.
 */
function attributesOf(dialect: Dialect, verb: string, resource: string, facts: Partial<Attributes>): Attributes {
  const [group, plural] = resource.includes('/') ? (resource.split('/') as [string, string]) : ['', resource];
  const apiGroup = group.endsWith('.') ? groupName(systemGroup(group.slice(0, -1)), dialect) : group;
  const namespace = facts.namespace === lease ? dialect.namespaces.nodeLease : facts.namespace;
  return request('node0', verb, plural, { apiGroup, ...facts, ...(namespace === undefined ? {} : { namespace }) });
}

describe.each([orch, kubernetes])('in the dialect $name', (dialect) => {
  const loose = authorizerFor(dialect);
  const strict = authorizerFor(dialect, { requireSelectors: true });
  const cases = [
    ...withAnyOptions.flatMap((row) => [
      ['', loose, row] as const,
      ['with selectors required, ', strict, row] as const,
    ]),
    ...withoutSelectors.map((row) => ['', loose, row] as const),
    ...withSelectors.map((row) => ['with selectors required, ', strict, row] as const),
  ].map(
    ([title, authorizer, [verb, resource, facts, outcome]]) =>
      [`${title}${verb} ${resource} ${JSON.stringify(facts)}`, authorizer, verb, resource, facts, outcome] as const,
  );

  it.each(cases)('%s', (_, authorizer, verb, resource, facts, outcome) => {
    const expected =
      outcome === true
        ? { decision: 'Allow', reason: '' }
        : { decision: 'NoOpinion', reason: outcome.replaceAll(lease, dialect.namespaces.nodeLease) };
    expect(authorizer(attributesOf(dialect, verb, resource, facts))).toEqual(expected);
  });

  it('trust bundles can be read if they are served', () => {
    const attributes = attributesOf(dialect, 'list', 'certificates./clustertrustbundles', {});
    expect(loose(attributes)).toMatchObject({ decision: 'NoOpinion' });
    expect(authorizerFor(dialect, { clusterTrustBundles: true })(attributes)).toMatchObject({ decision: 'Allow' });
  });
});

describe('node agents', () => {
  const authorizer = authorizerFor(orch);
  const get = request('node0', 'get', 'secrets', { name: 'secret-pod0-node0', namespace: ns });
  const as = (username: string, ...groups: string[]): Decision => authorizer({ ...get, user: { username, groups } });

  it.each([
    ['system:node:node0', ['system:authenticated'], ''],
    ['system:node:node0', ['system:nodes:x'], ''],
    ['system:nodes:node0', ['system:nodes'], ''],
    ['node0', ['system:nodes'], ''],
    ['system:node:', ['system:nodes'], 'unknown node for user "system:node:"'],
    ['system:node:node9', ['system:nodes'], "no relationship found between node 'node9' and this object"],
    ['system:node:NODE0', ['system:nodes'], "no relationship found between node 'NODE0' and this object"],
  ])('do not include %s in %j', (username, groups, reason) => {
    expect(as(username, ...groups)).toEqual({ decision: 'NoOpinion', reason });
  });

  it('have both the name and the group', () => {
    expect(as('system:node:node0', 'x', 'system:nodes')).toEqual({ decision: 'Allow', reason: '' });
  });

  it('rules are not listed, and are incomplete for node agents only', () => {
    expect(authorizer.rulesFor?.(get.user, ns)).toMatchObject({ resourceRules: [], incomplete: true });
    expect(JSON.stringify(authorizer.rulesFor?.(get.user, ns))).toContain(
      'node authorizer does not support user rule resolution',
    );
    expect(authorizer.rulesFor?.({ username: 'alice', groups: ['system:nodes'] }, ns)).toMatchObject({
      resourceRules: [],
      incomplete: false,
    });
  });

  it('non-resource paths get no opinion', () => {
    expect(authorizer(request('node0', 'get', '', { isResource: false, path: '/metrics' }))).toEqual({
      decision: 'NoOpinion',
      reason: '',
    });
  });
});

it('a node that has not registered may read itself', () => {
  const authorizer = authorizerFor(orch, { requireSelectors: true });
  expect(authorizer(request('unregistered', 'get', 'nodes', { name: 'unregistered' }))).toEqual({
    decision: 'Allow',
    reason: '',
  });
});

it('the deletion of a pod removes the rights of its node', () => {
  const graph = populated(orch);
  const authorizer = createNodeAuthorizer({ graph, dialect: orch });
  const get = request('node0', 'get', 'secrets', { name: 'shared', namespace: ns });
  graph.podChanged(undefined, { namespace: ns, name: 'pod0-node0' });
  expect(authorizer(get)).toMatchObject({ decision: 'Allow' });
  graph.podChanged(undefined, { namespace: ns, name: 'pod1-node0' });
  expect(authorizer(get)).toMatchObject({ decision: 'NoOpinion', reason: UNRELATED });
});

it.each([false, true])(
  'all rules that it grants are in the role system:node too (trust bundles: %s)',
  (clusterTrustBundles) => {
    const role = defaultRbacPolicy(orch, { clusterTrustBundles }).clusterRoles.find(
      ({ metadata }) => metadata.name === 'system:node',
    );
    expect(coveringRules(role?.rules ?? [], nodeRules(orch, { clusterTrustBundles }))).toMatchObject({ uncovered: [] });
  },
);
