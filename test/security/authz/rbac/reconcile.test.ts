import { describe, expect, it } from 'vitest';
import {
  aggregateRules,
  reconcileBinding,
  reconcileRole,
  sameRules,
  type BindingObject,
  type ClusterRoleObject,
} from '../../../../src/security/authz/rbac/index.js';
import { orch } from '../../../../src/foundation/index.js';
import { freeze } from '../../../kinds/builtin/support.js';
import { binding, role, rule, subject } from './support.js';

const AUTOUPDATE = 'rbac.authorization.orch.io/autoupdate';
const selector = (value: string) => ({ matchLabels: { to: value } });
const sum = (...values: string[]) => ({ aggregationRule: { clusterRoleSelectors: values.map(selector) } });
const marked = <Kind extends ClusterRoleObject | BindingObject>(
  object: Kind,
  annotations: Record<string, string>,
  labels: Record<string, string> = {},
): Kind => freeze({ ...object, metadata: { ...object.metadata, annotations, labels } });

describe('reconcileRole', () => {
  it.each<[string, ClusterRoleObject | undefined, ClusterRoleObject, string, Partial<ClusterRoleObject>]>([
    ['creates a missing role', undefined, role('r', [rule('get', 'pods')]), 'create', role('r', [rule('get', 'pods')])],
    [
      'leaves a matching role unchanged',
      role('r', [rule('get', 'pods')]),
      role('r', [rule('get', 'pods')]),
      'none',
      role('r', [rule('get', 'pods')]),
    ],
    [
      'leaves an equivalent role unchanged',
      role('r', [rule('list get', 'secrets pods')]),
      role('r', [rule('get', 'pods'), rule('list', 'secrets')]),
      'none',
      { rules: [rule('list get', 'secrets pods')] },
    ],
    [
      'adds missing rules, permission by permission, and keeps extra ones',
      role('r', [rule('get', 'pods'), rule('delete', 'nodes')]),
      role('r', [rule('get list', 'pods secrets')]),
      'update',
      {
        rules: [
          rule('get', 'pods'),
          rule('delete', 'nodes'),
          rule('list', 'pods'),
          rule('get', 'secrets'),
          rule('list', 'secrets'),
        ],
      },
    ],
    [
      'adds rules to a role without any',
      { metadata: { name: 'r' }, rules: null },
      role('r', [rule('get', 'pods')]),
      'update',
      { rules: [rule('get', 'pods')] },
    ],
    [
      'keeps the rules of an aggregated role',
      { ...role('r', [rule('get', 'pods')]), ...sum('view') },
      { metadata: { name: 'r' }, ...sum('view') },
      'none',
      { rules: [rule('get', 'pods')], ...sum('view') },
    ],
    [
      'adds missing selectors',
      { ...role('r', []), ...sum('other') },
      { metadata: { name: 'r' }, ...sum('view') },
      'update',
      sum('other', 'view'),
    ],
    [
      'makes a role an aggregated one',
      role('r', [rule('get', 'pods')]),
      { metadata: { name: 'r' }, ...sum('view') },
      'update',
      { rules: [rule('get', 'pods')], ...sum('view') },
    ],
    [
      'makes an aggregated role an ordinary one',
      { ...role('r', [rule('get', 'pods')]), ...sum('view') },
      role('r', []),
      'update',
      { rules: [rule('get', 'pods')] },
    ],
  ])('%s', (_, existing, expected, operation, written) => {
    const outcome = reconcileRole(freeze(existing), freeze(expected), orch);
    expect(outcome.operation).toBe(operation);
    expect(outcome.object).toMatchObject(written);
    expect('aggregationRule' in outcome.object).toBe('aggregationRule' in written);
    expect(reconcileRole(outcome.object, expected, orch)).toMatchObject({
      operation: 'none',
      object: outcome.object,
      missingRules: [],
      missingSelectors: [],
    });
  });

  it('merges labels and annotations: existing ones stay', () => {
    const existing = marked(role('r', []), { [AUTOUPDATE]: 'true', own: 'x' }, { a: 'mine' });
    const expected = marked(role('r', []), { [AUTOUPDATE]: 'true' }, { a: 'theirs', b: 'new' });
    expect(reconcileRole(existing, expected, orch)).toMatchObject({
      operation: 'update',
      object: { metadata: { annotations: { [AUTOUPDATE]: 'true', own: 'x' }, labels: { a: 'mine', b: 'new' } } },
    });
    expect(reconcileRole(existing, marked(role('r', []), {}, {}), orch).operation).toBe('none');
  });

  it('leaves a role unchanged if it is annotated so, and reports what was missing', () => {
    const existing = marked(role('r', []), { [AUTOUPDATE]: 'false' });
    expect(reconcileRole(existing, role('r', [rule('get', 'pods')]), orch)).toEqual({
      operation: 'none',
      object: existing,
      protected: true,
      missingRules: [rule('get', 'pods')],
      missingSelectors: [],
    });
    expect(reconcileRole(existing, role('r', []), orch)).toMatchObject({ operation: 'none', protected: false });
  });
});

