import {
  FieldErrorList,
  invalid,
  notSupported,
  pathSegment,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { NamedObject, Strategy, SubresourceStrategy } from '../../../registry/index.js';
import type { policyV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { atMostAll, intOrPercentErrors, type IntOrPercent } from '../shared/scale/int-or-percent.js';
import { countErrors } from '../shared/scale/replica-status.js';
import { selectorErrors } from '../shared/selectors/label-selectors.js';
import { countSpecChange, specOf } from '../shared/spec.js';
import { validateConditions } from '../shared/validate-conditions.js';

type StoredBudget = StoredKind<policyV1.PodDisruptionBudget>;

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const NEW_STATUS: policyV1.PodDisruptionBudgetStatus = Object.freeze({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
});

// Strategies receive only objects that the schema of the kind has decoded.
const budgetOf = (object: NamedObject): StoredBudget => object;

function shareErrors(errors: FieldError[], path: string, share: IntOrPercent | undefined): void {
  if (share === undefined) return;
  intOrPercentErrors(errors, path, share);
  atMostAll(errors, path, share);
}

function* validateSpec(spec: policyV1.PodDisruptionBudgetSpec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.push(invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  shareErrors(errors, 'spec.minAvailable', minAvailable);
  shareErrors(errors, 'spec.maxUnavailable', maxUnavailable);
  yield* selectorErrors(errors, 'spec.selector', selector);
  if (unhealthyPodEvictionPolicy !== undefined && !EVICTION_POLICIES.includes(unhealthyPodEvictionPolicy))
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, EVICTION_POLICIES));
  return errors;
}

function* validateStatus(status: policyV1.PodDisruptionBudgetStatus, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { conditions = [], disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status;
  yield* validateConditions(
    errors,
    'status.conditions',
    conditions.map((condition) => ({ ...condition, time: condition.lastTransitionTime })),
  );
  countErrors(errors, { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods });
  return errors;
}

const strategy: Strategy<StoredBudget> = {
  // The release does not require more of these names.
  nameRule: pathSegment,
  allowUnconditionalUpdate: false,
  prepareForCreate(object, { featureGates }) {
    const budget = budgetOf(object);
    budget.status = { ...NEW_STATUS };
    budget.metadata.generation = 1;
    if (!featureGates.enabled('PDBUnhealthyPodEvictionPolicy')) delete specOf(budget).unhealthyPodEvictionPolicy;
  },
  *prepareForUpdate(object, old, context) {
    const { featureGates } = context;
    const budget = budgetOf(object);
    budget.status = old.status;
    if (old.spec?.unhealthyPodEvictionPolicy === undefined && !featureGates.enabled('PDBUnhealthyPodEvictionPolicy'))
      delete specOf(budget).unhealthyPodEvictionPolicy;
    yield* countSpecChange(budget, old, context);
  },
  validate: (object, { work }, old) => (old === undefined ? validateSpec(specOf(object), work) : []),
  validateUpdate: (object, _old, { work }) => validateSpec(specOf(object), work),
};

const status: SubresourceStrategy<StoredBudget> = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    budgetOf(object).spec = old.spec;
  },
  validateUpdate: ({ status = NEW_STATUS }, _old, { work }) => validateStatus(status, work),
};

const shareCell = (share: IntOrPercent | undefined): string => (share === undefined ? 'N/A' : String(share));

/** The behaviour of PodDisruptionBudgets. */
export const podDisruptionBudgetBehaviour: Behaviour<policyV1.PodDisruptionBudget> = {
  strategy,
  subresources: { status },
  cells: {
    'Min Available': ({ spec }) => shareCell(spec?.minAvailable),
    'Max Unavailable': ({ spec }) => shareCell(spec?.maxUnavailable),
    'Allowed Disruptions': ({ status }) => status?.disruptionsAllowed ?? 0,
  },
};
