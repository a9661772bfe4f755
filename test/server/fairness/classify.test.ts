import { describe, expect, test } from 'vitest';
import {
  flowClassifier,
  type Classification,
  type RequestDigest,
} from '../../../src/server/fairness/classification/classify.js';
import type { flowcontrolV1 } from '../../../src/kinds/types/index.js';

type FlowSchema = flowcontrolV1.FlowSchema;
type Subject = flowcontrolV1.Subject;
type Rule = flowcontrolV1.PolicyRulesWithSubjects;

const user = (name: string): Subject => ({ kind: 'User', user: { name } });
const group = (name: string): Subject => ({ kind: 'Group', group: { name } });
const account = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
});

const ALL = ['*'];
const ANY_RESOURCE = { verbs: ALL, apiGroups: ALL, resources: ALL, clusterScope: true, namespaces: ALL };
const ANY_PATH = { verbs: ALL, nonResourceURLs: ALL };

/** A rule for all requests of subjects, or for the given ones. */
const rule = (subjects: Subject[], rules: Partial<Rule> = {}): Rule => ({
  subjects,
  ...(Object.keys(rules).length === 0 ? { resourceRules: [ANY_RESOURCE], nonResourceRules: [ANY_PATH] } : rules),
});

const schema = (name: string, spec: Partial<flowcontrolV1.FlowSchemaSpec> = {}): FlowSchema => ({
  metadata: { name, uid: `uid of ${name}` },
  spec: {
    priorityLevelConfiguration: { name: 'some' },
    matchingPrecedence: 1000,
    rules: [rule([group('*')])],
    ...spec,
  },
});

const level = (name: string, queues = 8): flowcontrolV1.PriorityLevelConfiguration => ({
  metadata: { name, uid: `uid of ${name}` },
  spec: {
    type: 'Limited',
    limited: { limitResponse: { type: 'Queue', queuing: { queues, handSize: 1, queueLengthLimit: 5 } } },
  },
});

const LEVELS = [level('some')];

/** A request for `pods` in the namespace `shop` by jane. */
const digest = (request: Partial<RequestDigest['request']> = {}, name = 'jane', groups = ['dev']): RequestDigest => ({
  user: { username: name, groups },
  request: {
    ...{ isResource: true, verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'shop', path: '' },
    ...request,
  },
});

const classified = (
  schemas: readonly FlowSchema[],
  request: RequestDigest = digest(),
  levels: readonly flowcontrolV1.PriorityLevelConfiguration[] = LEVELS,
): Classification => flowClassifier(schemas, levels).classify(request);

const chosen = (schemas: readonly FlowSchema[], request?: RequestDigest): string =>
  classified(schemas, request).flowSchema.name;

describe('the order of flow schemas', () => {
  test('is that of their precedence, then of their names', () => {
    const schemas = [
      schema('a', { matchingPrecedence: 200 }),
      schema('c', { matchingPrecedence: 100 }),
      schema('b', { matchingPrecedence: 100 }),
    ];
    expect(chosen(schemas)).toBe('b');
    expect(chosen(schemas.slice(0, 2))).toBe('c');
  });

  test('begins with the exempt schema and ends with the catch-all schema', () => {
    const schemas = [schema('a', { matchingPrecedence: 2 }), schema('b', { matchingPrecedence: 10_000 })];
    expect(chosen(schemas, digest({}, 'root', ['system:masters']))).toBe('exempt');
    expect(chosen([schema('b', { matchingPrecedence: 10_000, rules: [] })])).toBe('catch-all');
    expect(chosen(schemas.slice(1))).toBe('b');
  });

  test('ignores a schema whose level does not exist', () => {
    const dangling = schema('a', { priorityLevelConfiguration: { name: 'none' }, matchingPrecedence: 5 });
    expect(chosen([dangling, schema('b')])).toBe('b');
  });

  test('ignores a schema whose level is broken', () => {
    const broken = { metadata: { name: 'broken' }, spec: { type: 'Limited' } };
    const found = classified([schema('a', { priorityLevelConfiguration: { name: 'broken' } })], digest(), [broken]);
    expect(found.flowSchema.name).toBe('catch-all');
  });
});

