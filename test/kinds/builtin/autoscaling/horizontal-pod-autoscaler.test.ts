import { describe, expect, it } from 'vitest';
import { HorizontalPodAutoscaler } from '../../../../src/kinds/builtin/autoscaling/kinds.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { cells, decode, type Changes } from '../support.js';
import { KindTests } from '../workloads.js';

await HorizontalPodAutoscaler.prepare?.();

const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5 };
const tests = new KindTests(HorizontalPodAutoscaler, { spec });
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const object = (target: JsonObject): JsonObject => ({
  type: 'Object',
  object: { describedObject: { kind: 'Service', name: 'web' }, metric: { name: 'rps' }, target },
});

describe('defaults', () => {
  it('fills in one replica and the use of the CPU', () => {
    expect(decode(HorizontalPodAutoscaler, { spec })['spec']).toEqual({ ...spec, minReplicas: 1, metrics: [cpu] });
  });

  it('completes the behavior, when there is one', () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    expect(decode(HorizontalPodAutoscaler, { spec: { ...spec, behavior } })['spec']).toMatchObject({
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [
            { type: 'Pods', value: 4, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
        },
        scaleDown: {
          stabilizationWindowSeconds: 60,
          selectPolicy: 'Max',
          policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
        },
      },
    });
    const { behavior: empty } = decode(HorizontalPodAutoscaler, { spec: { ...spec, behavior: {} } })['spec'] as {
      behavior: { scaleDown: object };
    };
    expect(empty.scaleDown).not.toHaveProperty('stabilizationWindowSeconds');
  });

  it('drops the annotations for these fields, which version v1 has', () => {
    const annotations = { 'autoscaling.alpha.orch.io/behavior': '{}', note: 'x' };
    expect(decode(HorizontalPodAutoscaler, { metadata: { annotations }, spec }).metadata.annotations).toEqual({
      note: 'x',
    });
  });
});

it('starts without status, and does not count generations', () => {
  const stored = tests.stored({ 'status.desiredReplicas': 4 });
  expect(stored['status']).toEqual({ desiredReplicas: 0, currentMetrics: null });
  expect(stored.metadata.generation).toBeUndefined();
  expect(tests.update({ 'spec.maxReplicas': 6 }).after.metadata.generation).toBeUndefined();
});

const metric = (...metrics: JsonObject[]): Changes => ({ 'spec.metrics': metrics });
const M = 'spec.metrics[0]';
const ZERO =
  'resource.Quantity{i:resource.int64Amount{value:0, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"0", Format:""}';

