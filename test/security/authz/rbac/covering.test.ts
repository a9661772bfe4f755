import { describe, expect, it } from 'vitest';
import {
  breakDown,
  compactRules,
  coveringRules,
  ruleText,
  type PolicyRule,
} from '../../../../src/security/authz/rbac/index.js';
import { atOnce, UNBOUNDED_WORK } from '../../../../src/foundation/work/work.js';
import { pickFrom, rule } from './support.js';

const paths = (verbs: string, urls: string): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs: urls.split(' '),
});
const everything: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

describe('coveringRules', () => {
  it.each<[string, PolicyRule[], PolicyRule[], string[]]>([
    ['no rules are covered by no rules', [], [], []],
    ['the same', [rule('get', 'pods')], [rule('get', 'pods')], []],
    [
      'parts from several rules',
      [rule('get', 'pods secrets'), rule('list', 'secrets pods')],
      [rule('get list', 'pods secrets')],
      [],
    ],
    [
      'one verb too many',
      [rule('get', 'pods')],
      [rule('get delete', 'pods')],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'],
    ],
    [
      'every verb exceeds a list of verbs',
      [rule('get list watch', 'pods')],
      [rule('*', 'pods')],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
    ],
    ['everything', [everything], [rule('*', '*'), rule('get', 'pods/log', 'a')], []],
    ['all resources, without paths', [everything], [paths('get', '/a')], ['{NonResourceURLs:["/a"], Verbs:["get"]}']],
    ['a subresource of every resource', [rule('get', '*/log')], [rule('get', 'pods/log')], []],
    ['the pattern itself', [rule('get', '*/log')], [rule('get', '*/log')], []],
    [
      'a subresource is not covered by its resource',
      [rule('get', 'pods')],
      [rule('get', 'pods/log')],
      ['{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}'],
    ],
    ['one name out of all', [rule('get', 'pods')], [rule('get', 'pods', 'a b')], []],
    [
      'all names are not covered by one',
      [rule('get', 'pods', 'a')],
      [rule('get', 'pods')],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ],
    [
      'names one by one',
      [rule('get', 'pods', 'a'), rule('get', 'pods', 'b')],
      [rule('get', 'pods', 'a b c')],
      ['{APIGroups:[""], Resources:["pods"], ResourceNames:["c"], Verbs:["get"]}'],
    ],
    [
      'paths below',
      [paths('get', '/a/*')],
      [paths('get', '/a/b /a/b/* /b')],
      ['{NonResourceURLs:["/b"], Verbs:["get"]}'],
    ],
    ['a rule without groups covers nothing', [], [{ verbs: ['get'], resources: ['pods'] }], []],
    [
      'groups',
      [{ ...rule('get', 'pods'), apiGroups: ['', 'x'] }],
      [{ ...rule('get', 'pods'), apiGroups: ['', 'y'] }],
      ['{APIGroups:["y"], Resources:["pods"], Verbs:["get"]}'],
    ],
  ])('%s', (_, owned, requested, missing) => {
    const { covered, uncovered } = coveringRules(owned, requested);
    expect(uncovered.map(ruleText)).toEqual(missing);
    expect(covered).toBe(missing.length === 0);
  });

  it('agrees with a comparison of each permission with each rule', () => {
    const pick = pickFrom('covering');
    const lists = {
      verbs: ['get', 'list', '*'],
      groups: ['', 'x', '*'],
      resources: ['pods', 'pods/log', '*/log', '*'],
      names: ['a', 'b'],
      urls: ['/a', '/a/*', '*'],
    };
    const random = (): PolicyRule =>
      pick.number(4) === 0
        ? { verbs: pick.some(lists.verbs), nonResourceURLs: pick.some(lists.urls) }
        : {
            verbs: pick.some(lists.verbs),
            apiGroups: pick.some(lists.groups),
            resources: pick.some(lists.resources),
            ...(pick.number(2) === 0 ? {} : { resourceNames: pick.some(lists.names) }),
          };
    for (let round = 0; round < 2_000; round += 1) {
      const owned = Array.from({ length: pick.number(4) }, random);
      const requested = Array.from({ length: 1 + pick.number(3) }, random);
      const expected = requested
        .flatMap((one) => [...breakDown(one)])
        .filter((one) => !owned.some((other) => coversSlowly(other, one)));
      expect(coveringRules(owned, requested).uncovered, JSON.stringify([owned, requested])).toEqual(expected);
    }
  });

  it('bounds its comparisons, but lets one rule cover any number of permissions', () => {
    const many = (prefix: string) => Array.from({ length: 200 }, (_, index) => `${prefix}${index}`);
    const huge: PolicyRule = { verbs: many('v'), apiGroups: many('g'), resources: many('r'), resourceNames: many('n') };
    expect(() => coveringRules([rule('get', 'pods')], [huge])).toThrow(
      expect.objectContaining({
        code: 400,
        message: 'the rules contain more than 100000 permissions, the maximum that can be compared',
      }),
    );
    expect(coveringRules([everything], [huge]).covered).toBe(true);
    expect(() => coveringRules([], [rule('get list', 'pods secrets')], { maxPermissions: 3 })).toThrow(
      'more than 3 permissions',
    );
    expect(coveringRules([], [rule('get list', 'pods secrets')], { maxPermissions: 4 }).uncovered).toHaveLength(4);
  });
});