describe('the mandatory objects', () => {
  test('exist without a uid when they are not stored', () => {
    expect(classified([], digest({}, 'root', ['system:masters']), [])).toEqual({
      flowSchema: { name: 'exempt', uid: '' },
      priorityLevel: { name: 'exempt', uid: '' },
      flowDistinguisher: '',
      distinguisherMethod: undefined,
    });
    expect(classified([], digest({}, 'jane', ['system:authenticated']), [])).toEqual({
      flowSchema: { name: 'catch-all', uid: '' },
      priorityLevel: { name: 'catch-all', uid: '' },
      flowDistinguisher: '',
      distinguisherMethod: 'ByUser',
    });
  });

  test('take the uids of the stored ones', () => {
    const catchAll = schema('catch-all', { priorityLevelConfiguration: { name: 'catch-all' } });
    const found = classified([catchAll], digest(), [level('catch-all')]);
    expect(found.flowSchema.uid).toBe('uid of catch-all');
    expect(found.priorityLevel.uid).toBe('uid of catch-all');
  });

  test('replace a stored schema whose level is not stored', () => {
    const catchAll = schema('catch-all', { priorityLevelConfiguration: { name: 'catch-all' } });
    expect(classified([catchAll], digest(), []).flowSchema).toEqual({ name: 'catch-all', uid: '' });
  });

  test('take the request of a user without any group', () => {
    expect(classified([], digest({}, 'nobody', []), []).flowSchema.name).toBe('catch-all');
  });
});

describe('a subject', () => {
  test.each<[string, Subject, string, string[], boolean]>([
    ['a user', user('jane'), 'jane', [], true],
    ['another user', user('jane'), 'janet', ['jane'], false],
    ['every user', user('*'), 'anyone', [], true],
    ['a group', group('dev'), 'jane', ['ops', 'dev'], true],
    ['another group', group('dev'), 'dev', ['ops'], false],
    ['every group', group('*'), 'jane', [], true],
    ['a service account', account('shop', 'cart'), 'system:serviceaccount:shop:cart', [], true],
    ['an account of the same name elsewhere', account('shop', 'cart'), 'system:serviceaccount:other:cart', [], false],
    ['every account of a namespace', account('shop', '*'), 'system:serviceaccount:shop:cart', [], true],
    [
      'the accounts of a namespace with the same prefix',
      account('shop', '*'),
      'system:serviceaccount:shop-2:a',
      [],
      false,
    ],
    ['a user with the name of an account pattern', account('shop', '*'), 'shop', [], false],
  ])('that is %s', (_, subject, name, groups, matches) => {
    const schemas = [schema('a', { rules: [rule([user('other'), subject])] })];
    expect(chosen(schemas, digest({}, name, groups))).toBe(matches ? 'a' : 'catch-all');
  });
});

describe('a rule for resources', () => {
  const matches = (
    change: Partial<flowcontrolV1.ResourcePolicyRule>,
    request: Partial<RequestDigest['request']>,
  ): boolean => {
    const rules = [rule([user('jane')], { resourceRules: [{ ...ANY_RESOURCE, ...change }] })];
    return chosen([schema('a', { rules })], digest(request)) === 'a';
  };

  test.each<[string, Partial<flowcontrolV1.ResourcePolicyRule>, Partial<RequestDigest['request']>, boolean]>([
    ['a verb', { verbs: ['list', 'get'] }, {}, true],
    ['another verb', { verbs: ['list'] }, {}, false],
    ['the core group', { apiGroups: [''] }, {}, true],
    ['another group', { apiGroups: [''] }, { group: 'apps' }, false],
    ['a resource', { resources: ['pods'] }, {}, true],
    ['the subresource of a resource', { resources: ['pods'] }, { subresource: 'status' }, false],
    ['a subresource', { resources: ['pods', 'pods/status'] }, { subresource: 'status' }, true],
    ['the resource of a subresource', { resources: ['pods/status'] }, {}, false],
    ['a subresource with every resource', {}, { subresource: 'status' }, true],
    ['a namespace', { namespaces: ['shop'] }, {}, true],
    ['another namespace', { namespaces: ['shop'] }, { namespace: 'other' }, false],
    ['no namespace, without cluster scope', { clusterScope: false }, { namespace: '' }, false],
    ['no namespace, with cluster scope', { namespaces: ['shop'] }, { namespace: '' }, true],
    ['a namespace, with cluster scope only', { namespaces: null }, {}, false],
    ['a path', {}, { isResource: false, path: '/healthz' }, false],
  ])('%s', (_, change, request, expected) => expect(matches(change, request)).toBe(expected));
});

