import type { Clock } from '../../meta/clock.js';
import type { Filter } from '../request-scope.js';

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
