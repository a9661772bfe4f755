import type { Logger } from '../../foundation/index.js';
import type { Metric, Metrics, NumberSeries } from '../metrics/metrics.js';
import type { RequestScope } from '../requests/request-scope.js';
import { ExpectedCpu } from './expected-cpu.js';
import type { WorkEnd, WorkHost } from './sliced-work.js';

/** Time of the processor from which a request is logged, in milliseconds. */
const LOGGED_FROM_MS = 100;

const PIECES = [0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const CPU_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Shows what the work of requests costs: metrics, the log, and what requests of a kind are expected to cost. */
export class WorkMeter implements WorkHost {
  readonly cpuLimitMs: number;
  readonly piece: (ms: number) => void;
  readonly expected = new ExpectedCpu();
  readonly #metrics: Metrics;
  readonly #logger: Logger;
  readonly #ended = new Map<WorkEnd, NumberSeries>();
  readonly #request: (cpuMs: number) => void;
  readonly #slices: Metric;

  /** @param cpuLimitMs maximum time of the processor of one request, in milliseconds; 0 for no limit */
  constructor(metrics: Metrics, logger: Logger, cpuLimitMs: number) {
    this.cpuLimitMs = cpuLimitMs;
    this.#metrics = metrics;
    this.#logger = logger;
    const pieces = metrics
      .histogram({
        name: 'apiserver_turn_seconds',
        help: 'Duration in seconds of the pieces in which requests use the event loop. While one lasts, all others wait.',
        stability: 'ALPHA',
        buckets: PIECES,
      })
      .series();
    this.piece = (ms) => pieces.observe(ms / 1000);
    const cpu = metrics
      .histogram({
        name: 'apiserver_request_cpu_seconds',
        help: 'Time of the processor in seconds that a request used until its response began.',
        stability: 'ALPHA',
        buckets: CPU_SECONDS,
      })
      .series();
    this.#slices = metrics.counter({
      name: 'apiserver_slices_total',
      help: 'Number of times that requests with long work left the event loop to others, by the kind of work.',
      stability: 'ALPHA',
    });
    this.#request = (cpuMs) => cpu.observe(cpuMs / 1000);
  }

  /** Counts a request that gets no further slice. */
  ended(reason: WorkEnd): void {
    let series = this.#ended.get(reason);
    if (series === undefined) {
      series = this.#metrics
        .counter({
          name: 'apiserver_work_ended_total',
          help: 'Number of requests whose work was ended, by reason: its deadline, its client that disconnected, or its limit of time of the processor.',
          stability: 'ALPHA',
        })
        .series({ reason });
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
