import * as z from 'zod';
import { forbidden, invalid, type FieldError } from '../../meta/field-error.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import type { RequestContext } from '../../registry/context.js';
import type { Strategy } from '../../registry/strategy.js';
import { alwaysStruct, goNamed, int32, optional, microTime, struct } from '../../schema/vocabulary.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import { once } from '../shared/once.js';
import { nonNegative, POSITIVE } from '../shared/validate.js';
import { validateStrategy } from './validate-strategy.js';

const leaseSchema = once(() =>
  struct('Lease', {
    spec: alwaysStruct(
      2,
      struct('LeaseSpec', {
        holderIdentity: optional(1, z.string(), {
          description: 'Holder of the lease; empty or absent when it is free.',
        }),
        leaseDurationSeconds: optional(2, int32(), {
          description: 'Seconds after renewTime before others may take the lease.',
        }),
        acquireTime: optional(3, microTime(), { description: 'Time when the holder took the lease.' }),
        renewTime: optional(4, microTime(), { description: 'Time when the holder last renewed the lease.' }),
        leaseTransitions: optional(5, int32(), { description: 'Number of changes of the holder.' }),
        strategy: optional(6, goNamed('v1.CoordinatedLeaseStrategy', z.string()), {
          description: 'Strategy of coordinated leader election. Alpha.',
        }),
        preferredHolder: optional(7, z.string(), {
          description: 'Preferred next holder of the lease. Alpha.',
        }),
      }),
    ),
  }),
);

type LeaseFields = z.output<ReturnType<typeof leaseSchema>>;

/** Drops the fields of coordinated leader election while it is disabled, unless the old object has them. */
function dropAlphaFields(object: ApiObject, { featureGates }: RequestContext, old?: StoredObject): void {
  if (featureGates.enabled('CoordinatedLeaderElection')) return;
  const { spec } = object as ApiObject & LeaseFields;
  const previous = (old as (StoredObject & LeaseFields) | undefined)?.spec;
  if (spec === undefined || previous?.strategy !== undefined || previous?.preferredHolder !== undefined) return;
  delete spec.strategy;
  delete spec.preferredHolder;
}

function validate(object: StoredObject): FieldError[] {
  const { spec = {} } = object as StoredObject & LeaseFields;
  const errors: FieldError[] = [];
  const { leaseDurationSeconds: duration } = spec;
  if (duration !== undefined && duration <= 0) errors.push(invalid('spec.leaseDurationSeconds', duration, POSITIVE));
  nonNegative(errors, 'spec.leaseTransitions', spec.leaseTransitions);
  if (spec.strategy !== undefined) validateStrategy(errors, 'spec.strategy', spec.strategy);
  if (spec.preferredHolder && !spec.strategy) {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  }
  return errors;
}

const strategy: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (object, context) => dropAlphaFields(object, context),
  prepareForUpdate: (object, old, context) => dropAlphaFields(object, context, old),
  validate,
};

/** A lease that its holder must renew: for heartbeats and leader election. */
export const Lease = defineResource({
  group: systemGroup('coordination'),
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.14' },
  description: 'A lease that its holder must renew, for heartbeats and leader election.',
  schema: leaseSchema,
  strategy,
  columns: [
    nameColumn,
    textColumn(
      'Holder',
      'Holder of the lease.',
      (object) => (object as StoredObject & LeaseFields).spec?.holderIdentity ?? '',
    ),
    ageColumn,
  ],
});
