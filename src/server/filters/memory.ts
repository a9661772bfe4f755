import type { NeededAccount } from '../../storage/memory-budget.js';
import { BodyMemory, outOfMemory, responseBytes } from '../body-memory.js';
import type { ApiResponse } from '../http.js';
import { requestClass } from '../in-flight.js';
import type { RequestInfo } from '../request-info.js';
import type { Filter, RequestScope } from '../request-scope.js';

/**
 * Refuses requests whose bodies, or whose large responses, do not fit into the memory budget with 429. Deletes pass,
 * because they free memory, as do health checks and all other paths that are not resources.
 *
 * @param bodies account of the bodies in flight
 */
export function memory(bodies: NeededAccount): Filter {
  return (next) => (scope) => {
    const request = new BodyMemory(bodies, isExempt(scope.info));
    scope.bodyMemory = request;
    const answered = (answer: ApiResponse): ApiResponse => {
      request.release();
      return counted(bodies, scope, answer);
    };
    const failed = (error: unknown): never => {
      request.release();
      throw error;
    };
    let answer: ApiResponse | Promise<ApiResponse>;
    try {
      answer = next(scope);
    } catch (error) {
      return failed(error);
    }
    return answer instanceof Promise ? answer.then(answered, failed) : answered(answer);
  };
}

function isExempt({ isResource, verb }: RequestInfo): boolean {
  return !isResource || verb === 'delete' || verb === 'deletecollection';
}

/**
 * Counts a response until the client has it. A change has taken effect, so its response is never refused.
 *
 * @throws ApiError 429
 */
function counted(bodies: NeededAccount, { request, info }: RequestScope, answer: ApiResponse): ApiResponse {
  const bytes = responseBytes(answer.body);
  if (bytes === 0 || request.whenAnswered === undefined) return answer;
  if (isExempt(info) || requestClass(info.verb) === 'mutating') bodies.hold(bytes);
  else if (!bodies.tryHold(bytes)) throw outOfMemory();
  request.whenAnswered(() => bodies.hold(-bytes));
  return answer;
}
