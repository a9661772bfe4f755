import { describe, expect, test } from 'vitest';
import {
  checkAuditPolicy,
  compileAuditPolicy,
  parseAuditPolicy,
  type AuditAttributes,
  type AuditPolicyRule,
} from '../../../src/security/audit/index.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { kubernetes, orch } from '../../../src/foundation/index.js';

const POD: AuditAttributes = {
  user: { username: 'alice', groups: ['devs', 'system:authenticated'] },
  verb: 'get',
  isResource: true,
  namespace: 'shop',
  apiGroup: '',
  resource: 'pods',
  subresource: '',
  name: 'web',
  path: '/api/v1/namespaces/shop/pods/web',
};
const LOG: AuditAttributes = { ...POD, subresource: 'log' };
const SCALE: AuditAttributes = { ...POD, apiGroup: 'apps', resource: 'deployments', subresource: 'scale' };
const NODE: AuditAttributes = { ...POD, resource: 'nodes', namespace: '', name: 'n1' };
const HEALTH: AuditAttributes = {
  ...{ ...POD, isResource: false, namespace: '', resource: '', name: '' },
  path: '/healthz/etcd',
};
const NOBODY: AuditAttributes = { ...POD, user: undefined };

/** Whether a rule matches: rule, request, expected. */
const MATCHES: [string, Omit<AuditPolicyRule, 'level'>, AuditAttributes, boolean][] = [
  ['an empty rule', {}, POD, true],
  ['an empty rule, a path', {}, HEALTH, true],
  ['user', { users: ['bob', 'alice'] }, POD, true],
  ['another user', { users: ['bob'] }, POD, false],
  ['user of a request without one', { users: ['alice'] }, NOBODY, false],
  ['group', { userGroups: ['ops', 'devs'] }, POD, true],
  ['another group', { userGroups: ['ops'] }, POD, false],
  ['group of a request without a user', { userGroups: ['devs'] }, NOBODY, false],
  ['user and another group', { users: ['alice'], userGroups: ['ops'] }, POD, false],
  ['verb', { verbs: ['list', 'get'] }, POD, true],
  ['another verb', { verbs: ['list'] }, POD, false],
  ['verbs have no wildcard', { verbs: ['*'] }, POD, false],
  ['namespace', { namespaces: ['shop'] }, POD, true],
  ['another namespace', { namespaces: ['other'] }, POD, false],
  ['the empty namespace', { namespaces: [''] }, NODE, true],
  ['the empty namespace is not all', { namespaces: [''] }, POD, false],
  ['namespace of a path', { namespaces: [''] }, HEALTH, false],
  ['group of resources', { resources: [{ group: '' }] }, POD, true],
  ['group of resources by default', { resources: [{}] }, POD, true],
  ['another group of resources', { resources: [{ group: 'apps' }] }, POD, false],
  ['resource', { resources: [{ resources: ['pods'] }] }, POD, true],
  ['resource is not its subresource', { resources: [{ resources: ['pods'] }] }, LOG, false],
  ['subresource', { resources: [{ resources: ['pods/log'] }] }, LOG, true],
  ['subresource is not its resource', { resources: [{ resources: ['pods/log'] }] }, POD, false],
  ['*', { resources: [{ resources: ['*'] }] }, LOG, true],
  ['pods/* has the subresources', { resources: [{ resources: ['pods/*'] }] }, LOG, true],
  ['pods/* has the resource', { resources: [{ resources: ['pods/*'] }] }, POD, true],
  ['pods/* has no other', { resources: [{ resources: ['pods/*'] }] }, NODE, false],
  ['*/scale', { resources: [{ group: 'apps', resources: ['*/scale'] }] }, SCALE, true],
  ['*/scale of another group', { resources: [{ resources: ['*/scale'] }] }, SCALE, false],
  ['*/scale has no other', { resources: [{ resources: ['*/scale'] }] }, LOG, false],
  ['name', { resources: [{ resources: ['pods'], resourceNames: ['web'] }] }, POD, true],
  ['another name', { resources: [{ resources: ['pods'], resourceNames: ['db'] }] }, POD, false],
  ['the second of two', { resources: [{ group: 'apps' }, { resources: ['pods'] }] }, POD, true],
  ['resource and another namespace', { namespaces: ['x'], resources: [{ resources: ['pods'] }] }, POD, false],
  ['resources of a path', { resources: [{ resources: ['*'] }] }, HEALTH, false],
  ['path', { nonResourceURLs: ['/healthz/etcd'] }, HEALTH, true],
  ['path with a wildcard', { nonResourceURLs: ['/healthz*'] }, HEALTH, true],
  ['path without one', { nonResourceURLs: ['/healthz'] }, HEALTH, false],
  ['any path', { nonResourceURLs: ['*'] }, HEALTH, true],
  ['any path is no resource', { nonResourceURLs: ['*'] }, POD, false],
];

