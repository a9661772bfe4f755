import { attributesOf, type Attributes } from '../../authz/attributes.js';
import type { Authorizer, Decision } from '../../authz/authorizer.js';
import { forbiddenError } from '../../authz/forbidden.js';
import type { ApiError } from '../../meta/api-error.js';
import { parseListOptions } from '../endpoints/options.js';
import { segmentProblem } from '../request-info.js';
import type { Filter, RequestScope } from '../request-scope.js';
import { selectorAttributes } from '../selector-attributes.js';

/** Verbs that may be narrowed to one name by a field selector. A deletecollection cannot: `resourceNames` do not restrict it. */
const NARROWED_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * A list or watch of `metadata.name=x` is a request on that name, as in Kubernetes: not where the path has the verb in it, nor
 * where an option of the list cannot be read, nor for a name that a path could not have.
 */
function nameFromSelector(scope: RequestScope): void {
  const { info, request } = scope;
  if (info.name !== '' || info.verbViaPathPrefix || !NARROWED_VERBS.has(info.verb)) return;
  // An encoded letter could hide the word.
  if (!request.query.includes('fieldSelector') && !request.query.includes('%')) return;
  try {
    const name = parseListOptions(scope.query).fieldSelector?.exact('metadata.name') ?? '';
    if (segmentProblem(name) === '') info.name = name;
  } catch {
    // The endpoint says what is wrong; for the authorizer the request is one on everything.
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
    const attributes =
      withSelectors && scope.info.isResource ? { ...plain, ...selectorAttributes(scope.info, scope.query) } : plain;
    const answer = authorize(attributes);
    const decision = answer instanceof Promise ? await answer : answer;
    if (decision.decision !== 'Allow') throw refusalOf(attributes, decision, log);
    return next(scope);
  };
}
