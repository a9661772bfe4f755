import { invalid, required, type FieldError } from '../../../meta/field-error.js';
import { goQuote } from '../../../meta/go-text.js';
import { parseRequestUri } from '../../../meta/go-url.js';
import type { Dialect } from '../../../names/dialect.js';
import type { HubDefinition } from '../hub.js';

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Returns whether definitions in a group need the approval annotation: the domains of built-in kinds are protected. */
export function isProtectedGroup(group: string, { groupSuffix, labelDomain }: Dialect): boolean {
  return [groupSuffix, labelDomain].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

function approvalOf(annotation: string): Approval {
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  const url = parseRequestUri(annotation);
  return typeof url === 'object' && url.host !== '' && url.scheme !== '' ? 'approved' : 'invalid';
}

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
  const { annotation, rules } = dialect.apiApproval;
  const value = annotations[annotation] ?? '';
  const approval = approvalOf(value);
  if (old !== undefined && approvalOf(old.annotations[annotation] ?? '') === approval) return [];
  const path = `metadata.annotations[${annotation}]`;
  const need = `protected groups must have approval annotation ${goQuote(annotation)}`;
  if (approval === 'missing') return [required(path, `${need}, see ${rules}`)];
  if (approval === 'invalid')
    return [invalid(path, value, `${need} with either a URL or a reason starting with "unapproved", see ${rules}`)];
  return [];
}
