import { invalid, required, type Dialect, type FieldError } from '../../../../foundation/index.js';
import { approvalState, isProtectedGroup } from '../approval.js';
import type { HubDefinition } from '../hub.js';

/**
 * Checks the approval of a definition in a protected group. A state that a change leaves as it was is not checked.
 *
 * Source: `validateAPIApproval` of Kubernetes 1.31.
 */
export function approvalErrors(
  { spec, annotations }: HubDefinition,
  old: HubDefinition | undefined,
  dialect: Dialect,
): FieldError[] {
  if (!isProtectedGroup(spec.group, dialect)) return [];
  const { approval, reason } = approvalState(annotations, dialect);
  if (old !== undefined && approvalState(old.annotations, dialect).approval === approval) return [];
  const { annotation } = dialect.apiApproval;
  const path = `metadata.annotations[${annotation}]`;
  if (approval === 'missing') return [required(path, reason)];
  if (approval === 'invalid') return [invalid(path, annotations[annotation] ?? '', reason)];
  return [];
}