describe('validation', () => {
  it.each<[string, Changes, string[]]>([
    ['a valid object', {}, []],
    [
      'replicas',
      { 'spec.minReplicas': 0, 'spec.maxReplicas': 0 },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.maxReplicas: Invalid value: 0: must be greater than 0',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [
      'fewer replicas at most than at least',
      { 'spec.minReplicas': 6 },
      ['spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`'],
    ],
    [
      'the target',
      { 'spec.scaleTargetRef': { kind: '', name: 'a/b' } },
      [
        'spec.scaleTargetRef.kind: Required value',
        `spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/'`,
      ],
    ],
    [
      'a metric without type',
      metric({}),
      [
        `${M}.type: Required value: must specify a metric source type`,
        `${M}.type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`,
        `${M}.type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`,
      ],
    ],
    [
      'a metric without its source',
      metric({ type: 'Pods' }),
      [`${M}.pods: Required value: must populate information for the given metric source`],
    ],
    [
      'another source',
      metric({ ...cpu, pods: { metric: { name: '' }, target: {} } }),
      [
        `${M}.pods.metric.name: Required value: must specify a metric name`,
        `${M}.pods.target.type: Required value: must specify a metric target type`,
        `${M}.pods.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue`,
        `${M}.pods.target.averageValue: Required value: must specify a positive target averageValue`,
        `${M}.pods: Forbidden: must populate the given metric source only`,
      ],
    ],
    [
      'an object',
      metric(object({ type: 'Value', value: '0' })),
      [`${M}.object.target.value: Invalid value: ${ZERO}: must be positive`],
    ],
    [
      'an object without target',
      metric(object({ type: 'Value' })),
      [`${M}.object.target.averageValue: Required value: must set either a target value or averageValue`],
    ],
    [
      'a resource with two targets',
      metric({
        type: 'Resource',
        resource: { name: '', target: { type: 'Utilization', averageValue: '1', averageUtilization: 0 } },
      }),
      [
        `${M}.resource.name: Required value: must specify a resource name`,
        `${M}.resource.target.averageUtilization: Invalid value: 0: must be greater than 0`,
        `${M}.resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization`,
      ],
    ],
    [
      'a resource of a container',
      metric({
        type: 'ContainerResource',
        containerResource: { name: 'gpu', container: 'A', target: { type: 'Utilization' } },
      }),
      [
        `${M}.containerResource.name: Invalid value: "gpu": must be a standard resource type or fully qualified`,
        `${M}.containerResource.name: Invalid value: "gpu": must be a standard resource for containers`,
        `${M}.containerResource.container: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
        `${M}.containerResource.target.averageUtilization: Required value: must set either a target raw value or a target utilization`,
      ],
    ],
    [
      'an external metric with two targets',
      metric({
        type: 'External',
        external: { metric: { name: 'a%' }, target: { type: 'Value', value: '1', averageValue: '1' } },
      }),
      [
        `${M}.external.metric.name: Invalid value: "a%": may not contain '%'`,
        `${M}.external.target.value: Forbidden: may not set both a target value for metric and a per-pod target`,
      ],
    ],
    [
      'the behavior',
      {
        'spec.behavior': {
          scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: 'Mean', policies: [{}] },
          scaleDown: {
            stabilizationWindowSeconds: 3601,
            policies: [{ type: 'Pods', value: 1, periodSeconds: 1801 }],
          },
        },
      },
      [
        'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
        'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Mean": supported values: "Disabled", "Max", "Min"',
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "": supported values: "Percent", "Pods"',
        'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
        'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      ],
    ],
  ])('checks %s', (_name, changes, errors) => {
    expect(tests.problems(changes)).toEqual(errors);
  });

  it('scales to zero while the feature is on, or the autoscaler does already', () => {
    const toZero = { 'spec.minReplicas': 0, ...metric(object({ type: 'Value', value: '1' })) };
    expect(tests.problems(toZero, { HPAScaleToZero: true })).toEqual([]);
    expect(tests.update({ 'spec.maxReplicas': 3 }, tests.stored(toZero)).errors).toEqual([]);
    expect(tests.update({ 'spec.minReplicas': 0 }).errors).toHaveLength(2);
  });
});

it('validates the status and keeps the spec', () => {
  const { after, errors } = tests.updateStatus({
    'spec.maxReplicas': 9,
    status: { currentReplicas: -1, desiredReplicas: -1 },
  });
  expect(after['spec']).toMatchObject({ maxReplicas: 5 });
  expect(errors).toEqual([
    'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
    'status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0',
  ]);
});

describe('cells', () => {
  it('shows the target and the replicas', () => {
    const { after } = tests.updateStatus({
      status: {
        desiredReplicas: 2,
        currentReplicas: 2,
        currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 12 } } }],
      },
    });
    expect(cells(HorizontalPodAutoscaler, after)).toEqual({
      ...{ Name: 'web', Reference: 'Deployment/web', Targets: 'cpu: 12%/80%' },
      ...{ MinPods: '1', MaxPods: 5, Replicas: 2, Age: '<unknown>' },
    });
  });

  it.each<[string, JsonObject[], string]>([
    ['an unknown use', [cpu], 'cpu: <unknown>/80%'],
    [
      'an amount of a resource',
      [{ type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } }],
      'memory: <unknown>/1Gi',
    ],
    ['an object', [object({ type: 'Value', value: '10' })], '<unknown>/10'],
    ['an object for each pod', [object({ type: 'AverageValue', averageValue: '10' })], '<unknown>/10 (avg)'],
    [
      'pods',
      [{ type: 'Pods', pods: { metric: { name: 'a' }, target: { type: 'AverageValue', averageValue: '5' } } }],
      '<unknown>/5',
    ],
    [
      'more than two',
      [cpu, cpu, object({ type: 'Value', value: '1' }), cpu],
      'cpu: <unknown>/80%, cpu: <unknown>/80% + 2 more...',
    ],
  ])('shows %s', (_name, metrics, text) => {
    expect(cells(HorizontalPodAutoscaler, tests.stored({ 'spec.metrics': metrics }))['Targets']).toBe(text);
  });
});
