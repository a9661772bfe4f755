import { describe, expect, it } from 'vitest';
import {
  CompiledRules,
  ruleAllows,
  rulesAllow,
  urlMatches,
  type PolicyRule,
  type RuleAttributes,
} from '../../../../src/security/authz/rbac/index.js';
import { pickFrom } from './support.js';

const about = (changes: Partial<RuleAttributes>): RuleAttributes => ({
  verb: 'get',
  isResource: true,
  apiGroup: '',
  resource: 'pods',
  subresource: '',
  name: '',
  path: '',
  ...changes,
});
const rule = (changes: Partial<PolicyRule>): PolicyRule => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: ['pods'],
  ...changes,
});
const paths = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

const CASES: readonly (readonly [string, RuleAttributes, PolicyRule, boolean])[] = [
  ['verb, group and resource', about({}), rule({}), true],
  ['another verb', about({ verb: 'list' }), rule({}), false],
  ['every verb', about({ verb: 'escalate' }), rule({ verbs: ['*'] }), true],
  ['no verb', about({}), rule({ verbs: [] }), false],
  ['another group', about({ apiGroup: 'apps' }), rule({}), false],
  ['every group', about({ apiGroup: 'apps' }), rule({ apiGroups: ['*'] }), true],
  ['one of several groups', about({ apiGroup: 'apps' }), rule({ apiGroups: ['', 'apps'] }), true],
  ['no group', about({}), rule({ apiGroups: [] }), false],
  ['another resource', about({ resource: 'secrets' }), rule({}), false],
  ['names are case-sensitive', about({ resource: 'Pods' }), rule({}), false],
  ['every resource', about({ resource: 'secrets' }), rule({ resources: ['*'] }), true],
  ['every resource includes every subresource', about({ subresource: 'log' }), rule({ resources: ['*'] }), true],
  ['a resource is not its subresource', about({ subresource: 'log' }), rule({}), false],
  ['a subresource', about({ subresource: 'log' }), rule({ resources: ['pods/log'] }), true],
  ['a subresource is not its resource', about({}), rule({ resources: ['pods/log'] }), false],
  ['another subresource', about({ subresource: 'exec' }), rule({ resources: ['pods/log'] }), false],
  [
    'a subresource of every resource',
    about({ resource: 'deployments', subresource: 'scale' }),
    rule({ resources: ['*/scale'] }),
    true,
  ],
  ['the resource without the subresource', about({ resource: 'scale' }), rule({ resources: ['*/scale'] }), false],
  ['another subresource with that suffix', about({ subresource: 'upscale' }), rule({ resources: ['*/scale'] }), false],
  [
    'a resource with all its subresources is no pattern',
    about({ subresource: 'log' }),
    rule({ resources: ['pods/*'] }),
    false,
  ],
  [
    'a question about the pattern itself',
    about({ resource: '*', subresource: 'scale' }),
    rule({ resources: ['*/scale'] }),
    true,
  ],
  ['a name', about({ name: 'a' }), rule({ resourceNames: ['a', 'b'] }), true],
  ['another name', about({ name: 'c' }), rule({ resourceNames: ['a', 'b'] }), false],
  ['no name for a rule with names', about({}), rule({ resourceNames: ['a'] }), false],
  ['an empty list of names is no restriction', about({ name: 'c' }), rule({ resourceNames: [] }), true],
  ['a star is no name', about({ name: 'c' }), rule({ resourceNames: ['*'] }), false],
  ['a rule on paths for a resource', about({}), paths('*'), false],
  ['a path', about({ isResource: false, path: '/healthz' }), paths('/healthz'), true],
  ['another path', about({ isResource: false, path: '/healthz/ping' }), paths('/healthz'), false],
  ['paths below', about({ isResource: false, path: '/healthz/ping' }), paths('/healthz/*'), true],
  ['a wildcard path against its parent', about({ isResource: false, path: '/healthz' }), paths('/healthz/*'), false],
  ['every path', about({ isResource: false, path: '/anything' }), paths('*'), true],
  ['a path with another verb', about({ isResource: false, verb: 'post', path: '/healthz' }), paths('/healthz'), false],
  [
    'a rule on resources for a path',
    about({ isResource: false, path: '/api/v1/pods' }),
    rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }),
    false,
  ],
];

describe('a rule', () => {
  it.each(CASES)('%s', (_, attributes, only, expected) => {
    expect(ruleAllows(attributes, only)).toBe(expected);
    expect(new CompiledRules([only]).allow(attributes)).toBe(expected);
    expect(rulesAllow(attributes, [rule({ verbs: ['never'] }), only])).toBe(expected);
  });
});

it.each([
  ['/a*', '/abc', true],
  ['/a**', '/abc', true],
  ['/a*b', '/axb', false],
  ['/a*b', '/a*b', true],
  ['**', '/x', true],
  ['', '', true],
  ['/a', '/a/', false],
])('the path pattern %j and %j', (pattern, path, expected) => {
  expect(urlMatches(pattern, path)).toBe(expected);
});

it('compiled rules decide as plain ones do', () => {
  const pick = pickFrom('compiled');
  const words = {
    verbs: ['get', 'list', '*'],
    groups: ['', 'apps', '*'],
    resources: ['pods', 'pods/log', '*/log', '*', 'jobs', '*/'],
    names: ['a', 'b', '*'],
    urls: ['/a', '/a/*', '/a*', '*', '/b'],
  };
  let allowed = 0;
  for (let round = 0; round < 4_000; round += 1) {
    const rules = Array.from({ length: 1 + pick.number(4) }, (): PolicyRule =>
      pick.number(4) === 0
        ? { verbs: pick.some(words.verbs), nonResourceURLs: pick.some(words.urls) }
        : {
            verbs: pick.some(words.verbs),
            apiGroups: pick.some(words.groups),
            resources: pick.some(words.resources),
            resourceNames: pick.number(2) === 0 ? [] : pick.some(words.names),
          },
    );
    const attributes = about({
      isResource: pick.number(4) > 0,
      verb: pick.one(['get', 'list', 'watch']),
      apiGroup: pick.one(['', 'apps', 'batch']),
      resource: pick.one(['pods', 'jobs', 'nodes']),
      subresource: pick.one(['', 'log', 'exec']),
      name: pick.one(['', 'a', 'c']),
      path: pick.one(['/a', '/a/b', '/ab', '/b', '/c']),
    });
    const expected = rulesAllow(attributes, rules);
    if (expected) allowed += 1;
    expect(new CompiledRules(rules).allow(attributes), JSON.stringify([attributes, rules])).toBe(expected);
    const partly = new CompiledRules(rules, { left: 1 });
    expect(partly.allow(attributes), 'only the first rule is compiled').toBe(expected);
    partly.compile({ left: 4 });
    expect(partly.allow(attributes), 'some more are compiled').toBe(expected);
  }
  expect(allowed).toBeGreaterThan(400);
  expect(allowed).toBeLessThan(3_600);
});