describe('a rule for paths', () => {
  const matches = (nonResourceURLs: string[], path: string, verbs = ALL): boolean => {
    const rules = [rule([user('jane')], { nonResourceRules: [{ verbs, nonResourceURLs }] })];
    return chosen([schema('a', { rules })], digest({ isResource: false, namespace: '', path })) === 'a';
  };

  test.each([
    [['*'], '/anything', true],
    [['/healthz'], '/healthz', true],
    [['/healthz'], '/healthz/ping', true],
    [['/healthz'], '/healthzz', false],
    [['/healthz/*'], '/healthz/ping', true],
    [['/healthz/*'], '/healthz', false],
    [['/livez', '/readyz'], '/readyz', true],
    [['/'], '/', true],
  ])('%s and the path %s', (urls, path, expected) => expect(matches(urls, path)).toBe(expected));

  test('has verbs', () => {
    expect(matches(['*'], '/healthz', ['get'])).toBe(true);
    expect(matches(['*'], '/healthz', ['put'])).toBe(false);
  });

  test('matches no request for a resource', () => {
    const rules = [rule([user('jane')], { nonResourceRules: [ANY_PATH] })];
    expect(chosen([schema('a', { rules })])).toBe('catch-all');
  });
});

describe('the flow of a request', () => {
  const flow = (type: string | undefined, queues?: number): Classification =>
    classified([schema('a', type === undefined ? {} : { distinguisherMethod: { type } })], digest(), [
      level('some', queues),
    ]);

  test('is that of its user, of its namespace, or of its schema', () => {
    expect(flow('ByUser')).toMatchObject({ flowDistinguisher: 'jane', distinguisherMethod: 'ByUser' });
    expect(flow('ByNamespace')).toMatchObject({ flowDistinguisher: 'shop', distinguisherMethod: 'ByNamespace' });
    expect(flow(undefined)).toMatchObject({ flowDistinguisher: '' });
    expect(flow(undefined).distinguisherMethod).toBeUndefined();
  });

  test('is not distinguished in a level with one queue', () => {
    expect(flow('ByUser', 1)).toMatchObject({ flowDistinguisher: '', distinguisherMethod: 'ByUser' });
  });
});

test('schemas with many rules keep their order', () => {
  const rules = Array.from({ length: 70 }, (_, index) => rule([user(`user-${index}`)]));
  const schemas = [
    schema('b', { matchingPrecedence: 20, rules: [...rules, rule([group('dev')])] }),
    schema('a', { matchingPrecedence: 10, rules: rules.slice(40) }),
    schema('c', { matchingPrecedence: 30 }),
  ];
  const of = (name: string, groups: string[]): string => chosen(schemas, digest({}, name, groups));
  expect(of('user-39', [])).toBe('b');
  expect(of('user-40', [])).toBe('a');
  expect(of('user-69', ['dev'])).toBe('a');
  expect(of('user-70', ['dev'])).toBe('b');
  expect(of('user-70', [])).toBe('c');
});

test('a rule that names a user twice matches once', () => {
  const rules = [rule([user('jane'), group('dev')], { nonResourceRules: [ANY_PATH] }), rule([user('jane')])];
  expect(chosen([schema('a', { rules })])).toBe('a');
});

test('a schema without a spec takes no request', () => {
  expect(chosen([{ metadata: { name: 'a' } }])).toBe('catch-all');
});