describe('reconcileBinding', () => {
  it.each<[string, BindingObject | undefined, BindingObject, string, Partial<BindingObject>]>([
    [
      'creates a missing binding',
      undefined,
      binding('b', 'ClusterRole/r', ['g:dev']),
      'create',
      binding('b', 'ClusterRole/r', ['g:dev']),
    ],
    [
      'leaves a matching binding unchanged',
      binding('b', 'ClusterRole/r', ['g:dev']),
      binding('b', 'ClusterRole/r', ['g:dev']),
      'none',
      binding('b', 'ClusterRole/r', ['g:dev']),
    ],
    [
      'adds subjects, each once, and keeps others',
      binding('b', 'ClusterRole/r', ['u:x', 'g:dev']),
      binding('b', 'ClusterRole/r', ['g:dev', 'g:ops', 'g:ops', 's:n/s']),
      'update',
      { subjects: ['u:x', 'g:dev', 'g:ops', 's:n/s'].map(subject) },
    ],
    [
      'keeps subjects if none are expected',
      binding('b', 'ClusterRole/r', ['u:x']),
      binding('b', 'ClusterRole/r', []),
      'none',
      { subjects: [subject('u:x')] },
    ],
    [
      'recreates a binding to another role',
      binding('b', 'ClusterRole/other', ['u:x']),
      binding('b', 'ClusterRole/r', ['g:dev']),
      'recreate',
      binding('b', 'ClusterRole/r', ['g:dev']),
    ],
  ])('%s', (_, existing, expected, operation, written) => {
    const outcome = reconcileBinding(freeze(existing), freeze(expected), orch);
    expect(outcome.operation).toBe(operation);
    expect(outcome.object).toMatchObject(written);
    expect(reconcileBinding(outcome.object, expected, orch).operation).toBe('none');
  });

  it('merges labels and annotations, and leaves a binding unchanged if it is annotated so', () => {
    const existing = marked(binding('b', 'ClusterRole/r', []), { [AUTOUPDATE]: 'false' });
    expect(reconcileBinding(existing, binding('b', 'ClusterRole/r', ['g:dev']), orch)).toEqual({
      operation: 'none',
      object: existing,
      protected: true,
      missingSubjects: [subject('g:dev')],
    });
    expect(reconcileBinding(existing, binding('b', 'ClusterRole/other', []), orch)).toMatchObject({
      operation: 'none',
      object: existing,
      protected: true,
    });
    const labelled = marked(binding('b', 'ClusterRole/r', []), {}, { a: 'b' });
    expect(reconcileBinding(binding('b', 'ClusterRole/r', []), labelled, orch)).toMatchObject({
      operation: 'update',
      object: { metadata: { labels: { a: 'b' } } },
    });
  });
});

describe('aggregateRules', () => {
  const part = (name: string, to: string, ...rules: ReturnType<typeof rule>[]): ClusterRoleObject => ({
    metadata: { name, labels: { to } },
    rules,
  });
  const roles = [
    part('c', 'x', rule('get', 'secrets')),
    part('a', 'x', rule('list', 'configmaps'), rule('get', 'secrets')),
    part('b', 'y', rule('get', 'nodes')),
    part('sum', 'x', rule('delete', 'nodes')),
  ];

  it.each<[string, ClusterRoleObject, ReturnType<typeof rule>[] | undefined]>([
    [
      'the members in the order of their names, each rule once, without its own',
      { metadata: { name: 'sum', labels: { to: 'x' } }, ...sum('x') },
      [rule('list', 'configmaps'), rule('get', 'secrets')],
    ],
    [
      'selector by selector',
      { metadata: { name: 'sum' }, ...sum('y', 'x') },
      [rule('get', 'nodes'), rule('list', 'configmaps'), rule('get', 'secrets')],
    ],
    [
      'expressions too',
      {
        metadata: { name: 'sum' },
        aggregationRule: {
          clusterRoleSelectors: [{ matchExpressions: [{ key: 'to', operator: 'NotIn', values: ['x'] }] }],
        },
      },
      [rule('get', 'nodes')],
    ],
    [
      'an empty selector matches all others',
      { metadata: { name: 'sum' }, aggregationRule: { clusterRoleSelectors: [{}] } },
      [rule('list', 'configmaps'), rule('get', 'secrets'), rule('get', 'nodes')],
    ],
    ['none', { metadata: { name: 'sum' }, ...sum('z') }, []],
    ['no aggregation', { metadata: { name: 'sum' } }, undefined],
  ])('%s', (_, aggregated, expected) => {
    expect(aggregateRules(aggregated, roles)).toEqual(expected);
  });

  it('reports whether anything changed', () => {
    expect(sameRules([rule('get', 'pods')], [{ ...rule('get', 'pods'), resourceNames: [] }])).toBe(true);
    expect(sameRules([], null)).toBe(true);
    expect(sameRules([rule('get', 'pods'), rule('get', 'nodes')], [rule('get', 'nodes'), rule('get', 'pods')])).toBe(
      false,
    );
    expect(sameRules([rule('get', 'pods')], [])).toBe(false);
  });
});
