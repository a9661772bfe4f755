import type { Dialect } from '../../foundation/index.js';
import { approvalState, isProtectedGroup } from '../../kinds/index.js';
import type { Condition, Definition } from './definition.js';

/** Status and reason of the condition, by approval. */
const CONDITIONS = {
  invalid: { status: 'False', reason: 'InvalidAnnotation' },
  missing: { status: 'False', reason: 'MissingAnnotation' },
  approved: { status: 'True', reason: 'ApprovedAnnotation' },
  bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
} as const;

/**
 * Returns the condition that says whether a definition in a protected group is approved; undefined in other groups.
 *
 * Source: Kubernetes' `KubernetesAPIApprovalPolicyConformantConditionController`.
 */
export function approvalCondition({ metadata, spec }: Definition, dialect: Dialect): Condition | undefined {
  if (!isProtectedGroup(spec.group, dialect)) return undefined;
  const { approval, reason } = approvalState(metadata.annotations ?? {}, dialect);
  return { type: dialect.apiApproval.condition, ...CONDITIONS[approval], message: reason };
}
