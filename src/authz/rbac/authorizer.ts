import { goQuote } from '../../meta/go-text.js';
import type { Attributes } from '../attributes.js';
import { NO_OPINION, type Decision } from '../authorizer.js';
import type { Grant } from './grant.js';
import { missingRolesText } from './missing-roles.js';
import type { RbacPolicy } from './policy.js';
import { describeSubject } from './subjects.js';

/** An authorizer that never has to wait. */
export type SynchronousAuthorizer = (attributes: Attributes) => Decision;

/**
 * Decides by roles and bindings: allows what a rule of the user allows, and has no opinion otherwise. An allowed request's
 * reason names binding, role and subject; without an opinion the reason names the roles that bindings of the user refer to
 * and that are not there.
 */
export function createRbacAuthorizer(policy: RbacPolicy): SynchronousAuthorizer {
  return (attributes) => {
    const { user, namespace } = attributes;
    const found = policy.find(user, namespace, attributes);
    if (found !== undefined) return decisionOf(found.binding.firstGrant(found, user));
    if (!policy.hasBroken(user, namespace)) return NO_OPINION;
    return { decision: 'NoOpinion', reason: `RBAC: ${missingRolesText(policy.bindingsOf(user, namespace)) ?? ''}` };
  };
}

/** The decision that a grant leads to: always the same, so it is made once. */
function decisionOf(grant: Grant): Decision {
  return (grant.decision ??= Object.freeze({ decision: 'Allow', reason: `RBAC: allowed by ${describeGrant(grant)}` }));
}

function describeGrant({ binding: { kind, namespace, name, roleRef }, subject }: Grant): string {
  // Production has name and namespace in this order.
  const binding = goQuote(kind === 'RoleBinding' ? `${name}/${namespace}` : name);
  return `${kind} ${binding} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${describeSubject(subject, namespace)}`;
}
