import { describe, expect, it } from 'vitest';
import { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1 } from '../../../../src/kinds/builtin/autoscaling/kinds.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import { kubernetes, orch } from '../../../../src/foundation/dialect/dialect.js';
import { cells, decode } from '../support.js';
import { KindTests } from '../workloads.js';

await HorizontalPodAutoscaler.prepare?.();
await HorizontalPodAutoscalerV1.prepare?.();

const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 5 };
const tests = new KindTests(HorizontalPodAutoscalerV1, { spec });
const { conversion } = HorizontalPodAutoscalerV1;
if (conversion === undefined) throw new Error('there is no conversion');

const toV2 = (object: JsonObject, dialect = orch) =>
  conversion.toHub(decode(HorizontalPodAutoscalerV1, object, dialect), dialect) as unknown as StoredObject;
const toV1 = (object: JsonObject, dialect = orch) =>
  conversion.fromHub(decode(HorizontalPodAutoscaler, object, dialect), dialect) as unknown as StoredObject;

const cpu = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

/** Every metric, and every part of a status, that only version v2 has. */
const metrics: JsonObject[] = [
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Service', name: 'web', apiVersion: 'v1' },
      target: { type: 'Value', value: '10' },
      metric: { name: 'rps', selector: { matchLabels: { path: '<&>' } } },
    },
  },
  { type: 'Pods', pods: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '500m' } } },
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
  {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 }, container: 'app' },
  },
  {
    type: 'External',
    external: {
      metric: {
        name: 'orders',
        selector: { matchExpressions: [{ key: 'shop', operator: 'In', values: ['a', 'b'] }] },
      },
      target: { type: 'AverageValue', averageValue: '3' },
    },
  },
];
const currentMetrics: JsonObject[] = [
  {
    type: 'Resource',
    resource: { name: 'cpu', current: { averageValue: '100m', averageUtilization: 20 } },
  },
  {
    type: 'Object',
    object: {
      metric: { name: 'rps' },
      current: { value: '7' },
      describedObject: { kind: 'Service', name: 'web' },
    },
  },
  { type: 'Pods', pods: { metric: { name: 'queue' }, current: { averageValue: '2' } } },
  { type: 'External', external: { metric: { name: 'orders' }, current: { value: '4', averageValue: '1' } } },
];
const conditions: JsonObject[] = [
  { type: 'AbleToScale', status: 'True', lastTransitionTime: '2024-05-01T12:00:00Z', reason: 'Ready', message: 'ok' },
];
const v2: JsonObject = {
  metadata: { name: 'web', annotations: { note: 'x' } },
  spec: {
    ...spec,
    minReplicas: 2,
    metrics: [...metrics, cpu(60)],
    behavior: { scaleDown: { policies: [{ type: 'Pods', value: 1, periodSeconds: 30 }] } },
  },
  status: { observedGeneration: 3, currentReplicas: 2, desiredReplicas: 3, currentMetrics, conditions },
};

