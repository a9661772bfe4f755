import { inSlices, workOf } from '../../../foundation/index.js';
import { statusSubresource } from '../../../registry/index.js';
import type { admissionregistrationV1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { loadExpressions } from '../shared/expressions.js';
import { sameFields } from '../shared/same-fields.js';
import { ownStatus } from '../shared/status-writes.js';
import { policyErrors, policyStatusErrors } from './validate-policy.js';

/** Text of a cell for a reference that is not set. */
export const UNSET = '<unset>';

function paramKindCell({ paramKind }: admissionregistrationV1.ValidatingAdmissionPolicySpec): string {
  return paramKind === undefined ? UNSET : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
}

/** Policies that validate requests with expressions. */
export const validatingAdmissionPolicy: Behaviour<admissionregistrationV1.ValidatingAdmissionPolicy> = {
  strategy: {
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    load: () => loadExpressions(),
    ...ownStatus(),
    validateNew: ({ metadata, spec = {} }, context) =>
      inSlices(workOf(context), policyErrors(spec, metadata.name ?? '', context, undefined), 'definition'),
    validateChange: ({ metadata, spec = {} }, old, context) =>
      inSlices(workOf(context), policyErrors(spec, metadata.name ?? '', context, old.spec), 'definition'),
  },
  subresources: {
    status: {
      ...statusSubresource.strategy,
      validateUpdate: ({ status = {} }, _old, { work }) => policyStatusErrors(status, work),
    },
  },
  cells: {
    Validations: ({ spec = {} }) => spec.validations?.length ?? 0,
    ParamKind: ({ spec = {} }) => paramKindCell(spec),
  },
};

/** {@link validatingAdmissionPolicy} in the versions v1beta1 and v1alpha1. */
export const olderValidatingAdmissionPolicy: Behaviour<admissionregistrationV1.ValidatingAdmissionPolicy> = {
  ...validatingAdmissionPolicy,
  conversion: sameFields(),
};
