import { goQuote } from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import { NO_OPINION, type Decision } from '../authorizer.js';
import { missingRolesText } from './missing-roles.js';
import type { Grant } from './policy/grant.js';
import type { RbacPolicy } from './policy/policy.js';
import { describeSubject } from './subjects.js';

/** An authorizer without asynchronous work. */
export type SynchronousAuthorizer = (attributes: Attributes) => Decision;

/**
 * Creates the RBAC authorizer. It allows a request that a rule of the user allows, and otherwise has no opinion. The
 * reason of an Allow names binding, role and subject. The reason of a NoOpinion names the missing roles of the user's
 * bindings.
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

/** Returns the decision of a grant. It never changes, so it is created once. */
function decisionOf(grant: Grant): Decision {
  return (grant.decision ??= Object.freeze({ decision: 'Allow', reason: `RBAC: allowed by ${describeGrant(grant)}` }));
}

function describeGrant({ binding: { kind, namespace, name, roleRef }, subject }: Grant): string {
  // Kubernetes writes name and namespace in this order.
  const binding = goQuote(kind === 'RoleBinding' ? `${name}/${namespace}` : name);
  return `${kind} ${binding} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${describeSubject(subject, namespace)}`;
}