describe('conversion', () => {
  it('shows the CPU as a field and the rest as annotations', () => {
    const v1 = toV1(v2);
    expect(v1['spec']).toEqual({ ...spec, minReplicas: 2, targetCPUUtilizationPercentage: 60 });
    expect(v1['status']).toEqual({
      observedGeneration: 3,
      currentReplicas: 2,
      desiredReplicas: 3,
      currentCPUUtilizationPercentage: 20,
    });
    expect(v1.metadata.annotations).toEqual({
      note: 'x',
      'autoscaling.alpha.orch.io/metrics':
        '[{"type":"Object","object":{"target":{"kind":"Service","name":"web","apiVersion":"v1"},"metricName":"rps","targetValue":"10","selector":{"matchLabels":{"path":"\\u003c\\u0026\\u003e"}}}},{"type":"Pods","pods":{"metricName":"queue","targetAverageValue":"500m"}},{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":50,"container":"app"}},{"type":"External","external":{"metricName":"orders","metricSelector":{"matchExpressions":[{"key":"shop","operator":"In","values":["a","b"]}]},"targetAverageValue":"3"}}]',
      'autoscaling.alpha.orch.io/current-metrics':
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":20,"currentAverageValue":"100m"}},{"type":"Object","object":{"target":{"kind":"Service","name":"web"},"metricName":"rps","currentValue":"7"}},{"type":"Pods","pods":{"metricName":"queue","currentAverageValue":"2"}},{"type":"External","external":{"metricName":"orders","currentValue":"4","currentAverageValue":"1"}}]',
      'autoscaling.alpha.orch.io/behavior':
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}]},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":30}]}}',
      'autoscaling.alpha.orch.io/conditions':
        '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2024-05-01T12:00:00Z","reason":"Ready","message":"ok"}]',
    });
  });

  it('loses nothing', () => {
    const { metadata, spec, status } = decode(HorizontalPodAutoscaler, v2);
    const { apiVersion: _version, kind: _kind, ...v1 } = toV1(v2);
    const back = toV2(v1);
    expect(back.metadata).toEqual(metadata);
    expect(back['spec']).toEqual(spec);
    expect(back['status']).toEqual(status);
  });

  it('has the names of the dialect', () => {
    expect(Object.keys(toV1(v2, kubernetes).metadata.annotations ?? {})).toContain(
      'autoscaling.alpha.kubernetes.io/metrics',
    );
  });

  it('ignores annotations that are no metrics', () => {
    for (const text of [
      '',
      '{}',
      '[]',
      '[{"type":1}]',
      '[{"type":"Pods","pods":{"targetAverageValue":"x"}}]',
      'null',
    ]) {
      const annotations = { 'autoscaling.alpha.orch.io/metrics': text, 'autoscaling.alpha.orch.io/behavior': text };
      const converted = toV2({ metadata: { annotations }, spec });
      expect(converted['spec']).toEqual({ ...spec, minReplicas: 1, metrics: [cpu(80)] });
      expect(converted.metadata.annotations).toBeUndefined();
    }
  });
});

describe('version v1', () => {
  it('has the default use of the CPU in its field', () => {
    expect(decode(HorizontalPodAutoscalerV1, { spec })['spec']).toEqual({
      ...spec,
      minReplicas: 1,
      targetCPUUtilizationPercentage: 80,
    });
  });

  it('has no default use of the CPU besides another metric', () => {
    const text = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]';
    const object = decode(HorizontalPodAutoscalerV1, {
      metadata: { annotations: { 'autoscaling.alpha.orch.io/metrics': text } },
      spec,
    });
    expect(object['spec']).toEqual({ ...spec, minReplicas: 1 });
    expect(object.metadata.annotations).toEqual({ 'autoscaling.alpha.orch.io/metrics': text });
  });

  it('is validated as version v2', () => {
    expect(tests.problems({ 'spec.minReplicas': 0, 'spec.targetCPUUtilizationPercentage': 0 })).toEqual([
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ]);
    expect(tests.update({ 'spec.maxReplicas': 0 }).errors[0]).toBe(
      'spec.maxReplicas: Invalid value: 0: must be greater than 0',
    );
  });

  it('starts without status, which only its subresource writes', () => {
    const stored = tests.stored({ 'status.desiredReplicas': 3 });
    expect(stored['status']).toEqual({ currentReplicas: 0, desiredReplicas: 0 });
    const conditionsText = JSON.stringify(conditions);
    const written = tests.updateStatus({
      'spec.maxReplicas': 9,
      'status.desiredReplicas': 3,
      'status.currentCPUUtilizationPercentage': 10,
      'metadata.annotations': { 'autoscaling.alpha.orch.io/conditions': conditionsText },
    });
    expect(written.errors).toEqual([]);
    expect(written.after).toMatchObject({
      metadata: { annotations: { 'autoscaling.alpha.orch.io/conditions': conditionsText } },
      spec: { maxReplicas: 5 },
      status: { desiredReplicas: 3, currentCPUUtilizationPercentage: 10 },
    });
    expect(tests.update({ 'status.desiredReplicas': 1 }, written.after).after['status']).toMatchObject({
      desiredReplicas: 3,
    });
    expect(tests.updateStatus({ 'status.desiredReplicas': -1 }).errors).toEqual([
      'status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('has the cells of version v2, in every dialect', () => {
    for (const dialect of [orch, kubernetes]) {
      const { spec, status, metadata } = toV1(v2, dialect);
      const object = { ...decode(HorizontalPodAutoscalerV1, {}), metadata, spec, status } as StoredObject;
      expect(cells(HorizontalPodAutoscalerV1, object)).toMatchObject({
        Reference: 'Deployment/web',
        Targets: '<unknown>/10, <unknown>/500m + 4 more...',
        MinPods: '2',
        MaxPods: 5,
        Replicas: 2,
      });
    }
  });
});
