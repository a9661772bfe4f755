import type { autoscalingV2 } from '../../../types/index.js';

/** Wanted use of the requested CPU when an autoscaler names no metric, in percent. */
export const DEFAULT_CPU_PERCENT = 80;

const PERIOD_SECONDS = 15;

type Rules = autoscalingV2.HPAScalingRules;

const scaleUpRules = (): Rules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: PERIOD_SECONDS },
    { type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS },
  ],
});

// The controller decides the window for scaling down.
const scaleDownRules = (): Rules => ({
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS }],
});

/** Returns rules with the fields that are set, and the others from `fallback`. */
function completed(rules: Rules = {}, fallback: Rules): Rules {
  const stabilizationWindowSeconds = rules.stabilizationWindowSeconds ?? fallback.stabilizationWindowSeconds;
  return {
    ...(stabilizationWindowSeconds === undefined ? {} : { stabilizationWindowSeconds }),
    selectPolicy: rules.selectPolicy ?? fallback.selectPolicy,
    policies: rules.policies ?? fallback.policies,
  };
}

/** Returns the metric of an autoscaler that names none. */
export const cpuMetric = (averageUtilization: number): autoscalingV2.MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

/** Sets the defaults of an autoscaler. */
export function defaultAutoscaler(spec: autoscalingV2.HorizontalPodAutoscalerSpec): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric(DEFAULT_CPU_PERCENT)];
  const { behavior } = spec;
  if (behavior === undefined) return;
  behavior.scaleUp = completed(behavior.scaleUp, scaleUpRules());
  behavior.scaleDown = completed(behavior.scaleDown, scaleDownRules());
}
