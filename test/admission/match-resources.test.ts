import { expect, test } from 'vitest';
import {
  matchedResource,
  MatchResources,
  type RequestRoute,
  type RouteMatch,
} from '../../src/admission/matching/match-resources.js';
import { kubernetes } from '../../src/foundation/index.js';
import { ConfigMap, Deployment } from '../../src/kinds/builtin/index.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { takeSteps, type Taken } from '../support/steps.js';

const requested = { info: new ResourceInfo(ConfigMap, kubernetes), kind: 'ConfigMap' };
const other = { info: new ResourceInfo(Deployment, kubernetes), kind: 'Deployment' };
const route = {
  operation: 'CREATE',
  subresource: '',
  requested,
  equivalents: () => [other],
} as unknown as RequestRoute;

const rule = (resource: string, resourceNames: readonly string[]): object => ({
  ...{ apiGroups: ['*'], apiVersions: ['*'], resources: [resource], operations: ['*'] },
  resourceNames,
});

const COUNT = 2_000;
const rules = Array.from({ length: COUNT }, (_, index) => rule('configmaps', [`n${index}`, 'shared']));

const matchedOf = (match: object): Taken<RouteMatch | undefined> =>
  takeSteps((work) => new MatchResources(match).onRoute(route, work));

test('rules in a row with names of one resource become one, with a pause at each', () => {
  const { result, pauses } = matchedOf({ resourceRules: rules, excludeResourceRules: rules.slice(0, COUNT / 2) });
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
  expect(result?.included).toHaveLength(1);
  expect(result?.included[0]?.names?.size).toBe(COUNT + 1);
  if (result === undefined) throw new Error('no match');
  expect(matchedResource(result, `n${COUNT - 1}`)).toBe(requested);
  expect(matchedResource(result, 'n1')).toBeUndefined();
  expect(matchedResource(result, 'shared')).toBeUndefined();
  expect(matchedResource(result, 'none')).toBeUndefined();
});

test('rules of different resources keep their order', () => {
  const { result } = matchedOf({
    resourceRules: [rule('configmaps', ['a']), rule('deployments', ['a', 'b']), rule('configmaps', ['b'])],
  });
  if (result === undefined) throw new Error('no match');
  expect(result.included.map(({ names }) => [...(names ?? [])])).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(matchedResource(result, 'a')).toBe(requested);
  expect(matchedResource(result, 'b')).toBe(requested);
});

test('a rule without names matches every name', () => {
  const { result } = matchedOf({ resourceRules: [rule('configmaps', ['a']), rule('configmaps', [])] });
  if (result === undefined) throw new Error('no match');
  expect(matchedResource(result, 'any')).toBe(requested);
  expect(matchedOf({ resourceRules: rules, excludeResourceRules: [rule('*', [])] }).result).toBeUndefined();
});
