import { errors, nextTurn, untilAborted, type ApiError, type Clock } from '../../foundation/index.js';
import {
  attributesOf,
  forbiddenError,
  type Attributes,
  type Authorizer,
  type Decision,
  type RequestAudit,
} from '../../security/index.js';
import type { AccessMeter } from '../metrics/access-metrics.js';
import { selectorAttributes } from '../operations/selector-attributes.js';
import { segmentProblem } from '../requests/request-info.js';
import type { Filter, RequestScope } from '../requests/request-scope.js';

/**
 * Verbs that a field selector can restrict to one name. A deletecollection is not one of them: `resourceNames` do not
 * restrict it.
 */
const NARROWED_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Treats a list or watch of `metadata.name=x` as a request on that name, as Kubernetes does; except when the path
 * contains the verb, a list option is invalid, or a path could not contain the name.
 */
function nameFromSelector(scope: RequestScope): void {
  const { info, request } = scope;
  if (info.name !== '' || info.verbViaPathPrefix || !NARROWED_VERBS.has(info.verb)) return;
  // A percent-encoded letter could hide the word.
  if (!request.query.includes('fieldSelector') && !request.query.includes('%')) return;
  try {
    const name = scope.listOptions.fieldSelector?.exact('metadata.name') ?? '';
    if (segmentProblem(name) === '') info.name = name;
  } catch {
    // The endpoint reports the problem; the authorizer sees a request for all objects.
  }
}

/** Logs why a request is refused: the response does not say it. */
export type RefusalLog = (refusal: ApiError, decision: Decision) => void;

function refusalOf(attributes: Attributes, decision: Decision, log: RefusalLog): ApiError {
  const refusal = forbiddenError(attributes);
  log(refusal, decision);
  return refusal;
}

/**
 * Authorizes a request.
 *
 * @param audit records the decision
 * @throws ApiError 403 in Kubernetes' words
 */
export async function requireAllowed(
  authorize: Authorizer,
  attributes: Attributes,
  log: RefusalLog,
  audit?: RequestAudit,
): Promise<void> {
  const decision = await authorize(attributes);
  audit?.authorized(decision.decision === 'Allow', decision.reason);
  if (decision.decision !== 'Allow') throw refusalOf(attributes, decision, log);
}

function hasEnded(): never {
  throw errors.timeout('request did not complete within the allotted timeout');
}

/**
 * Waits for a decision. A webhook may take half a minute, so the request ends with its client; most decisions come in the same
 * turn, and cost no signal.
 */
async function whileClientWaits(decision: Promise<Decision>, scope: RequestScope): Promise<Decision> {
  const soon = await Promise.race([decision, nextTurn()]);
  return soon ?? untilAborted(decision, scope.signal, hasEnded);
}

/**
 * Authorizes requests and refuses with 403.
 *
 * @param count counts the decisions
 * @param withSelectors whether authorizers receive the selectors of requests on collections
 */
export function authorization(
  authorize: Authorizer,
  log: RefusalLog,
  clock: Clock,
  count: AccessMeter<Decision>,
  withSelectors: boolean,
): Filter {
  const decide = (scope: RequestScope, attributes: Attributes, decision: Decision): void => {
    const beganMs = scope.momentMs;
    scope.momentMs = clock.now();
    count(decision, scope.momentMs - beganMs);
    scope.audit?.authorized(decision.decision === 'Allow', decision.reason);
    if (decision.decision !== 'Allow') throw refusalOf(attributes, decision, log);
  };
  return (next) => (scope) => {
    nameFromSelector(scope);
    const plain = attributesOf(scope.info, scope.user);
    const attributes =
      withSelectors && scope.info.isResource ? { ...plain, ...selectorAttributes(scope.info, scope.query) } : plain;
    const decision = authorize(attributes);
    if (decision instanceof Promise) {
      return whileClientWaits(decision, scope).then((decided) => {
        decide(scope, attributes, decided);
        return next(scope);
      });
    }
    decide(scope, attributes, decision);
    return next(scope);
  };
}