describe('a rule', () => {
  test.each(MATCHES)('%s', (_, rule, attributes, expected) => {
    const evaluate = compileAuditPolicy({ rules: [{ level: 'Request', ...rule }] });
    expect(evaluate(attributes).level).toBe(expected ? 'Request' : 'None');
  });

  test('the first that matches decides, with the stages of the policy and its own', () => {
    const evaluate = compileAuditPolicy({
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { level: 'None', verbs: ['watch'] },
        { level: 'Metadata', users: ['alice'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'RequestResponse' },
      ],
    });
    expect(evaluate(POD)).toEqual({
      level: 'Metadata',
      omitStages: new Set(['RequestReceived', 'Panic']),
      omitManagedFields: false,
    });
    expect(evaluate(NOBODY)).toEqual({
      level: 'RequestResponse',
      omitStages: new Set(['RequestReceived']),
      omitManagedFields: true,
    });
  });
});

/** Invalid policies with the messages of Kubernetes. */
const INVALID: [string, JsonObject, string][] = [
  ['no rules', { rules: [] }, 'loaded illegal policy with 0 rules'],
  ['no level', { rules: [{}] }, 'rules[0].level: Required value'],
  [
    'an unknown level',
    { rules: [{ level: 'None' }, { level: 'All' }] },
    'rules[1].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
  ],
  [
    'a path without a slash',
    { rules: [{ level: 'None', nonResourceURLs: ['healthz'] }] },
    `rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character`,
  ],
  [
    'a wildcard within a path',
    { rules: [{ level: 'None', nonResourceURLs: ['*', '/a*b'] }] },
    `rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
  ],
  [
    'a group with a version',
    { rules: [{ level: 'None', resources: [{ group: 'apps/v1' }] }] },
    'rules[0].resources.group: Invalid value: "apps/v1": a lowercase RFC 1123 subdomain must consist of',
  ],
  [
    'names without resources',
    { rules: [{ level: 'None', resources: [{ resourceNames: ['a'] }] }] },
    'rules[0].resources.resourceNames: Invalid value: []string{"a"}: using resourceNames requires at least one resource',
  ],
  [
    'an unknown stage of the policy',
    { omitStages: ['Never'], rules: [{ level: 'None' }] },
    'omitStages[0]: Invalid value: "Never": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
  ],
  [
    'an unknown stage of a rule',
    { rules: [{ level: 'None', omitStages: ['Panic', 'x'] }] },
    'rules[0].omitStages[1]: Invalid value: "x": allowed stages are',
  ],
  [
    'resources and paths',
    { rules: [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['x'] }] },
    'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: rules cannot apply to both regular resources and non-resource URLs',
  ],
];

const HEAD = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' };

describe('a policy is refused:', () => {
  test.each(INVALID)('%s', (_, policy, message) => {
    const { policy: read } = parseAuditPolicy({ ...HEAD, ...policy }, kubernetes);
    expect(() => checkAuditPolicy(read)).toThrow(message);
  });

  test.each<[string, JsonObject]>([
    ['no kind', { apiVersion: 'audit.k8s.io/v1' }],
    ['another kind', { ...HEAD, kind: 'Event' }],
    ['an old version', { ...HEAD, apiVersion: 'audit.k8s.io/v1beta1' }],
    ['a list in place of an object', { ...HEAD, rules: 'x' }],
  ])('%s', (_, value) => {
    expect(() => parseAuditPolicy(value, kubernetes)).toThrow();
  });

  test('the group has the name of the dialect', () => {
    const value = { ...HEAD, rules: [{ level: 'None' }] };
    expect(() => parseAuditPolicy(value, orch)).toThrow('expected Policy of audit.orch.io/v1');
  });

  test('unknown fields are named', () => {
    const { unknownFields } = parseAuditPolicy({ ...HEAD, rules: [{ level: 'None', user: ['x'] }] }, kubernetes);
    expect(unknownFields).toEqual(['unknown field "rules[0].user"']);
  });
});
