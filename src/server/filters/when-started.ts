import type { Filter } from '../request-scope.js';

/** Holds requests until the server has started. */
export function whenStarted(started: () => Promise<void> | undefined): Filter {
  return (next) => (scope) => {
    const starting = started();
    return starting === undefined ? next(scope) : starting.then(() => next(scope));
  };
}
