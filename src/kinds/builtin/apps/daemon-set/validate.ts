import {
  appendErrors,
  FieldErrorList,
  goQuote,
  invalid,
  notSupported,
  required,
  VerbatimValue,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { appsV1 } from '../../../types/index.js';
import { validatePodTemplate } from '../../core/pod/template.js';
import { shownIntOrString, shownLabels, shownSelector } from '../../shared/go/shown-values.js';
import { atMostAll, intOrPercentErrors, numberOf } from '../../shared/scale/int-or-percent.js';
import { collisionsGrow, countErrors } from '../../shared/scale/replica-status.js';
import { selects, isEmptySelector, selectorErrors } from '../../shared/selectors/label-selectors.js';
import { nonNegative } from '../../shared/validate.js';
import { endlessPodErrors, NO_MATCH } from '../replica-template.js';

const STRATEGIES = ['RollingUpdate', 'OnDelete'];

function rollingUpdateErrors(
  errors: FieldError[],
  path: string,
  { maxUnavailable = 0, maxSurge = 0 }: appsV1.RollingUpdateDaemonSet,
): void {
  intOrPercentErrors(errors, `${path}.maxUnavailable`, maxUnavailable);
  intOrPercentErrors(errors, `${path}.maxSurge`, maxSurge);
  atMostAll(errors, `${path}.maxUnavailable`, maxUnavailable);
  atMostAll(errors, `${path}.maxSurge`, maxSurge);
  const takesDown = numberOf(maxUnavailable) !== 0;
  const adds = numberOf(maxSurge) !== 0;
  if (takesDown && adds) {
    const text = 'may not be set when maxUnavailable is non-zero';
    errors.push(invalid(`${path}.maxSurge`, shownIntOrString(maxSurge), text));
  } else if (!takesDown && !adds) errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
}

/** Returns an unsupported strategy as Kubernetes shows it, except that it shows the address of a set rollingUpdate. */
const shownStrategy = ({ type = '', rollingUpdate }: appsV1.DaemonSetUpdateStrategy): unknown =>
  rollingUpdate === undefined
    ? new VerbatimValue(
        `apps.DaemonSetUpdateStrategy{Type:${goQuote(type)}, RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}`,
      )
    : { type, rollingUpdate };

function strategyErrors(errors: FieldError[], strategy: appsV1.DaemonSetUpdateStrategy): void {
  const path = 'spec.updateStrategy';
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') return void errors.push(notSupported(path, shownStrategy(strategy), STRATEGIES));
  if (rollingUpdate === undefined) return void errors.push(required(`${path}.rollingUpdate`));
  rollingUpdateErrors(errors, `${path}.rollingUpdate`, rollingUpdate);
}

/** Returns the errors of the spec of a DaemonSet. */
export function* validateDaemonSetSpec(spec: appsV1.DaemonSetSpec, context: RequestContext): Steps<FieldErrorList> {
  const errors = new FieldErrorList(context.work);
  const { template, updateStrategy = {}, minReadySeconds, revisionHistoryLimit } = spec;
  // The schema does not require it.
  const selector: appsV1.DaemonSetSpec['selector'] | undefined = spec.selector;
  yield* selectorErrors(errors, 'spec.selector', selector);
  const labels = template.metadata?.labels;
  if ((yield* selects(selector, labels, errors.work)) === false)
    errors.push(invalid('spec.template.metadata.labels', shownLabels(labels), NO_MATCH));
  if (selector !== undefined && isEmptySelector(selector))
    errors.push(invalid('spec.selector', shownSelector(selector), 'empty selector is invalid for daemonset'));
  appendErrors(errors, yield* validatePodTemplate('spec.template', template, context));
  endlessPodErrors(errors, template, 'DaemonSet');
  nonNegative(errors, 'spec.minReadySeconds', minReadySeconds);
  strategyErrors(errors, updateStrategy);
  nonNegative(errors, 'spec.revisionHistoryLimit', revisionHistoryLimit);
  return errors;
}

/** Returns the errors of a change of the status of a DaemonSet. */
export function validateDaemonSetStatus(status: appsV1.DaemonSetStatus, old: appsV1.DaemonSetStatus): FieldError[] {
  const errors = new FieldErrorList();
  const { currentNumberScheduled, numberMisscheduled, desiredNumberScheduled, numberReady } = status;
  const { observedGeneration, updatedNumberScheduled, numberAvailable, numberUnavailable, collisionCount } = status;
  countErrors(errors, { currentNumberScheduled, numberMisscheduled, desiredNumberScheduled, numberReady });
  countErrors(errors, { observedGeneration, updatedNumberScheduled, numberAvailable, numberUnavailable });
  countErrors(errors, { collisionCount });
  collisionsGrow(errors, collisionCount, old.collisionCount);
  return errors;
}
