import { atOnce } from '../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import { StatefulSet } from '../../../../src/kinds/builtin/apps/kinds.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { cells, contextOf, decode, type Changes } from '../support.js';
import { KindTests, labels, storedTemplate, template } from '../workloads.js';

await StatefulSet.prepare?.();

const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } };
const spec = {
  selector: { matchLabels: labels },
  serviceName: 'web',
  template: template(),
  volumeClaimTemplates: [claim],
};
const tests = new KindTests(StatefulSet, { spec });
const RETAIN = { whenDeleted: 'Retain', whenScaled: 'Retain' };

describe('defaults', () => {
  it('fills in policies, limits, pods and claims', () => {
    expect(decode(StatefulSet, { spec })['spec']).toEqual({
      replicas: 1,
      selector: { matchLabels: labels },
      template: storedTemplate(),
      volumeClaimTemplates: [
        {
          kind: 'PersistentVolumeClaim',
          apiVersion: 'v1',
          metadata: { creationTimestamp: null, name: 'data' },
          spec: { resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
      serviceName: 'web',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: RETAIN,
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a rolling update without details',
      { updateStrategy: { type: 'RollingUpdate' } },
      { updateStrategy: { type: 'RollingUpdate' } },
    ],
    ['updates by deletion', { updateStrategy: { type: 'OnDelete' } }, { updateStrategy: { type: 'OnDelete' } }],
    [
      'one half of the retention',
      { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } },
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' } },
    ],
    ['ordinals', { ordinals: {} }, { ordinals: { start: 0 } }],
  ])('completes %s', (_name, given, expected) => {
    const decoded = decode(StatefulSet, { spec: { ...spec, ...given } })['spec'] as JsonObject;
    for (const [field, value] of Object.entries(expected)) expect(decoded[field]).toEqual(value);
  });
});

describe('disabled features', () => {
  it('drops the retention of claims, unless it is in use', () => {
    const off = { StatefulSetAutoDeletePVC: false };
    expect(tests.stored({}, off)['spec']).not.toHaveProperty('persistentVolumeClaimRetentionPolicy');
    const { after } = tests.update({ 'spec.replicas': 2 }, tests.stored(), off);
    expect(after['spec']).toMatchObject({ persistentVolumeClaimRetentionPolicy: RETAIN });
  });

  it('drops maxUnavailable while its feature is off', () => {
    const changes = { 'spec.updateStrategy': { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } };
    expect(tests.stored(changes)['spec']).toMatchObject({ updateStrategy: { rollingUpdate: { partition: 0 } } });
    const on = { MaxUnavailableStatefulSet: true };
    const stored = tests.stored(changes, on);
    expect(stored['spec']).toMatchObject({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } });
    expect(tests.update({ 'spec.replicas': 2 }, stored).after['spec']).toMatchObject({
      updateStrategy: { rollingUpdate: { maxUnavailable: 2 } },
    });
  });

  it('defaults maxUnavailable while its feature is on', () => {
    const object = decode(StatefulSet, { spec });
    atOnce(StatefulSet.strategy?.defaults?.(object, contextOf(undefined, { MaxUnavailableStatefulSet: true })));
    expect(object['spec']).toMatchObject({ updateStrategy: { rollingUpdate: { partition: 0, maxUnavailable: 1 } } });
  });
});

it('starts with generation 1 and no replicas', () => {
  const stored = tests.stored();
  expect([stored.metadata.generation, stored['status']]).toEqual([1, { replicas: 0, availableReplicas: 0 }]);
});

describe('names', () => {
  it('are labels of host names', () => {
    const rule = StatefulSet.strategy?.nameRule;
    expect(rule?.('web', false)).toEqual([]);
    expect(rule?.('web.v1', false)).toEqual(['must not contain dots']);
  });
});

it.each<[string, Changes, string[]]>([
  ['a valid object', {}, []],
  [
    'unknown policies',
    {
      'spec.podManagementPolicy': 'Random',
      'spec.updateStrategy': { type: 'Canary' },
      'spec.persistentVolumeClaimRetentionPolicy': { whenDeleted: 'Archive', whenScaled: 'Delete' },
    },
    [
      `spec.podManagementPolicy: Invalid value: "Random": must be 'OrderedReady' or 'Parallel'`,
      `spec.updateStrategy: Invalid value: apps.StatefulSetUpdateStrategy{Type:"Canary", RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)}: must be 'RollingUpdate' or 'OnDelete'`,
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Archive": supported values: "Retain", "Delete"',
    ],
  ],
  [
    'a rolling update of another strategy',
    { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: {} } },
    [
      `spec.updateStrategy.rollingUpdate: Invalid value: apps.RollingUpdateStatefulSetStrategy{Partition:0, MaxUnavailable:(*intstr.IntOrString)(nil)}: only allowed for updateStrategy 'RollingUpdate'`,
    ],
  ],
  [
    'negative numbers',
    {
      'spec.updateStrategy.rollingUpdate.partition': -1,
      'spec.replicas': -1,
      'spec.minReadySeconds': -1,
      'spec.ordinals.start': -1,
    },
    [
      'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  [
    'no selector',
    { 'spec.selector': undefined },
    [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
    ],
  ],
  [
    'an empty selector',
    { 'spec.selector': {} },
    [
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for statefulset',
    ],
  ],
  [
    'pods that end',
    { 'spec.template.spec.restartPolicy': 'Never', 'spec.template.spec.activeDeadlineSeconds': 1 },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
    ],
  ],
  [
    'labels of the template, at a path without metadata',
    { 'spec.template.metadata.labels': { app: 'web', tier: '!' } },
    [
      `spec.template.labels: Invalid value: "!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ],
  [
    'pods that nothing could run, which the release accepts',
    { 'spec.template.spec.containers': [{ name: 'web' }] },
    [],
  ],
])('validates %s', (_name, changes, errors) => {
  expect(tests.problems(changes)).toEqual(errors);
});

it('validates maxUnavailable while its feature is on', () => {
  const on = { MaxUnavailableStatefulSet: true };
  const unavailable = (value: number | string) =>
    tests.problems({ 'spec.updateStrategy': { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: value } } }, on);
  expect(unavailable(0)).toEqual([
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: cannot be 0',
  ]);
  expect(unavailable('101%')).toEqual([
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
  ]);
});

describe('update', () => {
  const FORBIDDEN =
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

  it.each<[string, Changes]>([
    ['the replicas', { 'spec.replicas': 2 }],
    ['the template', { 'spec.template.spec.priority': 1 }],
    ['the update strategy', { 'spec.updateStrategy': { type: 'OnDelete' } }],
    ['the delay', { 'spec.minReadySeconds': 3 }],
    ['the ordinals', { 'spec.ordinals': { start: 2 } }],
    ['the retention', { 'spec.persistentVolumeClaimRetentionPolicy.whenScaled': 'Delete' }],
  ])('changes %s', (_name, change) => {
    const { after, errors } = tests.update(change);
    expect(errors).toEqual([]);
    expect(after.metadata.generation).toBe(2);
  });

  it.each<[string, Changes]>([
    ['the service', { 'spec.serviceName': 'db' }],
    ['the pod management', { 'spec.podManagementPolicy': 'Parallel' }],
    ['the history limit', { 'spec.revisionHistoryLimit': 3 }],
    ['the claims', { 'spec.volumeClaimTemplates': [] }],
  ])('does not change %s', (_name, change) => {
    expect(tests.update(change).errors).toEqual([FORBIDDEN]);
  });

  it('does not change the selector', () => {
    expect(
      tests.update({ 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }).errors,
    ).toEqual([FORBIDDEN]);
  });

  it('changes nothing by the same spec', () => {
    expect(tests.update({}).after.metadata.generation).toBe(1);
  });
});

describe('warnings', () => {
  it('are about negative limits and parts of bytes', () => {
    const changes: Changes = {
      'spec.revisionHistoryLimit': -1,
      'spec.volumeClaimTemplates': [{ ...claim, spec: { resources: { requests: { storage: '1500m' } } } }],
    };
    expect(tests.warnings(changes)).toEqual([
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ]);
    expect(tests.update({}, tests.stored(changes)).warnings[0]).toContain(
      'spec.volumeClaimTemplates[0].Spec.resources',
    );
  });
});

describe('status', () => {
  it('validates the counts', () => {
    const status = { replicas: 2, readyReplicas: 1, currentReplicas: 3, updatedReplicas: 3, availableReplicas: 2 };
    expect(tests.updateStatus({ status }).errors).toEqual([
      'status.currentReplicas: Invalid value: 3: cannot be greater than status.replicas',
      'status.updatedReplicas: Invalid value: 3: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas',
    ]);
  });

  it('keeps the spec', () => {
    expect(tests.updateStatus({ 'spec.replicas': 4, 'status.replicas': 1 }).after).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 1 },
    });
  });
});

it('has cells', () => {
  const { after } = tests.updateStatus({ status: { replicas: 1, readyReplicas: 1, availableReplicas: 0 } });
  expect(cells(StatefulSet, after)).toEqual({
    ...{ Name: 'web', Ready: '1/1', Age: '<unknown>', Containers: 'web', Images: 'nginx:1' },
  });
});
