import { frozenUser } from '../../foundation/index.js';
import { withRules, type Attributes, type Authorizer, type SelectorRequirement } from '../../security/index.js';

/** Returns an authorizer of the server's owner as the server asks it: it gets attributes of its own. */
export function ownersAuthorizer(own: Authorizer): Authorizer {
  const decide: Authorizer = (attributes) => own(copied(attributes));
  const { rulesFor } = own;
  return rulesFor === undefined
    ? decide
    : withRules(decide, (user, namespace) => rulesFor.call(own, frozenUser(user), namespace));
}

function copied({ labelSelector, fieldSelector, user, ...rest }: Attributes): Attributes {
  return {
    ...rest,
    user: frozenUser(user),
    ...(labelSelector === undefined ? {} : { labelSelector: requirements(labelSelector) }),
    ...(fieldSelector === undefined ? {} : { fieldSelector: requirements(fieldSelector) }),
  };
}

const requirements = (selector: readonly SelectorRequirement[]): SelectorRequirement[] =>
  selector.map(({ key, operator, values }) => ({ key, operator, values: [...values] }));
