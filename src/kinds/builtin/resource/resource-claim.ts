import { equalValueSteps, FieldErrorList, resultOf } from '../../../foundation/index.js';
import { statusSubresource, type RequestContext, type Unvalidated } from '../../../registry/index.js';
import type { resourceV1alpha3 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { loadExpressions } from '../shared/expressions.js';
import { ownStatus } from '../shared/status-writes.js';
import { immutableFieldSteps } from '../shared/validate.js';
import { DeviceExpressions, hasSelectors } from './device-expressions.js';
import { claimStatusErrors } from './validate-claim-status.js';
import { requestNames, setRequestDefaults, validateClaimSpec } from './validate-claim.js';

type Claim = StoredKind<resourceV1alpha3.ResourceClaim>;

/** Drops the fields of drivers with a controller while the feature is disabled, unless the old object has them. */
function dropControllerFields(
  { spec, status }: Unvalidated<Claim>,
  { featureGates }: RequestContext,
  old?: Claim,
): void {
  if (featureGates.enabled('DRAControlPlaneController')) return;
  if (spec !== undefined && !old?.spec.controller) delete spec.controller;
  if (status === undefined) return;
  if (old?.status?.deallocationRequested !== true) delete status.deallocationRequested;
  if (status.allocation !== undefined && !old?.status?.allocation?.controller) delete status.allocation.controller;
}

function stateCell({ metadata, status = {} }: Claim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isAllocated = status.allocation !== undefined;
  return [
    ...(isDeleted ? ['deleted'] : []),
    ...(isAllocated ? ['allocated'] : isDeleted ? [] : ['pending']),
    ...(isAllocated && (status.reservedFor ?? []).length > 0 ? ['reserved'] : []),
  ].join(',');
}

const { prepareForCreate, prepareForUpdate } = ownStatus<Claim>();

/** Claims of devices. */
export const resourceClaim: Behaviour<resourceV1alpha3.ResourceClaim> = {
  strategy: {
    load: ({ spec }) => (hasSelectors(spec?.devices?.requests) ? loadExpressions() : undefined),
    defaults: ({ spec }) => setRequestDefaults(spec),
    *prepareForCreate(claim, context) {
      yield* resultOf(prepareForCreate(claim, context));
      dropControllerFields(claim, context);
    },
    *prepareForUpdate(claim, old, context) {
      yield* resultOf(prepareForUpdate(claim, old, context));
      dropControllerFields(claim, context, old);
    },
    *validate({ spec }, { dialect, work }, old) {
      const errors = new FieldErrorList(work);
      // An unchanged spec was valid when it was created.
      if (old === undefined || !(yield* equalValueSteps(spec, old.spec, work)))
        yield* validateClaimSpec(errors, 'spec', spec, new DeviceExpressions(dialect));
      return errors;
    },
    *validateUpdate({ spec }, old, { work }) {
      const errors = new FieldErrorList(work);
      yield* immutableFieldSteps(errors, 'spec', spec, old.spec);
      return errors;
    },
  },
  subresources: {
    status: {
      *prepareForUpdate(claim, old, context) {
        yield* resultOf(statusSubresource.strategy.prepareForUpdate(claim, old, context));
        dropControllerFields(claim, context, old);
      },
      validateUpdate: ({ metadata, spec, status = {} }, old, { work }) =>
        claimStatusErrors(
          status,
          old.status ?? {},
          {
            names: requestNames(spec),
            isDeleted: metadata.deletionTimestamp !== undefined,
          },
          work,
        ),
    },
  },
  cells: { State: stateCell },
};
