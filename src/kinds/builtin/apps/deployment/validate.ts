import {
  FieldErrorList,
  forbidden,
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
import { shownIntOrString } from '../../shared/go/shown-values.js';
import { atMostAll, intOrPercentErrors, numberOf } from '../../shared/scale/int-or-percent.js';
import { atMostReplicas, availableAreReady, collisionsGrow, countErrors } from '../../shared/scale/replica-status.js';
import { nonNegative } from '../../shared/validate.js';
import { replicaTemplateErrors } from '../replica-template.js';

const STRATEGIES = ['Recreate', 'RollingUpdate'];

function rollingUpdateErrors(
  errors: FieldError[],
  path: string,
  { maxUnavailable = 0, maxSurge = 0 }: appsV1.RollingUpdateDeployment,
): void {
  intOrPercentErrors(errors, `${path}.maxUnavailable`, maxUnavailable);
  intOrPercentErrors(errors, `${path}.maxSurge`, maxSurge);
  if (numberOf(maxUnavailable) === 0 && numberOf(maxSurge) === 0) {
    const text = 'may not be 0 when `maxSurge` is 0';
    errors.push(invalid(`${path}.maxUnavailable`, shownIntOrString(maxUnavailable), text));
  }
  atMostAll(errors, `${path}.maxUnavailable`, maxUnavailable);
}

/** Returns an unsupported strategy as Kubernetes shows it, except that it shows the address of a set rollingUpdate. */
const shownStrategy = ({ type = '', rollingUpdate }: appsV1.DeploymentStrategy): unknown =>
  rollingUpdate === undefined
    ? new VerbatimValue(
        `apps.DeploymentStrategy{Type:${goQuote(type)}, RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}`,
      )
    : { type, rollingUpdate };

function strategyErrors(errors: FieldError[], strategy: appsV1.DeploymentStrategy): void {
  const path = 'spec.strategy';
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined)
      errors.push(forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type !== 'RollingUpdate') {
    errors.push(notSupported(path, shownStrategy(strategy), STRATEGIES));
  } else if (rollingUpdate === undefined) {
    errors.push(required(`${path}.rollingUpdate`, 'this should be defaulted and never be nil'));
  } else rollingUpdateErrors(errors, `${path}.rollingUpdate`, rollingUpdate);
}

/** Returns the errors of the spec of a Deployment. */
export function* validateDeploymentSpec(spec: appsV1.DeploymentSpec, context: RequestContext): Steps<FieldErrorList> {
  const errors = new FieldErrorList(context.work);
  const { replicas, strategy = {}, minReadySeconds = 0, revisionHistoryLimit, progressDeadlineSeconds } = spec;
  nonNegative(errors, 'spec.replicas', replicas);
  yield* replicaTemplateErrors(errors, spec, context);
  strategyErrors(errors, strategy);
  nonNegative(errors, 'spec.minReadySeconds', minReadySeconds);
  nonNegative(errors, 'spec.revisionHistoryLimit', revisionHistoryLimit);
  nonNegative(errors, 'spec.progressDeadlineSeconds', progressDeadlineSeconds);
  if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds)
    errors.push(
      invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds'),
    );
  return errors;
}

/** Returns the errors of a change of the status of a Deployment. */
export function validateDeploymentStatus(status: appsV1.DeploymentStatus, old: appsV1.DeploymentStatus): FieldError[] {
  const errors = new FieldErrorList();
  const { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas } = status;
  const { unavailableReplicas, collisionCount } = status;
  countErrors(errors, { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas });
  countErrors(errors, { unavailableReplicas, collisionCount });
  atMostReplicas(errors, replicas, { updatedReplicas, readyReplicas, availableReplicas });
  availableAreReady(errors, status);
  collisionsGrow(errors, collisionCount, old.collisionCount);
  return errors;
}
