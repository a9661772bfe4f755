import {
  compareText,
  FieldErrorList,
  joinedSteps,
  keysInSteps,
  sortedSteps,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { validateAmounts, validateQuotaSpec, validateScopeChange } from './validate.js';

type Quota = StoredKind<coreV1.ResourceQuota>;

const strategy: Strategy<Quota> = {
  prepareForCreate(quota) {
    quota.status = {};
  },
  prepareForUpdate(quota, old) {
    quota.status = old.status;
  },
  *validate({ spec = {} }, { dialect, work }) {
    const errors = new FieldErrorList(work);
    yield* validateQuotaSpec(errors, spec, dialect);
    return errors;
  },
  validateUpdate({ spec = {} }, old) {
    const errors = new FieldErrorList();
    validateScopeChange(errors, spec, old.spec ?? {});
    return errors;
  },
};

const statusStrategy: SubresourceStrategy<Quota> = {
  resetFields: [['spec']],
  prepareForUpdate(quota, old) {
    quota.spec = old.spec;
  },
  *validateUpdate({ status = {} }, _old, { dialect, work }) {
    const errors = new FieldErrorList(work);
    yield* validateAmounts(errors, 'status.hard', status.hard, dialect);
    yield* validateAmounts(errors, 'status.used', status.used, dialect);
    return errors;
  },
};

/** Returns the used and hard amounts of the limits of resources, or of all others, as tables print them. */
function* amountsText({ status = {} }: Quota, limits: boolean, work: Work): Steps<string> {
  const { hard = {}, used = {} } = status;
  const names = (yield* keysInSteps(hard, work)).filter((name) => name.startsWith('limits.') === limits);
  const text = (name: string): string => `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`;
  return yield* joinedSteps(yield* sortedSteps(names, compareText, work), text, ', ', work);
}

/** The behaviour of ResourceQuotas: a controller calculates the status; admission enforces the limits. */
export const resourceQuotaBehaviour: Behaviour<coreV1.ResourceQuota> = {
  strategy,
  subresources: { status: statusStrategy },
  cells: {
    Request: (quota, work) => amountsText(quota, false, work),
    Limit: (quota, work) => amountsText(quota, true, work),
  },
};
