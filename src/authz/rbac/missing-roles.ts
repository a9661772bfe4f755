import { qualified } from '../../meta/api-error.js';
import { goQuote } from '../../meta/go-text.js';
import type { UserBinding } from './policy.js';
import { ROLE_KINDS, unsupportedRoleText } from './role-kinds.js';

/** Roles are called by their singular names where a cache was asked, and by their plural names where the store was. */
export type RoleNaming = 'singular' | 'plural';

/** Missing roles that a text names; whoever has more broken bindings is told about these. */
const MAX_MISSING_ROLES = 100;

/** The words about all roles that bindings refer to and that are not there, each once; undefined when there is none. */
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
