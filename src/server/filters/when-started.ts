import type { Clock } from '../../foundation/index.js';
import type { Filter } from '../requests/request-scope.js';

/** Holds requests until the server has started. */
export function whenStarted(started: () => Promise<void> | undefined, clock: Clock): Filter {
  return (next) => (scope) => {
    const starting = started();
    if (starting === undefined) return next(scope);
    return starting.then(() => {
      scope.momentMs = clock.now();
      return next(scope);
    });
  };
}
