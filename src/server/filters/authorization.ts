import { attributesOf, forbiddenError, type Attributes, type Authorizer } from '../../authz/index.js';
import { FieldSelector } from '../../selectors/index.js';
import type { Filter, RequestScope } from '../request-scope.js';

/** Verbs that may be narrowed to one name by a field selector. */
const COLLECTION_VERBS: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** A list or watch of `metadata.name=x` is a request on that name. */
function nameFromSelector(scope: RequestScope): void {
  const { info, request } = scope;
  if (info.name !== '' || !COLLECTION_VERBS.has(info.verb) || !request.query.includes('fieldSelector')) return;
  try {
    info.name = FieldSelector.parse(scope.query.get('fieldSelector') ?? '').exact('metadata.name') ?? '';
  } catch {
    // The endpoint says what is wrong with it; for the authorizer the request is one on everything.
  }
}

/**
 * Asks whether the user may. Refuses with 403.
 *
 * @throws ApiError 403 in the production system's words
 */
export async function requireAllowed(authorize: Authorizer, attributes: Attributes): Promise<void> {
  const { decision, reason } = await authorize(attributes);
  if (decision !== 'Allow') throw forbiddenError(attributes, reason);
}

/** Refuses what the user may not do. */
export function authorization(authorize: Authorizer): Filter {
  return (next) => async (scope) => {
    nameFromSelector(scope);
    const attributes = attributesOf(scope.info, scope.user);
    const answer = authorize(attributes);
    const { decision, reason } = answer instanceof Promise ? await answer : answer;
    if (decision !== 'Allow') throw forbiddenError(attributes, reason);
    return next(scope);
  };
}
