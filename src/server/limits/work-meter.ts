import { processorClock, type Logger } from '../../foundation/index.js';
import type { Metric, Metrics, NumberSeries } from '../metrics/metrics.js';
import type { RequestScope } from '../requests/request-scope.js';
import { ExpectedCpu } from './expected-cpu.js';
import type { WorkEnd, WorkHost } from './sliced-work.js';
import { requestMetrics } from '../metrics/table/request-metrics.js';

/** Time of the processor from which a request is logged, in milliseconds. */
const LOGGED_FROM_MS = 100;

/** Shows what the work of requests costs: metrics, the log, and what requests of a kind are expected to cost. */
export class WorkMeter implements WorkHost {
  readonly cpuLimitMs: number;
  readonly processorMs = processorClock();
  readonly piece: (ms: number) => void;
  readonly expected = new ExpectedCpu();
  readonly #metrics: Metrics;
  readonly #logger: Logger;
  readonly #ended = new Map<WorkEnd, NumberSeries>();
  readonly #request: (cpuMs: number) => void;
  readonly #slices: Metric<'area'>;

  /** @param cpuLimitMs maximum time of the processor of one request, in milliseconds; 0 for no limit */
  constructor(metrics: Metrics, logger: Logger, cpuLimitMs: number) {
    this.cpuLimitMs = cpuLimitMs;
    this.#metrics = metrics;
    this.#logger = logger;
    const pieces = metrics.histogram(requestMetrics.apiserver_turn_seconds).series();
    this.piece = (ms) => pieces.observe(ms / 1000);
    const cpu = metrics.histogram(requestMetrics.apiserver_request_cpu_seconds).series();
    this.#slices = metrics.counter(requestMetrics.apiserver_slices_total);
    this.#request = (cpuMs) => cpu.observe(cpuMs / 1000);
  }

  /** Counts a request that gets no further slice. */
  ended(reason: WorkEnd): void {
    let series = this.#ended.get(reason);
    if (series === undefined) {
      series = this.#metrics.counter(requestMetrics.apiserver_work_ended_total).series({ reason });
      this.#ended.set(reason, series);
    }
    series.add();
  }

  /** Counts the work of a request that has been answered. */
  answered(scope: RequestScope): void {
    const { work, flow, info } = scope;
    if (work === undefined) return;
    const { cpuMs, slices, areas, longestMs, longestArea } = work;
    this.#request(cpuMs);
    if (areas !== undefined) for (const [area, count] of areas) this.#slices.add(count, { area });
    if (flow !== undefined) this.expected.observe(scope, flow, cpuMs);
    if (cpuMs < LOGGED_FROM_MS) return;
    this.#logger.info('a request used much time of the processor', {
      verb: info.verb,
      path: info.path,
      auditId: scope.auditId,
      cpu_ms: Math.round(cpuMs),
      slices,
      longest_piece_ms: Math.round(longestMs),
      area: longestArea,
      reserved_bytes: scope.reservation?.heldBytes ?? 0,
    });
  }
}
