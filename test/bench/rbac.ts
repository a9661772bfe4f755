import { createRbacAuthorizer, RbacPolicy, type Attributes, type PolicyRule } from 'orch-apiserver/rbac';
import { interleaved, type Measure } from './measure.js';

const BATCH = 20_000;
const CHANGES = 2_000;
const NAMESPACES = 100;
const GROUP = 'rbac.authorization.example';

const rulesOf = (index: number): PolicyRule[] => [
  { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'pods/log', 'configmaps', `own-${index}`] },
  {
    verbs: ['create', 'update', 'patch', 'delete'],
    apiGroups: ['apps'],
    resources: ['deployments', 'deployments/scale'],
  },
  { verbs: ['get'], apiGroups: ['*'], resources: ['*/status'], resourceNames: ['one', 'two'] },
];

const bindingOf = (index: number, role: number, subject: string) => ({
  metadata: { name: `binding-${index}`, namespace: `space-${index % NAMESPACES}` },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: `role-${role}` },
  subjects: [{ kind: 'User', apiGroup: GROUP, name: subject }],
});

/**
 * A policy with many roles and bindings, five of which are for alice: two cluster-wide, three in one namespace, one of
 * those through a group.
 */
function policyWith(roles: number, bindings: number): RbacPolicy {
  const policy = new RbacPolicy();
  for (let index = 0; index < roles; index += 1)
    policy.clusterRoles.set({ metadata: { name: `role-${index}` }, rules: rulesOf(index) });
  for (let index = 0; index < bindings - 5; index += 1)
    policy.roleBindings.set(bindingOf(index, index % roles, `user-${index}`));
  for (let index = 0; index < 2; index += 1) {
    const { roleRef, subjects } = bindingOf(index, index, 'alice');
    policy.clusterRoleBindings.set({ metadata: { name: `alice-${index}` }, roleRef, subjects });
  }
  for (let index = 2; index < 5; index += 1) {
    const { roleRef, subjects } = bindingOf(index, index % roles, 'alice');
    const group = [{ kind: 'Group', apiGroup: GROUP, name: 'dev' }];
    policy.roleBindings.set({
      metadata: { name: `alice-${index}`, namespace: 'space-7' },
      roleRef,
      subjects: index === 4 ? group : subjects,
    });
  }
  return policy;
}

const user = { username: 'alice', groups: ['dev', 'ops', 'system:authenticated'] };
const about = (changes: Partial<Attributes>): Attributes => ({
  user,
  verb: 'get',
  isResource: true,
  namespace: 'space-7',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  name: 'x',
  path: '',
  ...changes,
});

/**
 * Allowed by the first and by the last of the user's bindings, and by none, because of the resource or the subresource.
 */
const requests: readonly Attributes[] = [
  about({}),
  about({ resource: 'own-4' }),
  about({ subresource: 'log' }),
  about({ verb: 'delete', resource: 'secrets' }),
  about({ verb: 'patch', apiGroup: 'apps', resource: 'deployments', subresource: 'scale' }),
  about({ verb: 'list', resource: 'nodes', namespace: '', name: '' }),
];

/** Decisions of the RBAC authorizer, and changes of its policy. */
export async function rbac(): Promise<Measure[]> {
  const large = policyWith(1_000, 2_000);
  const small = policyWith(10, 20);
  const many = policyWith(1_000, 50_000);
  let allowed = 0;
  const ask = (policy: RbacPolicy) => {
    const authorize = createRbacAuthorizer(policy);
    return () => {
      for (let index = 0; index < BATCH; index += 1) {
        const attributes = requests[index % requests.length];
        if (attributes !== undefined && authorize(attributes).decision === 'Allow') allowed += 1;
      }
    };
  };
  // A binding of a common group is added and removed, and each time the next decision reflects it.
  const change = (policy: RbacPolicy) => {
    const authorize = createRbacAuthorizer(policy);
    const binding = {
      ...bindingOf(7, 1, 'eve'),
      subjects: [
        { kind: 'User', apiGroup: GROUP, name: 'eve' },
        { kind: 'Group', apiGroup: GROUP, name: 'dev' },
      ],
    };
    const question = about({ user: { username: 'eve', groups: [] }, namespace: 'space-7' });
    const object = { ...binding, metadata: { name: 'changing', namespace: 'space-7' } };
    return () => {
      for (let index = 0; index < CHANGES; index += 1) {
        policy.roleBindings.set(object);
        if (authorize(question).decision !== 'Allow') throw new Error('the binding is not in force');
        policy.roleBindings.delete('space-7', 'changing');
        if (authorize(question).decision === 'Allow') throw new Error('the binding is still in force');
      }
    };
  };
  const costs = await interleaved(15, {
    large: ask(large),
    small: ask(small),
    changeFew: change(small),
    changeMany: change(many),
  });
  if (allowed === 0) throw new Error('nothing was allowed');
  const nanoseconds = (cost: { cpuUs: number }, count: number): string =>
    `${((cost.cpuUs * 1000) / count).toFixed(0)} ns`;
  const each = (cost: { cpuUs: number }): string => nanoseconds(cost, CHANGES);
  return [
    {
      name: 'RBAC decisions, 1,000 roles and 2,000 bindings, 5 of the user',
      value: (BATCH * 1e6) / costs.large.cpuUs,
      unit: 'a second of CPU',
      target: { sense: '>=', value: 500_000 },
      detail: `${nanoseconds(costs.large, BATCH)} each`,
    },
    {
      name: 'RBAC decision, 1,000 roles and 2,000 bindings against 10 and 20',
      value: costs.large.cpuUs / costs.small.cpuUs,
      unit: '×',
      target: { sense: '<=', value: 1.5 },
      detail: `${nanoseconds(costs.large, BATCH)} against ${nanoseconds(costs.small, BATCH)}`,
    },
    {
      name: 'a binding changed and asked about, among 50,000 bindings against 20',
      value: costs.changeMany.cpuUs / costs.changeFew.cpuUs,
      unit: '×',
      target: { sense: '<=', value: 1.5 },
      detail: `${each(costs.changeMany)} against ${each(costs.changeFew)}, set, asked, deleted, asked`,
    },
  ];
}
