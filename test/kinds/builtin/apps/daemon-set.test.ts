import { describe, expect, it } from 'vitest';
import { DaemonSet } from '../../../../src/kinds/builtin/apps/kinds.js';
import { cells, decode, type Changes } from '../support.js';
import { KindTests, labels, storedTemplate, template } from '../workloads.js';

await DaemonSet.prepare?.();

const spec = { selector: { matchLabels: labels }, template: template() };
const tests = new KindTests(DaemonSet, { spec });
const GENERATION = 'deprecated.daemonset.template.generation';

it('fills in the update strategy, the history limit and the pods', () => {
  expect(decode(DaemonSet, { spec })['spec']).toEqual({
    selector: { matchLabels: labels },
    template: storedTemplate(),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
  });
});

describe('the number of the template', () => {
  it('starts at 1, or at the greater number of the client', () => {
    expect(tests.stored().metadata.annotations).toEqual({ [GENERATION]: '1' });
    expect(tests.stored({ 'metadata.annotations': { [GENERATION]: '5' } }).metadata.annotations).toEqual({
      [GENERATION]: '5',
    });
    expect(tests.stored({ 'metadata.annotations': { [GENERATION]: '-5', a: 'b' } }).metadata.annotations).toEqual({
      [GENERATION]: '1',
      a: 'b',
    });
  });

  it('counts changes of the template, whatever the client sends', () => {
    const { after } = tests.update({
      'spec.template.spec.priority': 1,
      'metadata.annotations': { [GENERATION]: '9' },
    });
    expect(after.metadata).toMatchObject({ annotations: { [GENERATION]: '2' }, generation: 2 });
    const other = tests.update({ 'spec.minReadySeconds': 1, 'metadata.annotations': undefined }).after;
    expect(other.metadata).toMatchObject({ annotations: { [GENERATION]: '1' }, generation: 2 });
  });

  it.each([
    ['x', 'invalid syntax'],
    ['9223372036854775808', 'value out of range'],
    ['9'.repeat(1000), 'value out of range'],
  ])('refuses %s', (text, problem) => {
    expect(() => tests.stored({ 'metadata.annotations': { [GENERATION]: text } })).toThrow(
      `DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "${text}": ${problem}`,
    );
  });

  it('may have zeros before it', () => {
    const annotations = { [GENERATION]: `+${'0'.repeat(1000)}5` };
    expect(tests.stored({ 'metadata.annotations': annotations }).metadata.annotations).toEqual({ [GENERATION]: '5' });
  });

  it('shows only the beginning of a long text', () => {
    const digits = '9'.repeat(2_000_000);
    expect(() => tests.stored({ 'metadata.annotations': { [GENERATION]: digits } })).toThrow(
      /parsing "9{16384}"… \(1,983,616 more\): value out of range$/,
    );
  });
});

it.each<[string, Changes, string[]]>([
  ['a valid object', {}, []],
  [
    'no selector',
    { 'spec.selector': undefined },
    [
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
    ],
  ],
  [
    'an empty selector',
    { 'spec.selector': {} },
    [
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for daemonset',
    ],
  ],
  [
    'pods that end',
    { 'spec.template.spec.restartPolicy': 'Never', 'spec.template.spec.activeDeadlineSeconds': 1 },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
    ],
  ],
  [
    'negative numbers',
    { 'spec.minReadySeconds': -1, 'spec.revisionHistoryLimit': -1 },
    [
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  [
    'an unknown strategy',
    { 'spec.updateStrategy': { type: 'Canary' } },
    [
      'spec.updateStrategy: Unsupported value: apps.DaemonSetUpdateStrategy{Type:"Canary", RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  ['updates by deletion', { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: { maxSurge: -1 } } }, []],
  [
    'a rollout that takes down and adds',
    { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 1, maxSurge: '10%' } },
    [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"10%"}: may not be set when maxUnavailable is non-zero',
    ],
  ],
  [
    'a rollout that may change nothing',
    { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 0 } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  ],
  [
    'more than all pods',
    { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 0, maxSurge: '101%' } },
    [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ],
  ],
])('validates %s', (_name, changes, errors) => {
  expect(tests.problems(changes)).toEqual(errors);
});

it('refuses another selector', () => {
  const changes = { 'spec.selector.matchLabels': { a: 'b' }, 'spec.template.metadata.labels': { a: 'b' } };
  expect(tests.update(changes).errors).toEqual([
    'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
  ]);
});

describe('status', () => {
  const zero = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };

  it('starts at zero', () => {
    expect(tests.stored({ 'status.numberReady': 4 })['status']).toEqual(zero);
  });

  it('validates the counts', () => {
    const status = { ...zero, currentNumberScheduled: -1, updatedNumberScheduled: -1, collisionCount: -1 };
    expect(tests.updateStatus({ status }).errors).toEqual([
      'status.currentNumberScheduled: Invalid value: -1: must be greater than or equal to 0',
      'status.updatedNumberScheduled: Invalid value: -1: must be greater than or equal to 0',
      'status.collisionCount: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('refuses fewer collisions', () => {
    const old = tests.updateStatus({ 'status.collisionCount': 2 }).after;
    expect(tests.updateStatus({ 'status.collisionCount': 1 }, old).errors).toEqual([
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ]);
  });
});

it('has cells', () => {
  const stored = tests.stored({ 'spec.template.spec.nodeSelector': { zone: 'b', disk: 'ssd' } });
  const status = { desiredNumberScheduled: 4, currentNumberScheduled: 3, numberReady: 2, updatedNumberScheduled: 1 };
  const { after } = tests.updateStatus({ status: { ...status, numberAvailable: 1, numberMisscheduled: 0 } }, stored);
  expect(cells(DaemonSet, after)).toEqual({
    ...{ Name: 'web', Desired: 4, Current: 3, Ready: 2, 'Up-to-date': 1, Available: 1 },
    ...{ 'Node Selector': 'disk=ssd,zone=b', Age: '<unknown>' },
    ...{ Containers: 'web', Images: 'nginx:1', Selector: 'app=web' },
  });
  expect(cells(DaemonSet, tests.stored())['Node Selector']).toBe('<none>');
});
