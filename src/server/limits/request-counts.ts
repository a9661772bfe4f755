import type { FlowMetrics } from '../metrics/flow-metrics.js';
import type { Metric, Metrics, NumberSeries } from '../metrics/metrics.js';
import { requestMetrics } from '../metrics/table/request-metrics.js';
import type { RequestClass } from './in-flight.js';

type Phase = 'waiting' | 'executing';

/** Counts the requests that wait or execute under a flow control, by their class. */
export class RequestCounts {
  readonly #meter: FlowMetrics;
  readonly #series: Readonly<Record<Phase, Readonly<Record<RequestClass, NumberSeries>>>>;

  constructor(metrics: Metrics, meter: FlowMetrics) {
    this.#meter = meter;
    const byClass = (gauge: Metric<'request_kind'>): Readonly<Record<RequestClass, NumberSeries>> => ({
      readOnly: gauge.series({ request_kind: 'readOnly' }),
      mutating: gauge.series({ request_kind: 'mutating' }),
    });
    this.#series = {
      executing: byClass(metrics.gauge(requestMetrics.apiserver_current_inflight_requests)),
      waiting: byClass(metrics.gauge(requestMetrics.apiserver_current_inqueue_requests)),
    };
  }

  /** Counts one more or one less request. */
  counted(kind: RequestClass, phase: Phase, change: 1 | -1, nowMs: number): void {
    const series = this.#series[phase][kind];
    series.value += change;
    this.#meter.requests(phase, kind, series.value, nowMs);
  }
}
