import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import { ClusterRoleBinding, RoleBinding } from '../../../../src/kinds/builtin/rbac/binding.js';
import { ClusterRole, Role } from '../../../../src/kinds/builtin/rbac/role.js';
import type { StructuralSchema } from '../../../../src/machinery/schema/define/structural.js';
import { cells, create, decode, kubernetes, orch, problems, schemaOf, updateProblems } from '../support.js';

const GROUP = 'rbac.authorization.orch.io';
const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
const VERBS = 'Required value: verbs must contain at least one value';
const GROUPS = 'Required value: resource rules must supply at least one api group';
const RESOURCES = 'Required value: resource rules must supply at least one resource';
const NAMESPACED = 'namespaced rules cannot apply to non-resource URLs';
const BOTH = 'rules cannot apply to both regular resources and non-resource URLs';

describe('the rules of a role', () => {
  it.each<[string, ResourceDefinition, JsonObject, string[]]>([
    ['a valid rule', Role, rule, []],
    [
      'names with several resources',
      Role,
      { ...rule, resources: ['configmaps', 'secrets'], resourceNames: ['a', 'b'] },
      [],
    ],
    ['duplicates', Role, { ...rule, verbs: ['get', 'get'] }, []],
    ['no verbs', Role, { ...rule, verbs: [] }, [`rules[0].verbs: ${VERBS}`]],
    [
      'an empty rule',
      Role,
      {},
      [`rules[0].verbs: ${VERBS}`, `rules[0].apiGroups: ${GROUPS}`, `rules[0].resources: ${RESOURCES}`],
    ],
    [
      'names alone',
      Role,
      { verbs: ['get'], resourceNames: ['a'] },
      [`rules[0].apiGroups: ${GROUPS}`, `rules[0].resources: ${RESOURCES}`],
    ],
    [
      'paths in a Role',
      Role,
      { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      [`rules[0].nonResourceURLs: Invalid value: []string{"/healthz"}: ${NAMESPACED}`],
    ],
    ['paths in a ClusterRole', ClusterRole, { verbs: ['get'], nonResourceURLs: ['/healthz', '/logs/*'] }, []],
    ['paths without verbs', ClusterRole, { nonResourceURLs: ['/healthz'] }, [`rules[0].verbs: ${VERBS}`]],
    [
      'paths with resources',
      ClusterRole,
      { ...rule, nonResourceURLs: ['/a'] },
      [`rules[0].nonResourceURLs: Invalid value: []string{"/a"}: ${BOTH}`],
    ],
    [
      'paths with names',
      ClusterRole,
      { verbs: ['get'], resourceNames: ['x'], nonResourceURLs: ['/a'] },
      [`rules[0].nonResourceURLs: Invalid value: []string{"/a"}: ${BOTH}`],
    ],
    [
      'both mistakes',
      Role,
      { ...rule, nonResourceURLs: ['/a'] },
      [NAMESPACED, BOTH].map((why) => `rules[0].nonResourceURLs: Invalid value: []string{"/a"}: ${why}`),
    ],
  ])('%s', (_, definition, only, expected) => {
    expect(problems(definition, { rules: [only] })).toEqual(expected);
  });

  it('are null if missing; an empty list is kept until it is stored', () => {
    for (const fields of [{}, { rules: null }]) expect(decode(Role, fields)).toHaveProperty('rules', null);
    expect(decode(Role, { rules: [] })).toHaveProperty('rules', []);
    expect(problems(Role, {})).toEqual([]);
  });

  it('keep duplicates and order, and lose empty lists', () => {
    const written = { apiGroups: ['', ''], resources: ['b', 'a'], verbs: ['list', 'get', 'get'], resourceNames: [] };
    expect(decode(Role, { rules: [written] })).toHaveProperty('rules', [
      { apiGroups: ['', ''], resources: ['b', 'a'], verbs: ['list', 'get', 'get'] },
    ]);
  });
});

describe('the aggregation of a cluster role', () => {
  const path = 'aggregationRule.clusterRoleSelectors';
  const noSelector = (index: number): string => `${path}[${index}]: Invalid value: "null": invalid label selector.`;
  it.each<[JsonObject, string[]]>([
    [{ clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, []],
    [{ clusterRoleSelectors: [{}] }, []],
    [{}, [`${path}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`]],
    [
      { clusterRoleSelectors: [] },
      [`${path}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`],
    ],
    [
      { clusterRoleSelectors: [{}, { matchExpressions: [{ key: 'a', operator: 'Like' }] }] },
      [`${path}[1].matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator`, noSelector(1)],
    ],
    [
      { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] },
      [
        `${path}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
        noSelector(0),
      ],
    ],
  ])('%j', (aggregationRule, expected) => {
    expect(problems(ClusterRole, { aggregationRule })).toEqual(expected);
  });
});

describe('names', () => {
  it.each([Role, ClusterRole, RoleBinding, ClusterRoleBinding])(
    'of a $kind only need to fit into a path',
    ({ strategy }) => {
      expect(strategy?.nameRule?.('System:Odd_Name no 1', false)).toEqual([]);
      expect(strategy?.nameRule?.('a/b%', false)).toEqual(["may not contain '/'", "may not contain '%'"]);
      expect(strategy?.nameRule?.('..', false)).toEqual(["may not be '..'"]);
      expect(strategy?.allowCreateOnUpdate).toBe(true);
      expect(strategy?.allowUnconditionalUpdate).toBeUndefined();
    },
  );
});

const roleRef = { kind: 'Role', name: 'reader' };
const clusterRef = { kind: 'ClusterRole', name: 'reader' };

describe('a binding', () => {
  it('gets the groups of its role and its subjects, in the names of the dialect', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      { kind: 'Robot', name: 'r' },
    ];
    for (const [dialect, group] of [
      [orch, GROUP],
      [kubernetes, 'rbac.authorization.k8s.io'],
    ] as const) {
      expect(decode(RoleBinding, { roleRef, subjects }, dialect)).toMatchObject({
        roleRef: { apiGroup: group, ...roleRef },
        subjects: [
          { kind: 'User', apiGroup: group, name: 'u' },
          { kind: 'Group', apiGroup: group, name: 'g' },
          subjects[2],
          subjects[3],
        ],
      });
    }
    expect(decode(RoleBinding, { roleRef })).not.toHaveProperty('subjects');
  });

  it.each<[string, ResourceDefinition, JsonObject, string[]]>([
    ['no subjects', RoleBinding, { roleRef: clusterRef }, []],
    [
      'no role',
      RoleBinding,
      {},
      ['roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"', 'roleRef.name: Required value'],
    ],
    [
      'a role of another kind',
      RoleBinding,
      { roleRef: { kind: 'Pod', name: 'x' } },
      ['roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"'],
    ],
    [
      'a role of another group',
      RoleBinding,
      { roleRef: { ...roleRef, apiGroup: 'x' } },
      [`roleRef.apiGroup: Unsupported value: "x": supported values: "${GROUP}"`],
    ],
    [
      'a role with an invalid name',
      RoleBinding,
      { roleRef: { kind: 'Role', name: 'a/b' } },
      [`roleRef.name: Invalid value: "a/b": may not contain '/'`],
    ],
    [
      'a Role in a cluster role binding',
      ClusterRoleBinding,
      { roleRef },
      ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    ['a ClusterRole in a cluster role binding', ClusterRoleBinding, { roleRef: clusterRef }, []],
  ])('%s', (_, definition, fields, expected) => {
    expect(problems(definition, fields)).toEqual(expected);
  });

  it.each<[JsonObject, string[], string[]]>([
    [{ kind: 'User', name: 'u' }, [], []],
    [{ kind: 'User', name: 'anything: at all %/' }, [], []],
    [{ kind: 'User' }, ['name: Required value'], ['name: Required value']],
    [
      { kind: 'Group', name: 'g', apiGroup: 'example.com' },
      [`apiGroup: Unsupported value: "example.com": supported values: "${GROUP}"`],
      [`apiGroup: Unsupported value: "example.com": supported values: "${GROUP}"`],
    ],
    [{ kind: 'ServiceAccount', name: 's', namespace: 'n' }, [], []],
    [{ kind: 'ServiceAccount', name: 's' }, [], ['namespace: Required value']],
    [{ kind: 'ServiceAccount', namespace: 'n' }, ['name: Required value'], ['name: Required value']],
    [
      { kind: 'ServiceAccount', name: 's', namespace: 'n', apiGroup: GROUP },
      [`apiGroup: Unsupported value: "${GROUP}": supported values: ""`],
      [`apiGroup: Unsupported value: "${GROUP}": supported values: ""`],
    ],
    [
      { kind: 'Robot', name: 'r' },
      ['kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
      ['kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
  ])('checks the subject %j, in a namespace and cluster-wide', (subject, inNamespace, everywhere) => {
    const at = (texts: string[]) => texts.map((text) => `subjects[1].${text}`);
    const subjects = [{ kind: 'Group', name: 'dev' }, subject];
    expect(problems(RoleBinding, { roleRef, subjects })).toEqual(at(inNamespace));
    expect(problems(ClusterRoleBinding, { roleRef: clusterRef, subjects })).toEqual(at(everywhere));
  });

  it('checks the name of a service account', () => {
    const subjects = [{ kind: 'ServiceAccount', name: 'Not a name', namespace: 'n' }];
    const [problem = '', ...others] = problems(RoleBinding, { roleRef, subjects });
    expect(problem).toMatch(/^subjects\[0\]\.name: Invalid value: "Not a name": a lowercase RFC 1123 subdomain/);
    expect(others).toEqual([]);
  });

  it('keeps its role, and may change its subjects', () => {
    const old = create(RoleBinding, { roleRef });
    const shown = (kind: string, name: string) =>
      `roleRef: Invalid value: rbac.RoleRef{APIGroup:"${GROUP}", Kind:"${kind}", Name:"${name}"}: cannot change roleRef`;
    expect(updateProblems(RoleBinding, old, { 'roleRef.name': 'other' })).toEqual([shown('Role', 'other')]);
    expect(updateProblems(RoleBinding, old, { 'roleRef.kind': 'ClusterRole' })).toEqual([
      shown('ClusterRole', 'reader'),
    ]);
    expect(updateProblems(RoleBinding, old, { subjects: [{ kind: 'User', apiGroup: GROUP, name: 'v' }] })).toEqual([]);
  });

  it('shows its role, and its subjects in wide output', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      { kind: 'User', name: 'v' },
      { kind: 'ServiceAccount', name: 't' },
    ];
    const stored = create(RoleBinding, {
      metadata: { name: 'b', creationTimestamp: '2024-05-01T11:55:00Z' },
      roleRef,
      subjects,
    });
    expect(cells(RoleBinding, stored)).toEqual({
      Name: 'b',
      Role: 'Role/reader',
      Age: '5m',
      Users: 'u, v',
      Groups: '',
      ServiceAccounts: 'n/s, /t',
    });
    expect(RoleBinding.columns?.map(({ name, priority = 0 }) => `${name} ${priority}`)).toEqual([
      'Name 0',
      'Role 0',
      'Age 0',
      'Users 1',
      'Groups 1',
      'ServiceAccounts 1',
    ]);
    expect([Role.columns, ClusterRole.columns]).toEqual([undefined, undefined]);
  });
});

/** Facts about fields as `name number list-or-map-type`, by type. */
function factsOf(schema: StructuralSchema, found: Record<string, string[]> = {}): Record<string, string[]> {
  if (schema.properties !== undefined && schema.name !== undefined && schema.name !== 'ObjectMeta') {
    found[schema.name] = [...schema.properties].map(([name, { protoNumber, listType, mapType, items }]) => {
      return [name, protoNumber, listType ?? mapType ?? '', items?.listType ?? ''].join(' ').trim();
    });
    for (const member of schema.properties.values()) factsOf(member, found);
  }
  if (schema.items !== undefined) factsOf(schema.items, found);
  return found;
}

describe('fields', () => {
  it('have the numbers and merge facts of Kubernetes', () => {
    const facts = { ...factsOf(schemaOf(ClusterRole)), ...factsOf(schemaOf(RoleBinding)) };
    expect(facts).toMatchObject({
      ClusterRole: expect.arrayContaining(['rules 2 atomic', 'aggregationRule 3']),
      AggregationRule: ['clusterRoleSelectors 1 atomic'],
      PolicyRule: [
        'verbs 1 atomic',
        'apiGroups 2 atomic',
        'resources 3 atomic',
        'resourceNames 4 atomic',
        'nonResourceURLs 5 atomic',
      ],
      RoleBinding: expect.arrayContaining(['subjects 2 atomic', 'roleRef 3 atomic']),
      RoleRef: ['apiGroup 1', 'kind 2', 'name 3'],
      Subject: ['kind 1', 'apiGroup 2', 'name 3', 'namespace 4'],
    });
    const subjects = schemaOf(ClusterRoleBinding).properties?.get('subjects');
    expect(subjects?.items?.mapType).toBe('atomic');
  });

  it('are those of one group in every dialect', () => {
    const names = [Role, ClusterRole, RoleBinding, ClusterRoleBinding].map(({ group, version, plural, scope }) => [
      group,
      version,
      plural,
      scope,
    ]);
    const group = { system: 'rbac.authorization' };
    expect(names).toEqual([
      [group, 'v1', 'roles', 'Namespaced'],
      [group, 'v1', 'clusterroles', 'Cluster'],
      [group, 'v1', 'rolebindings', 'Namespaced'],
      [group, 'v1', 'clusterrolebindings', 'Cluster'],
    ]);
  });
});
