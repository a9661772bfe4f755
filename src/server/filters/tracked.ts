import type { TraceSpan } from '../../foundation/index.js';
import type { HistogramSeries, Metrics } from '../metrics/metrics.js';
import { requestMetrics } from '../metrics/table/request-metrics.js';
import type { Filter } from '../requests/request-scope.js';

/** The state of the filter that works on a request. */
export interface FilterProgress {
  /**
   * The last moment at which the clock was read for the request, in milliseconds. A step that follows without a wait
   * begins then; code that waits, or calls code that may take long, reads the clock afterwards.
   */
  momentMs: number;
  /** When it began, in milliseconds. */
  filterBeganMs: number;
  /** Its step in the trace; undefined for a request that is not traced. */
  filterSpan: TraceSpan | undefined;
}

/**
 * Measures and traces a filter, under its name in Kubernetes: from the moment at which it gets a request until it passes
 * the request on. A filter that refuses the request is traced, but not measured. The filter itself reads the clock.
 */
export function tracked(name: string, filter: Filter, metrics: Metrics): Filter {
  let series: HistogramSeries | undefined;
  return (next) => {
    const inner = filter((scope) => {
      series ??= metrics.histogram(requestMetrics.apiserver_request_filter_duration_seconds).series({ filter: name });
      series.observe((scope.momentMs - scope.filterBeganMs) / 1000);
      scope.filterSpan?.end();
      scope.filterSpan = undefined;
      return next(scope);
    });
    return (scope) => {
      scope.filterBeganMs = scope.momentMs;
      scope.filterSpan = scope.span?.child(name);
      return inner(scope);
    };
  };
}
