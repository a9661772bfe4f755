/**
 * The approval of definitions in the domains of built-in groups.
 *
 * Source: `GetAPIApprovalState` of Kubernetes 1.31.
 *
 * @module
 */
import { goQuote, parseRequestUri, type Dialect } from '../../../foundation/index.js';

/** The state of an approval. */
export type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Returns whether definitions in a group need the approval annotation: the domains of built-in kinds are protected. */
export function isProtectedGroup(group: string, { groupSuffix, labelDomain }: Dialect): boolean {
  return [groupSuffix, labelDomain].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

/** Returns the state of an approval, and the text that explains it. */
export function approvalState(
  annotations: Readonly<Record<string, string>>,
  { apiApproval: { annotation, rules } }: Dialect,
): { readonly approval: Approval; readonly reason: string } {
  const value = annotations[annotation] ?? '';
  const need = `protected groups must have approval annotation ${goQuote(annotation)}`;
  if (value === '') return { approval: 'missing', reason: `${need}, see ${rules}` };
  if (value.startsWith('unapproved')) return { approval: 'bypassed', reason: `not approved: ${goQuote(value)}` };
  const url = parseRequestUri(value);
  if (typeof url === 'object' && url.host !== '' && url.scheme !== '')
    return { approval: 'approved', reason: `approved in ${value}` };
  return {
    approval: 'invalid',
    reason: `${need} with either a URL or a reason starting with "unapproved", see ${rules}`,
  };
}
