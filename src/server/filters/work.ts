import type { Filter } from '../requests/request-scope.js';
import type { RequestWorks } from '../requests/request-works.js';

/**
 * Gives each request its work: what it does is measured and charged to its flow, and what takes long takes slices. It
 * comes after the filter that finds the flow.
 */
export function work(works: RequestWorks): Filter {
  return (next) => (scope) => {
    const begun = works.begin(scope);
    scope.work = begun;
    return begun.measure(() => next(scope));
  };
}
