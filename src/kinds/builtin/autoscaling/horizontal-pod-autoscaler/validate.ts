import {
  FieldErrorList,
  invalid,
  notSupported,
  required,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { autoscalingV2 } from '../../../types/index.js';
import { countErrors } from '../../shared/scale/replica-status.js';
import { POSITIVE } from '../../shared/validate.js';
import { metricsErrors, referenceErrors } from './validate-metrics.js';

const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const MORE_THAN_ZERO = 'must be greater than zero';

function policyErrors(
  errors: FieldError[],
  path: string,
  { type, value, periodSeconds }: autoscalingV2.HPAScalingPolicy,
): void {
  if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, POLICY_TYPES));
  if (value <= 0) errors.push(invalid(`${path}.value`, value, MORE_THAN_ZERO));
  if (periodSeconds <= 0) errors.push(invalid(`${path}.periodSeconds`, periodSeconds, MORE_THAN_ZERO));
  if (periodSeconds > MAX_PERIOD_SECONDS) {
    const text = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
    errors.push(invalid(`${path}.periodSeconds`, periodSeconds, text));
  }
}

function* rulesErrors(
  errors: FieldErrorList,
  path: string,
  rules: autoscalingV2.HPAScalingRules | undefined,
): Steps<void> {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [] } = rules;
  const windowPath = `${path}.stabilizationWindowSeconds`;
  if (window < 0) errors.push(invalid(windowPath, window, 'must be greater than or equal to zero'));
  if (window > MAX_WINDOW_SECONDS)
    errors.push(invalid(windowPath, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy))
    errors.push(notSupported(`${path}.selectPolicy`, selectPolicy, SELECT_POLICIES));
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'));
  for (const [index, policy] of policies.entries()) {
    if (errors.spend()) yield;
    policyErrors(errors, `${path}.policies[${index}]`, policy);
  }
}

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
  referenceErrors(errors, 'spec.scaleTargetRef', spec.scaleTargetRef);
  yield* metricsErrors(errors, 'spec.metrics', spec, dialect);
  yield* rulesErrors(errors, 'spec.behavior.scaleUp', behavior?.scaleUp);
  yield* rulesErrors(errors, 'spec.behavior.scaleDown', behavior?.scaleDown);
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
