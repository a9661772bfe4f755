import { FieldErrorList, forbidden, invalid, type FieldError } from '../../../foundation/index.js';
import type { Unvalidated } from '../../../registry/index.js';
import type { coordinationV1 } from '../../types/index.js';
import type { StoredKind } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';
import { nonNegative, POSITIVE } from '../shared/validate.js';
import { validateStrategy } from './validate-strategy.js';

type LeaseObject = StoredKind<coordinationV1.Lease>;

/** Drops the fields of coordinated leader election while the feature is disabled, unless the old object has them. */
function dropAlphaFields({ spec }: Unvalidated<LeaseObject>, enabled: boolean, old?: LeaseObject['spec']): void {
  if (enabled || spec === undefined || old?.strategy !== undefined || old?.preferredHolder !== undefined) return;
  delete spec.strategy;
  delete spec.preferredHolder;
}

function validate({ spec = {} }: LeaseObject): FieldError[] {
  const errors = new FieldErrorList();
  const { leaseDurationSeconds: duration } = spec;
  if (duration !== undefined && duration <= 0) errors.push(invalid('spec.leaseDurationSeconds', duration, POSITIVE));
  nonNegative(errors, 'spec.leaseTransitions', spec.leaseTransitions);
  if (spec.strategy !== undefined) validateStrategy(errors, 'spec.strategy', spec.strategy);
  if (spec.preferredHolder && !spec.strategy) {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  }
  return errors;
}

const GATE = 'CoordinatedLeaderElection';

/** A lease that its holder must renew: for heartbeats and leader election. */
export const Lease = builtinKind<coordinationV1.Lease>('coordination.v1.Lease', {
  behaviour: {
    strategy: {
      allowCreateOnUpdate: true,
      allowUnconditionalUpdate: false,
      prepareForCreate: (object, { featureGates }) => dropAlphaFields(object, featureGates.enabled(GATE)),
      prepareForUpdate: (object, old, { featureGates }) =>
        dropAlphaFields(object, featureGates.enabled(GATE), old.spec),
      validate,
    },
    cells: { Holder: ({ spec }) => spec?.holderIdentity ?? '' },
  },
});

/** An object of the kind {@link Lease}. */
export type Lease = coordinationV1.Lease;
