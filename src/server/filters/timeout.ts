import { errors } from '../../meta/api-error.js';
import type { Clock } from '../../meta/clock.js';
import type { ApiResponse } from '../http.js';
import type { Filter } from '../request-scope.js';

/**
 * Answers 504 when a request takes too long. What it was doing goes on in the background, as in the production system:
 * a write that was not answered may still have happened. Watches last as long as they like.
 */
export function timeout(clock: Clock, limitMs: number): Filter {
  return (next) => (scope) => {
    const answer = next(scope);
    // Reads come back before a timer would be worth its price, and nothing is lost when one is answered late.
    if (scope.info.verb === 'watch' || scope.info.verb === 'get') return answer;
    return new Promise<ApiResponse>((resolve, reject) => {
      const timer = clock.after(limitMs, () => reject(errors.timeout('request did not complete within the allotted timeout', 0)));
      answer.then(
        (response) => {
          timer.cancel();
          resolve(response);
        },
        (error: unknown) => {
          timer.cancel();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  };
}
