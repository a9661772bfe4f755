import type { autoscalingV2 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { NONE } from '../../shared/columns.js';

/** Number of metrics that a table shows. */
const SHOWN_METRICS = 2;
const UNKNOWN = '<unknown>';
/** Go's text for a quantity that is not set. */
const NIL = '<nil>';

type Current = autoscalingV2.MetricValueStatus | undefined;
type Target = autoscalingV2.MetricTarget;

/** Formats a metric whose target is a value, or a value for each pod. */
function valueText(target: Target, current: Current): string {
  if (target.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
  return `${current === undefined ? UNKNOWN : (current.value ?? NIL)}/${target.value ?? NIL}`;
}

/** Formats a metric of a resource, whose target is a value or a share of the requested amount. */
function resourceText(name: string, target: Target, current: Current): string {
  if (target.averageValue !== undefined)
    return `${name}: ${current === undefined ? UNKNOWN : (current.averageValue ?? NIL)}/${target.averageValue}`;
  const used = current?.averageUtilization;
  const wanted = target.averageUtilization;
  return `${name}: ${used === undefined ? UNKNOWN : `${used}%`}/${wanted === undefined ? '<auto>' : `${wanted}%`}`;
}

function metricText(metric: autoscalingV2.MetricSpec, status: autoscalingV2.MetricStatus | undefined): string {
  const { type, object, pods, resource, external, containerResource: container } = metric;
  if (type === 'External' && external) return valueText(external.target, status?.external?.current);
  if (type === 'Object' && object) return valueText(object.target, status?.object?.current);
  if (type === 'Pods' && pods) {
    const current = status?.pods?.current;
    return `${current === undefined ? UNKNOWN : (current.averageValue ?? NIL)}/${pods.target.averageValue ?? NIL}`;
  }
  if (type === 'Resource' && resource) return resourceText(resource.name, resource.target, status?.resource?.current);
  if (type === 'ContainerResource' && container)
    return resourceText(container.name, container.target, status?.containerResource?.current);
  return '<unknown type>';
}

function targetsCell({ spec, status }: StoredKind<autoscalingV2.HorizontalPodAutoscaler>): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return NONE;
  const texts = metrics.map((metric, index) => metricText(metric, status?.currentMetrics?.[index]));
  const shown = texts.slice(0, SHOWN_METRICS).join(', ');
  return texts.length > SHOWN_METRICS ? `${shown} + ${texts.length - SHOWN_METRICS} more...` : shown;
}

/** The cells of an autoscaler. */
export const autoscalerCells = {
  Reference: ({ spec }) => `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`,
  Targets: targetsCell,
  MinPods: ({ spec }) => (spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas)),
  MaxPods: ({ spec }) => spec?.maxReplicas ?? 0,
  Replicas: ({ status }) => status?.currentReplicas ?? 0,
} satisfies Behaviour<autoscalingV2.HorizontalPodAutoscaler>['cells'];
