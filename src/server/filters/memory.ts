import { MASTERS_GROUP } from '../../security/index.js';
import type { MemoryBudget } from '../../storage/index.js';
import { requestClass } from '../limits/in-flight.js';
import { RequestMemory, Reservation, responseBytes, storedLength } from '../limits/reservation.js';
import { countMemoryRefusals } from '../metrics/memory-metrics.js';
import type { Metrics } from '../metrics/metrics.js';
import { isStream, type ApiResponse } from '../requests/http.js';
import type { RequestInfo } from '../requests/request-info.js';
import type { Filter, RequestScope } from '../requests/request-scope.js';
import { accountableUser } from './in-flight.js';

/**
 * Gives each request its reservation in the memory budget, until its response has been written. Requests whose bodies,
 * work or large responses do not fit are refused with 429. Deletes pass, because they free memory, as do health checks
 * and all other paths that are not resources.
 */
export function memory(budget: MemoryBudget, requests: RequestMemory): Filter {
  return (next) => (scope) => {
    const reservation = reservationOf(requests, scope);
    const answered = (answer: ApiResponse): ApiResponse => counted(budget, reservation, scope, answer);
    const failed = (error: unknown): never => {
      reservation.end();
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

/** Opens the memory of the requests of a server. */
export const requestMemory = (budget: MemoryBudget, metrics: Metrics): RequestMemory =>
  new RequestMemory(budget.open('bodies'), budget.memoryBytes, countMemoryRefusals(metrics));

/** Gives a request its reservation. */
export function reservationOf(requests: RequestMemory, scope: RequestScope): Reservation {
  const { username, groups } = accountableUser(scope);
  const reservation = new Reservation(requests, {
    user: username,
    isShareExempt: groups.includes(MASTERS_GROUP),
    isExempt: isExempt(scope.info),
  });
  scope.reservation = reservation;
  return reservation;
}

function isExempt({ isResource, verb }: RequestInfo): boolean {
  return !isResource || verb === 'delete' || verb === 'deletecollection';
}

/**
 * Counts a response in place of what was needed to make it, until the client has it. A change has taken effect, so its
 * response is never refused.
 *
 * @throws ApiError 429
 */
function counted(
  budget: MemoryBudget,
  reservation: Reservation,
  { request, info }: RequestScope,
  answer: ApiResponse,
): ApiResponse {
  reservation.release(reservation.heldBytes);
  const bytes = responseBytes(answer.body);
  if (bytes === 0 || request.whenAnswered === undefined) {
    reservation.end();
    return answer;
  }
  if (requestClass(info.verb) === 'mutating') reservation.hold(bytes);
  else reserveFor(answer, reservation, bytes);
  const stored = storedLength(answer.body);
  const closed = stored === 0 ? undefined : budget.openSnapshot(stored, () => request.breakOff?.());
  request.whenAnswered(() => {
    reservation.end();
    closed?.();
  });
  return answer;
}

function reserveFor({ body }: ApiResponse, reservation: Reservation, bytes: number): void {
  try {
    reservation.reserve(bytes);
  } catch (error) {
    if (isStream(body)) void body.stream[Symbol.asyncIterator]().return?.();
    throw error;
  }
}
