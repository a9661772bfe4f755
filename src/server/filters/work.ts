import { isLasting } from '../requests/connections.js';
import type { Filter } from '../requests/request-scope.js';
import type { RequestWorks } from '../requests/request-works.js';

/**
 * Gives each request its work: what it does is measured and charged to its flow, and what takes long takes slices. It
 * comes after the filter that finds the flow.
 *
 * A watch takes a slice to open, unless it is the only one in its turn: clients open many at a time.
 */
export function work(works: RequestWorks): Filter {
  return (next) => (scope) => {
    const begun = works.begin(scope);
    scope.work = begun;
    const begin = (): ReturnType<typeof next> => begun.measure(() => next(scope));
    return isLasting(scope.info) && !begun.mayBegin ? begun.next('watch').then(begin) : begin();
  };
}
