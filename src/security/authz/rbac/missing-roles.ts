import { goQuote, qualified } from '../../../foundation/index.js';
import type { UserBinding } from './policy/policy.js';
import { ROLE_KINDS, unsupportedRoleText } from './role-kinds.js';

/** Messages use singular names where Kubernetes reads a cache, and plural names where it reads the store. */
export type RoleNaming = 'singular' | 'plural';

/** Maximum number of missing roles in a message. */
const MAX_MISSING_ROLES = 100;

/** Returns the message about the missing roles of bindings, each once; undefined when no role is missing. */
export function missingRolesText(
  bindings: readonly UserBinding[],
  naming: RoleNaming = 'singular',
): string | undefined {
  const texts = new Set<string>();
  for (const { rules, roleRef } of bindings) {
    if (rules !== undefined || texts.size === MAX_MISSING_ROLES) continue;
    const names = ROLE_KINDS.get(roleRef.kind);
    texts.add(
      names === undefined
        ? unsupportedRoleText(roleRef.kind)
        : `${qualified(names[naming], roleRef.apiGroup)} ${goQuote(roleRef.name)} not found`,
    );
  }
  const [first] = texts;
  return texts.size > 1 ? `[${[...texts].join(', ')}]` : first;
}
