import { FieldErrorList, invalid, resultOf, type FieldError, type Steps } from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { autoscalingV2 } from '../../../types/index.js';
import { allOf, atLeast, atMost, each, fields, mandatory, oneOf } from '../../shared/field-rules.js';
import { countErrors } from '../../shared/scale/replica-status.js';
import { POSITIVE } from '../../shared/validate.js';
import { metricsErrors, referenceRules } from './validate-metrics.js';

const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;
const aboveZero = atLeast(1, 'must be greater than zero');

const scalingRules = fields<autoscalingV2.HPAScalingRules>({
  stabilizationWindowSeconds: allOf(atLeast(0, 'must be greater than or equal to zero'), atMost(MAX_WINDOW_SECONDS)),
  selectPolicy: oneOf(['Disabled', 'Max', 'Min']),
  policies: mandatory(
    'must specify at least one Policy',
    each(
      fields<autoscalingV2.HPAScalingPolicy>({
        type: oneOf(['Percent', 'Pods']),
        value: aboveZero,
        periodSeconds: allOf(aboveZero, atMost(MAX_PERIOD_SECONDS)),
      }),
    ),
  ),
});
const behaviorRules = fields<autoscalingV2.HorizontalPodAutoscalerBehavior>({
  scaleUp: scalingRules,
  scaleDown: scalingRules,
});

/** Returns the errors of the spec of an autoscaler. `old` is the previous spec; undefined for a new autoscaler. */
export function* validateAutoscalerSpec(
  spec: autoscalingV2.HorizontalPodAutoscalerSpec,
  old: autoscalingV2.HorizontalPodAutoscalerSpec | undefined,
  { featureGates, dialect, work }: RequestContext,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { minReplicas, maxReplicas, behavior } = spec;
  const lowest = featureGates.enabled('HPAScaleToZero') || old?.minReplicas === 0 ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < lowest)
    errors.push(invalid('spec.minReplicas', minReplicas, `must be greater than or equal to ${lowest}`));
  if (maxReplicas < 1) errors.push(invalid('spec.maxReplicas', maxReplicas, POSITIVE));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  yield* resultOf(referenceRules(errors, 'spec.scaleTargetRef', spec.scaleTargetRef));
  yield* metricsErrors(errors, 'spec.metrics', spec, dialect);
  yield* resultOf(behaviorRules(errors, 'spec.behavior', behavior));
  return errors;
}

/** Returns the errors of the status of an autoscaler. */
export function validateAutoscalerStatus({
  currentReplicas,
  desiredReplicas,
}: autoscalingV2.HorizontalPodAutoscalerStatus): FieldError[] {
  const errors = new FieldErrorList();
  countErrors(errors, { currentReplicas, desiredReplicas });
  return errors;
}
