import { definedOnly, type AutoscalerAnnotations, type ObjectMeta } from '../../../../foundation/index.js';
import type { autoscalingV1, autoscalingV2 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { goJson, readList, readOne, type AnnotationObject } from './annotation-json.js';
import { cpuMetric, DEFAULT_CPU_PERCENT } from './defaults.js';
import { withoutAnnotations } from './v1-annotations.js';
import { behaviorToV1, readBehavior } from './v1-behavior.js';
import { metricStatusToV1, metricToV1, readMetric, readMetricStatus } from './v1-metrics.js';

type AutoscalerV1 = StoredKind<autoscalingV1.HorizontalPodAutoscaler>;
type AutoscalerV2 = StoredKind<autoscalingV2.HorizontalPodAutoscaler>;
type Spec = autoscalingV2.HorizontalPodAutoscalerSpec;
type Status = autoscalingV2.HorizontalPodAutoscalerStatus;
type Condition = autoscalingV2.HorizontalPodAutoscalerCondition;

const cpuOf = ({ type, resource }: autoscalingV2.MetricSpec): autoscalingV2.ResourceMetricSource | undefined =>
  type === 'Resource' && resource?.name === 'cpu' ? resource : undefined;

/** Returns the percentage that the first metric of the CPU asks for. */
const cpuPercentOf = (metrics: readonly autoscalingV2.MetricSpec[]): number | undefined =>
  metrics.map(cpuOf).find((cpu) => cpu !== undefined)?.target.averageUtilization;

function currentCpuPercent(metrics: readonly autoscalingV2.MetricStatus[]): number | undefined {
  const percents = metrics.flatMap(({ type, resource }) => {
    const percent = type === 'Resource' && resource?.name === 'cpu' ? resource.current.averageUtilization : undefined;
    return percent === undefined ? [] : [percent];
  });
  return percents.at(-1);
}

const conditionToV1 = ({ type, status, lastTransitionTime, reason, message }: Condition) => ({
  type,
  status,
  lastTransitionTime: lastTransitionTime ?? null,
  ...(reason ? { reason } : {}),
  ...(message ? { message } : {}),
});

function readCondition(condition: AnnotationObject): Condition {
  const optional = (name: string): string | undefined => condition.text(name) || undefined;
  return {
    type: condition.text('type'),
    status: condition.text('status'),
    ...definedOnly({
      lastTransitionTime: optional('lastTransitionTime'),
      reason: optional('reason'),
      message: optional('message'),
    }),
  };
}

/** Returns the annotations of version v1 for the fields that only version v2 has. */
function annotationsOf({ spec, status }: AutoscalerV2, names: AutoscalerAnnotations) {
  const others = (spec?.metrics ?? []).filter((metric) => cpuOf(metric)?.target.averageUtilization === undefined);
  const current = status?.currentMetrics ?? [];
  const conditions = status?.conditions ?? [];
  const behavior = spec?.behavior;
  return {
    ...(others.length === 0 ? {} : { [names.metrics]: goJson(others.map(metricToV1)) }),
    ...(current.length === 0 ? {} : { [names.currentMetrics]: goJson(current.map(metricStatusToV1)) }),
    ...(behavior === undefined ? {} : { [names.behavior]: goJson(behaviorToV1(behavior)) }),
    ...(conditions.length === 0 ? {} : { [names.conditions]: goJson(conditions.map(conditionToV1)) }),
  };
}

function withAnnotations(metadata: ObjectMeta, annotations: Record<string, string> | undefined): ObjectMeta {
  const { annotations: _before, ...rest } = metadata;
  return annotations === undefined || Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}

/** Converts an autoscaler of version v2 to version v1. Returns a new object. */
export function autoscalerToV1(object: AutoscalerV2, names: AutoscalerAnnotations): AutoscalerV1 {
  const { apiVersion, kind, metadata, spec, status } = object;
  const kept = withoutAnnotations(metadata.annotations, names) ?? metadata.annotations;
  const targetCPUUtilizationPercentage = cpuPercentOf(spec?.metrics ?? []);
  const currentCPUUtilizationPercentage = currentCpuPercent(status?.currentMetrics ?? []);
  const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas = 0 } = status ?? {};
  return {
    ...{ apiVersion, kind, metadata: withAnnotations(metadata, { ...kept, ...annotationsOf(object, names) }) },
    spec: {
      scaleTargetRef: spec?.scaleTargetRef ?? { kind: '', name: '' },
      ...definedOnly({ minReplicas: spec?.minReplicas }),
      maxReplicas: spec?.maxReplicas ?? 0,
      ...definedOnly({ targetCPUUtilizationPercentage }),
    },
    status: {
      ...definedOnly({ observedGeneration, lastScaleTime }),
      ...{ currentReplicas, desiredReplicas },
      ...definedOnly({ currentCPUUtilizationPercentage }),
    },
  };
}

function specFromV1(object: AutoscalerV1, names: AutoscalerAnnotations): Spec {
  const { spec, metadata } = object;
  const cpu = spec?.targetCPUUtilizationPercentage;
  const others = readList(metadata.annotations?.[names.metrics], readMetric);
  const behavior = readOne(metadata.annotations?.[names.behavior], readBehavior);
  const metrics = [...(others ?? []), ...(cpu === undefined ? [] : [cpuMetric(cpu)])];
  return {
    scaleTargetRef: spec?.scaleTargetRef ?? { kind: '', name: '' },
    ...definedOnly({ minReplicas: spec?.minReplicas }),
    maxReplicas: spec?.maxReplicas ?? 0,
    // As in Kubernetes, this default belongs to the conversion, which has the metrics of both forms.
    metrics: metrics.length === 0 ? [cpuMetric(DEFAULT_CPU_PERCENT)] : metrics,
    ...definedOnly({ behavior }),
  };
}

function statusFromV1(object: AutoscalerV1, names: AutoscalerAnnotations): Status {
  const { status, metadata } = object;
  const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas = 0 } = status ?? {};
  const percent = status?.currentCPUUtilizationPercentage;
  const cpu: autoscalingV2.MetricStatus[] =
    percent === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percent } } }];
  const metrics = readList(metadata.annotations?.[names.currentMetrics], readMetricStatus) ?? cpu;
  const conditions = readList(metadata.annotations?.[names.conditions], readCondition);
  return {
    ...definedOnly({ observedGeneration, lastScaleTime }),
    ...(currentReplicas === 0 ? {} : { currentReplicas }),
    desiredReplicas,
    currentMetrics: metrics.length === 0 ? null : metrics,
    ...definedOnly({ conditions }),
  };
}

/** Converts an autoscaler of version v1 to version v2. Returns a new object. */
export function autoscalerFromV1(object: AutoscalerV1, names: AutoscalerAnnotations): AutoscalerV2 {
  const { apiVersion, kind, metadata } = object;
  const kept = withoutAnnotations(metadata.annotations, names) ?? metadata.annotations;
  return {
    ...{ apiVersion, kind, metadata: withAnnotations(metadata, kept) },
    spec: specFromV1(object, names),
    status: statusFromV1(object, names),
  };
}
