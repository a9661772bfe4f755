import { describe, expect, it } from 'vitest';
import { Deployment } from '../../../../src/kinds/builtin/apps/kinds.js';
import { cells, decode, type Changes } from '../support.js';
import { KindTests, labels, storedTemplate, template } from '../workloads.js';

await Deployment.prepare?.();

const spec = { selector: { matchLabels: labels }, template: template() };
const tests = new KindTests(Deployment, { spec });
const MISMATCH = '`selector` does not match template `labels`';

describe('defaults', () => {
  it('fills in the replicas, the strategy, the limits and the pods', () => {
    expect(decode(Deployment, { spec })['spec']).toEqual({
      replicas: 1,
      selector: { matchLabels: labels },
      template: storedTemplate(),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
  });

  it('keeps what is set', () => {
    const given = {
      replicas: 0,
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: 5,
    };
    expect(decode(Deployment, { spec: { ...spec, ...given } })['spec']).toMatchObject({
      replicas: 0,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '25%' } },
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: 5,
    });
  });

  it('adds no rolling update to another strategy', () => {
    const { strategy } = decode(Deployment, { spec: { ...spec, strategy: { type: 'Recreate' } } })['spec'] as {
      strategy: object;
    };
    expect(strategy).toEqual({ type: 'Recreate' });
  });
});

