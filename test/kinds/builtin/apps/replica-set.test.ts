import { describe, expect, it } from 'vitest';
import { ReplicaSet } from '../../../../src/kinds/builtin/apps/kinds.js';
import { cells, decode, type Changes } from '../support.js';
import { KindTests, labels, storedTemplate, template } from '../workloads.js';

await ReplicaSet.prepare?.();

const spec = { selector: { matchLabels: labels }, template: template() };
const tests = new KindTests(ReplicaSet, { spec });

it('fills in the replicas and the pods', () => {
  expect(decode(ReplicaSet, { spec })['spec']).toEqual({
    replicas: 1,
    selector: { matchLabels: labels },
    template: storedTemplate(),
  });
});

it('starts with generation 1 and no replicas', () => {
  const stored = tests.stored({ 'status.readyReplicas': 3 });
  expect([stored.metadata.generation, stored['status']]).toEqual([1, { replicas: 0 }]);
});

it.each<[string, Changes, string[]]>([
  ['a valid object', {}, []],
  [
    'negative numbers',
    { 'spec.replicas': -1, 'spec.minReadySeconds': -2 },
    [
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0',
    ],
  ],
  [
    'an empty selector, with the words for Deployments',
    { 'spec.selector': {} },
    [
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
    ],
  ],
  [
    'no template',
    { 'spec.template': undefined },
    [
      'spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
      'spec.template.spec.containers: Required value',
    ],
  ],
  [
    'pods that end',
    { 'spec.template.spec.restartPolicy': 'OnFailure', 'spec.template.spec.activeDeadlineSeconds': 1 },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
  ],
])('validates %s', (_name, changes, errors) => {
  expect(tests.problems(changes)).toEqual(errors);
});

describe('update', () => {
  it('counts changes of the spec only', () => {
    expect(tests.update({ 'spec.replicas': 2 }).after.metadata.generation).toBe(2);
    expect(tests.update({ 'metadata.annotations': { a: 'b' } }).after.metadata.generation).toBe(1);
  });

  it('refuses another selector', () => {
    expect(
      tests.update({ 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }).errors,
    ).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"app", Operator:"Exists", Values:[]string(nil)}}}: field is immutable',
    ]);
  });
});

it('validates the status and keeps the spec', () => {
  const { after, errors } = tests.updateStatus({
    'spec.replicas': 5,
    status: { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: -1, availableReplicas: 1, observedGeneration: -1 },
  });
  expect(after['spec']).toMatchObject({ replicas: 1 });
  expect(errors).toEqual([
    'status.readyReplicas: Invalid value: -1: must be greater than or equal to 0',
    'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0',
    'status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
  ]);
});

it('has cells', () => {
  const { after } = tests.updateStatus({ status: { replicas: 2, readyReplicas: 1 } });
  expect(cells(ReplicaSet, after)).toEqual({
    ...{ Name: 'web', Desired: 1, Current: 2, Ready: 1, Age: '<unknown>' },
    ...{ Containers: 'web', Images: 'nginx:1', Selector: 'app=web' },
  });
});
