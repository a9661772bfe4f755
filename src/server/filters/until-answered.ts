import type { ApiResponse } from '../requests/http.js';
import type { Endpoint, RequestScope } from '../requests/request-scope.js';

/**
 * Continues a request, and calls `done` when it has been answered or has failed. An answer that is there at once stays
 * one: no promise is made for it.
 */
export function untilAnswered(
  scope: RequestScope,
  next: Endpoint,
  done: (scope: RequestScope) => void,
): ApiResponse | Promise<ApiResponse> {
  let answer: ApiResponse | Promise<ApiResponse> | undefined;
  try {
    answer = next(scope);
  } finally {
    if (!(answer instanceof Promise)) done(scope);
  }
  return answer instanceof Promise ? afterAnswer(answer, () => done(scope)) : answer;
}

async function afterAnswer(answer: Promise<ApiResponse>, done: () => void): Promise<ApiResponse> {
  try {
    return await answer;
  } finally {
    done();
  }
}
