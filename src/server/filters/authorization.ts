import { attributesOf, type Attributes } from '../../authz/attributes.js';
import type { Authorizer, Decision } from '../../authz/authorizer.js';
import { forbiddenError } from '../../authz/forbidden.js';
import type { ApiError } from '../../meta/api-error.js';
import { FieldSelector } from '../../selectors/index.js';
import { selectorAttributes } from '../selector-attributes.js';
import type { Filter, RequestScope } from '../request-scope.js';

/** Verbs that may be narrowed to one name by a field selector. A deletecollection cannot: `resourceNames` do not restrict it. */
const NARROWED_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);

/** A list or watch of `metadata.name=x` is a request on that name. */
function nameFromSelector(scope: RequestScope): void {
  const { info, request } = scope;
  if (info.name !== '' || !NARROWED_VERBS.has(info.verb) || !request.query.includes('fieldSelector')) return;
  try {
    info.name = FieldSelector.parse(scope.query.get('fieldSelector') ?? '').exact('metadata.name') ?? '';
  } catch {
    // The endpoint says what is wrong with it; for the authorizer the request is one on everything.
  }
}

/** Told why a request is refused, since the answer does not say it. */
export type RefusalLog = (refusal: ApiError, decision: Decision) => void;

function refusalOf(attributes: Attributes, decision: Decision, log: RefusalLog): ApiError {
  const refusal = forbiddenError(attributes);
  log(refusal, decision);
  return refusal;
}

/**
 * Asks whether the user may. Refuses with 403.
 *
 * @throws ApiError 403 in the production system's words
 */
export async function requireAllowed(authorize: Authorizer, attributes: Attributes, log: RefusalLog): Promise<void> {
  const decision = await authorize(attributes);
  if (decision.decision !== 'Allow') throw refusalOf(attributes, decision, log);
}

/**
 * Refuses what the user may not do.
 *
 * @param withSelectors whether authorizers are told what a request on a collection is narrowed to
 */
export function authorization(authorize: Authorizer, log: RefusalLog, withSelectors = false): Filter {
  return (next) => async (scope) => {
    nameFromSelector(scope);
    const plain = attributesOf(scope.info, scope.user);
    const attributes = withSelectors && scope.info.isResource ? { ...plain, ...selectorAttributes(scope.info.verb, scope.query) } : plain;
    const answer = authorize(attributes);
    const decision = answer instanceof Promise ? await answer : answer;
    if (decision.decision !== 'Allow') throw refusalOf(attributes, decision, log);
    return next(scope);
  };
}