describe('create', () => {
  it('starts with generation 1 and an empty status', () => {
    const stored = tests.stored({ 'metadata.generation': 7, 'status.replicas': 3 });
    expect(stored.metadata.generation).toBe(1);
    expect(stored['status']).toEqual({});
  });

  it('accepts a valid object', () => {
    expect(tests.problems({})).toEqual([]);
  });

  it.each<[string, Changes, string[]]>([
    [
      'negative replicas',
      { 'spec.replicas': -1 },
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'no selector',
      { 'spec.selector': undefined },
      [
        'spec.selector: Required value',
        `spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: ${MISMATCH}`,
      ],
    ],
    [
      'an empty selector',
      { 'spec.selector': {} },
      [
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
      ],
    ],
    [
      'an invalid selector',
      { 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'Is', values: ['web'] }] } },
      [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"app", Operator:"Is", Values:[]string{"web"}}}}: invalid label selector',
      ],
    ],
    [
      'labels that are not selected',
      { 'spec.template.metadata.labels': { tier: 'db', app: 'db' } },
      [`spec.template.metadata.labels: Invalid value: map[string]string{"app":"db", "tier":"db"}: ${MISMATCH}`],
    ],
    [
      'no labels',
      { 'spec.template.metadata': undefined },
      [`spec.template.metadata.labels: Invalid value: map[string]string(nil): ${MISMATCH}`],
    ],
    [
      'an invalid pod',
      { 'spec.template.spec.containers': [{ name: 'web' }] },
      ['spec.template.spec.containers[0].image: Required value'],
    ],
    [
      'pods that end',
      { 'spec.template.spec.restartPolicy': 'Never', 'spec.template.spec.activeDeadlineSeconds': 5 },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
      ],
    ],
    [
      'an unknown strategy',
      { 'spec.strategy': { type: 'Canary' } },
      [
        'spec.strategy: Unsupported value: apps.DeploymentStrategy{Type:"Canary", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'a rolling update of another strategy',
      { 'spec.strategy': { type: 'Recreate', rollingUpdate: {} } },
      [`spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`],
    ],
    [
      'a rollout that may change nothing',
      { 'spec.strategy.rollingUpdate': { maxUnavailable: 0, maxSurge: '0%' } },
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
      ],
    ],
    [
      'texts that are no percentages',
      { 'spec.strategy.rollingUpdate': { maxUnavailable: 'many', maxSurge: -1 } },
      [
        `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"many"}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
        'spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'more than all pods',
      { 'spec.strategy.rollingUpdate': { maxUnavailable: '101%', maxSurge: '200%' } },
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
      ],
    ],
    [
      'negative numbers',
      { 'spec.minReadySeconds': -1, 'spec.revisionHistoryLimit': -1, 'spec.progressDeadlineSeconds': -1 },
      [
        'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
        'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds',
      ],
    ],
    [
      'a deadline before pods can be available',
      { 'spec.minReadySeconds': 600 },
      ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    ],
  ])('refuses %s', (_name, changes, errors) => {
    expect(tests.problems(changes)).toEqual(errors);
  });

  it('warns about a name that is no host name', () => {
    expect(tests.warnings({ 'metadata.name': 'web.v1' })).toEqual([
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ]);
    expect(tests.warnings({})).toEqual([]);
  });
});

describe('update', () => {
  it('keeps the status and the generation when nothing is desired anew', () => {
    const { after, errors } = tests.update({ 'status.replicas': 5, 'metadata.labels': { team: 'shop' } });
    expect(errors).toEqual([]);
    expect(after['status']).toEqual({});
    expect(after.metadata.generation).toBe(1);
  });

  it.each<[string, Changes]>([
    ['the spec', { 'spec.replicas': 3 }],
    ['the annotations, which replica sets copy', { 'metadata.annotations': { note: 'x' } }],
  ])('counts a change of %s', (_name, change) => {
    expect(tests.update(change).after.metadata.generation).toBe(2);
  });

  it('refuses another selector', () => {
    const { errors } = tests.update({
      'spec.selector.matchLabels': { app: 'api' },
      'spec.template.metadata.labels': { app: 'api' },
    });
    expect(errors).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"api"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ]);
  });

  it('validates the new spec', () => {
    expect(tests.update({ 'spec.replicas': -1 }).errors).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('status', () => {
  it('keeps the spec, the labels and the generation, and takes annotations', () => {
    const old = tests.stored({ 'metadata.labels': { team: 'shop' } });
    const { after } = tests.updateStatus(
      {
        'spec.replicas': 9,
        'metadata.labels': { team: 'db' },
        'metadata.annotations': { note: 'x' },
        'status.replicas': 1,
      },
      old,
    );
    expect(after['spec']).toEqual(old['spec']);
    expect(after.metadata).toMatchObject({ labels: { team: 'shop' }, annotations: { note: 'x' }, generation: 1 });
    expect(after['status']).toEqual({ replicas: 1 });
  });

  it.each<[Changes, string[]]>([
    [{ status: { replicas: 3, updatedReplicas: 3, readyReplicas: 2, availableReplicas: 2 } }, []],
    [
      { status: { observedGeneration: -1, replicas: -2, unavailableReplicas: -1, collisionCount: -1 } },
      [
        'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0',
        'status.replicas: Invalid value: -2: must be greater than or equal to 0',
        'status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0',
        'status.collisionCount: Invalid value: -1: must be greater than or equal to 0',
        'status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas',
        'status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
      ],
    ],
    [
      { status: { replicas: 1, updatedReplicas: 2, readyReplicas: 0, availableReplicas: 1 } },
      [
        'status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
      ],
    ],
  ])('validates %j', (changes, errors) => {
    expect(tests.updateStatus(changes).errors).toEqual(errors);
  });

  it('refuses fewer collisions', () => {
    const old = tests.updateStatus({ 'status.collisionCount': 2 }).after;
    expect(tests.updateStatus({ 'status.collisionCount': 1 }, old).errors).toEqual([
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ]);
    expect(tests.updateStatus({ 'status.collisionCount': undefined }, old).errors).toEqual([
      'status.collisionCount: Invalid value: 0: cannot be decremented',
    ]);
  });
});

it('has cells', () => {
  const status = { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 };
  const { after } = tests.updateStatus({ status });
  expect(cells(Deployment, after)).toEqual({
    Name: 'web',
    Ready: '2/1',
    'Up-to-date': 3,
    Available: 1,
    Age: '<unknown>',
    Containers: 'web',
    Images: 'nginx:1',
    Selector: 'app=web',
  });
});
