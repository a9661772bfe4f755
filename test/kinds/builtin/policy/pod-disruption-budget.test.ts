import { describe, expect, it } from 'vitest';
import { PodDisruptionBudget } from '../../../../src/kinds/builtin/policy/kinds.js';
import { cells, type Changes } from '../support.js';
import { KindTests, labels } from '../workloads.js';

await PodDisruptionBudget.prepare?.();

const tests = new KindTests(PodDisruptionBudget, { spec: { minAvailable: 1, selector: { matchLabels: labels } } });
const zero = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

it('starts with generation 1 and a status of zeros', () => {
  const stored = tests.stored({ 'status.currentHealthy': 4 });
  expect([stored.metadata.generation, stored['status']]).toEqual([1, zero]);
});

it('accepts every name that fits into a path', () => {
  expect(PodDisruptionBudget.strategy?.nameRule?.('Web_1', false)).toEqual([]);
  expect(PodDisruptionBudget.strategy?.nameRule?.('a/b', false)).toEqual(["may not contain '/'"]);
});

it('requires a resourceVersion in updates', () => {
  expect(PodDisruptionBudget.strategy?.allowUnconditionalUpdate).toBe(false);
});

it.each<[string, Changes, string[]]>([
  ['a valid object', {}, []],
  ['no limit and no selector', { spec: {} }, []],
  [
    'both limits',
    { 'spec.maxUnavailable': 1 },
    [
      'spec: Invalid value: {"minAvailable":1,"selector":{"matchLabels":{"app":"web"}},"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [
    'limits that are no numbers',
    { 'spec.minAvailable': 'half' },
    [`spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"half"}: ${PERCENT}`],
  ],
  [
    'negative limits',
    { 'spec.minAvailable': undefined, 'spec.maxUnavailable': -1 },
    ['spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'more than all pods',
    { 'spec.minAvailable': '101%' },
    [
      'spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ],
  ],
  [
    'an invalid selector',
    { 'spec.selector': { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  [
    'an unknown policy',
    { 'spec.unhealthyPodEvictionPolicy': 'Never' },
    ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ],
])('validates %s', (_name, changes, errors) => {
  expect(tests.problems(changes)).toEqual(errors);
});

it('may change its spec, which is counted', () => {
  const { after, errors } = tests.update({ 'spec.minAvailable': '50%', 'spec.selector': {}, 'status.expectedPods': 3 });
  expect(errors).toEqual([]);
  expect(after.metadata.generation).toBe(2);
  expect(after['status']).toEqual(zero);
});

describe('status', () => {
  const condition = { type: 'Ready', status: 'True', reason: 'Met', lastTransitionTime: '2024-05-01T12:00:00Z' };

  it('keeps the spec', () => {
    const { after, errors } = tests.updateStatus({ spec: {}, status: { ...zero, conditions: [condition] } });
    expect(errors).toEqual([]);
    expect(after['spec']).toMatchObject({ minAvailable: 1 });
  });

  it('validates conditions and counts', () => {
    const conditions = [condition, { ...condition, status: 'Maybe' }, { type: '', status: 'True' }];
    expect(tests.updateStatus({ status: { ...zero, expectedPods: -1, conditions } }).errors).toEqual([
      'status.conditions[1].type: Duplicate value: "Ready"',
      'status.conditions[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[2].type: Invalid value: "": name part must be non-empty',
      "status.conditions[2].type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'status.conditions[2].lastTransitionTime: Required value: must be set',
      'status.conditions[2].reason: Required value: must be set',
      'status.expectedPods: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

it('has cells', () => {
  expect(cells(PodDisruptionBudget, tests.stored())).toEqual({
    ...{ Name: 'web', 'Min Available': '1', 'Max Unavailable': 'N/A', 'Allowed Disruptions': 0, Age: '<unknown>' },
  });
});