/** Compares one permission with one rule, list by list. */
function coversSlowly(
  owned: PolicyRule,
  { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
): boolean {
  const has = (list: readonly string[] = [], wanted: readonly string[]): boolean =>
    list.includes('*') || wanted.every((one) => list.includes(one));
  const [resource = ''] = resources;
  const ofEvery =
    resource.includes('/') && (owned.resources ?? []).includes(`*/${resource.slice(resource.indexOf('/') + 1)}`);
  const names = owned.resourceNames ?? [];
  const url = (pattern: string, path: string): boolean =>
    pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
  return (
    has(owned.verbs, verbs) &&
    has(owned.apiGroups, apiGroups) &&
    (has(owned.resources, resources) || ofEvery) &&
    (names.length === 0 || (resourceNames.length > 0 && resourceNames.every((name) => names.includes(name)))) &&
    nonResourceURLs.every((path) => (owned.nonResourceURLs ?? []).some((pattern) => url(pattern, path)))
  );
}

it('splits a rule by group, resource, verb and name', () => {
  expect(
    [
      ...breakDown({ verbs: ['get', 'list'], apiGroups: ['', 'x'], resources: ['pods'], resourceNames: ['a', 'b'] }),
    ].map(ruleText),
  ).toEqual(
    ['""', '"x"'].flatMap((group) =>
      ['get', 'list'].flatMap((verb) =>
        ['a', 'b'].map(
          (name) => `{APIGroups:[${group}], Resources:["pods"], ResourceNames:["${name}"], Verbs:["${verb}"]}`,
        ),
      ),
    ),
  );
});

it('merges rules on one resource', () => {
  const rules = [
    rule('get', 'pods'),
    rule('get', 'pods', 'a'),
    rule('list', 'pods'),
    paths('get', '/a'),
    rule('delete', 'pods', 'a'),
    rule('get', 'pods secrets'),
    rule('get', 'pods', 'a b'),
  ];
  expect(atOnce(compactRules(rules, UNBOUNDED_WORK))).toEqual([
    paths('get', '/a'),
    rule('get', 'pods secrets'),
    rule('get', 'pods', 'a b'),
    rule('get list', 'pods'),
    rule('get delete', 'pods', 'a'),
  ]);
  expect(rules[0]).toEqual(rule('get', 'pods'));
});

it('formats a rule as Kubernetes does', () => {
  expect(
    ruleText({
      verbs: ['get', 'a"b'],
      apiGroups: [''],
      resources: ['*'],
      resourceNames: ['n'],
      nonResourceURLs: ['/x'],
    }),
  ).toBe('{APIGroups:[""], Resources:["*"], NonResourceURLs:["/x"], ResourceNames:["n"], Verbs:["get" "a\\"b"]}');
  expect(ruleText({ verbs: [] })).toBe('{}');
});
