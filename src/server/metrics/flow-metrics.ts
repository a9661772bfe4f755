/**
 * The metrics of the flow control, by the names and labels of Kubernetes 1.31.
 *
 * Source: `apiserver/pkg/util/flowcontrol/metrics` of Kubernetes 1.31.
 *
 * @module
 */
import type {
  DispatchTimes,
  FlowControlMeter,
  FlowMeter,
  LevelAdjustment,
  LevelLimits,
  LevelMeter,
  RefusalReason,
} from '../fairness/flow-meter.js';
import type { Histogram, HistogramSeries, Metric, MetricLabels, Metrics, NumberSeries } from './metrics.js';
import { RatioSeries } from './ratio-series.js';

const PREFIX = 'apiserver_flowcontrol_';
const DURATIONS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
const QUEUE_LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000];
const SEATS = [1, 2, 4, 10];
const WATCHES = [0, 1, 10, 100, 1000, 10_000];
const REQUEST_UTILIZATION = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const SEAT_UTILIZATION = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const SEAT_DEMAND = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];
const CURRENT_REQUESTS = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** Gauges of levels, with their help texts. */
const LEVEL_GAUGES = {
  nominal_limit_seats: 'Nominal number of execution seats configured for each priority level',
  lower_limit_seats: 'Configured lower bound on number of execution seats available to each priority level',
  upper_limit_seats: 'Configured upper bound on number of execution seats available to each priority level',
  current_limit_seats: 'current derived number of execution seats available to each priority level',
  demand_seats_high_watermark: 'High watermark, over last adjustment period, of demand_seats',
  demand_seats_average: 'Time-weighted average, over last adjustment period, of demand_seats',
  demand_seats_stdev: 'Time-weighted standard deviation, over last adjustment period, of demand_seats',
  demand_seats_smoothed: 'Smoothed seat demands',
  target_seats: 'Seat allocation targets',
  current_r: 'R(time of last change)',
  dispatch_r: 'R(time of last dispatch)',
  latest_s: 'S(most recently dispatched request)',
} as const;

/** Gauges of schemas at levels. */
const FLOW_GAUGES = {
  current_inqueue_requests: 'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
  current_inqueue_seats: 'Number of seats currently pending in queues of the API Priority and Fairness subsystem',
  current_executing_requests:
    'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
  current_executing_seats:
    'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
} as const;

type Phase = 'waiting' | 'executing';
type RequestKind = 'readOnly' | 'mutating';

/** The metrics of the flow control of one server. */
export class FlowMetrics implements FlowControlMeter {
  readonly metrics: Metrics;
  readonly #now: () => number;
  readonly #ratios = new Set<RatioSeries>();
  readonly #current: Readonly<Record<Phase, Map<RequestKind, RatioSeries>>> = {
    waiting: new Map(),
    executing: new Map(),
  };
  #executing = 1;
  #waiting = 1;

  constructor(metrics: Metrics, now: () => number) {
    this.metrics = metrics;
    this.#now = now;
  }

  /** Brings the metrics up to date that change with time. Called before they are read. */
  refresh(): void {
    const nowMs = this.#now();
    for (const ratio of this.#ratios) ratio.advance(nowMs);
  }

  level(name: string): LevelMeter {
    return new LevelMetrics(this, name);
  }

  fairFraction(fraction: number): void {
    this.metrics
      .gauge({
        name: `${PREFIX}seat_fair_frac`,
        help: "Fair fraction of server's concurrency to allocate to each priority level that can use it",
      })
      .set(fraction);
  }

  capacity(executing: number, waiting: number): void {
    this.#executing = Math.max(1, executing);
    this.#waiting = Math.max(1, waiting);
    for (const ratio of this.#current.waiting.values()) ratio.relativeTo(this.#waiting, this.#now());
    for (const ratio of this.#current.executing.values()) ratio.relativeTo(this.#executing, this.#now());
  }

  /** Notes how many requests of a kind wait or execute, at all levels. */
  requests(phase: Phase, kind: RequestKind, count: number): void {
    let ratio = this.#current[phase].get(kind);
    if (ratio === undefined) {
      const histogram = this.histogram(
        'read_vs_write_current_requests',
        'Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
        CURRENT_REQUESTS,
      );
      ratio = this.ratio(histogram, { phase, request_kind: kind });
      ratio.relativeTo(phase === 'waiting' ? this.#waiting : this.#executing, this.#now());
      this.#current[phase].set(kind, ratio);
    }
    ratio.set(count, this.#now());
  }

  /** Returns a gauge of the flow control. */
  gauge(name: string, help: string): Metric {
    return this.metrics.gauge({ name: PREFIX + name, help });
  }

  /** Returns a counter of the flow control. */
  counter(name: string, help: string): Metric {
    return this.metrics.counter({ name: PREFIX + name, help });
  }

  /** Returns a histogram of the flow control. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram {
    return this.metrics.histogram({ name: PREFIX + name, help, buckets });
  }

  /** Returns a series that is observed all the time. */
  ratio(histogram: Histogram, labels: MetricLabels): RatioSeries {
    const ratio = new RatioSeries(histogram.series(labels), this.#now());
    this.#ratios.add(ratio);
    return ratio;
  }

  /** Ends the observation of a series. */
  forget(ratio: RatioSeries): void {
    this.#ratios.delete(ratio);
  }
}

class LevelMetrics implements LevelMeter {
  readonly #parent: FlowMetrics;
  readonly #labels: MetricLabels;
  readonly #gauges: Readonly<Record<keyof typeof LEVEL_GAUGES, NumberSeries>>;
  readonly #waiting: RatioSeries;
  readonly #executing: RatioSeries;
  readonly #seats: RatioSeries;
  readonly #demand: RatioSeries;
  #bounds: readonly NumberSeries[] | undefined;

  constructor(parent: FlowMetrics, name: string) {
    this.#parent = parent;
    this.#labels = { priority_level: name };
    const gauges = Object.entries(LEVEL_GAUGES).map(([gauge, help]) => [
      gauge,
      parent.gauge(gauge, help).series(this.#labels),
    ]);
    this.#gauges = Object.fromEntries(gauges) as Record<keyof typeof LEVEL_GAUGES, NumberSeries>;
    const requests = parent.histogram(
      'priority_level_request_utilization',
      'Observations, at the end of every nanosecond, of number of requests waiting or in any stage of execution (but only initial stage for WATCHes); denominator for waiting is max(1, QueueLengthLimit) X max(1, DesiredNumQueues), for executing is current seat limit if that is not zero otherwise max(1, round(server seat limit/10))',
      REQUEST_UTILIZATION,
    );
    this.#waiting = parent.ratio(requests, { phase: 'waiting', ...this.#labels });
    this.#executing = parent.ratio(requests, { phase: 'executing', ...this.#labels });
    const seats = parent.histogram(
      'priority_level_seat_utilization',
      'Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes); denominator is current seat limit or max(1, round(server seat limit/10))',
      SEAT_UTILIZATION,
    );
    this.#seats = parent.ratio(seats, { phase: 'executing', ...this.#labels });
    const demand = parent.histogram(
      'demand_seats',
      'Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (current seat limit for that level if that is not zero otherwise max(1, round(server seat limit/10.0)))',
      SEAT_DEMAND,
    );
    this.#demand = parent.ratio(demand, this.#labels);
  }

  flow(flowSchema: string): FlowMeter {
    return new FlowSeries(this.#parent, { ...this.#labels, flow_schema: flowSchema });
  }

  configured({ nominal, lower, upper }: LevelLimits, capacity: number): void {
    this.#gauges.nominal_limit_seats.value = nominal;
    this.#gauges.lower_limit_seats.value = lower;
    this.#gauges.upper_limit_seats.value = upper;
    this.#waiting.relativeTo(capacity);
  }

  adjusted({ highWatermark, average, deviation, smoothed, target, current, denominator }: LevelAdjustment): void {
    const gauges = this.#gauges;
    gauges.demand_seats_high_watermark.value = highWatermark;
    gauges.demand_seats_average.value = average;
    gauges.demand_seats_stdev.value = deviation;
    gauges.demand_seats_smoothed.value = smoothed;
    gauges.target_seats.value = target;
    gauges.current_limit_seats.value = current;
    for (const ratio of [this.#executing, this.#seats, this.#demand]) ratio.relativeTo(denominator);
  }

  occupied({ waiting, executing, seats, demand }: Parameters<LevelMeter['occupied']>[0], nowMs: number): void {
    this.#waiting.set(waiting, nowMs);
    this.#executing.set(executing, nowMs);
    this.#seats.set(seats, nowMs);
    this.#demand.set(demand, nowMs);
  }

  advanced(r: number): void {
    this.#gauges.current_r.value = r;
  }

  dispatchedAt({ r, s, least, most, leastDiscounted, mostDiscounted }: DispatchTimes): void {
    this.#gauges.dispatch_r.value = r;
    this.#gauges.latest_s.value = s;
    this.#bounds ??= this.#boundSeries();
    const [nextMin, nextMax, lessMin, lessMax] = this.#bounds;
    if (nextMin !== undefined) nextMin.value = least;
    if (nextMax !== undefined) nextMax.value = most;
    if (lessMin !== undefined) lessMin.value = leastDiscounted;
    if (lessMax !== undefined) lessMax.value = mostDiscounted;
  }

  #boundSeries(): NumberSeries[] {
    const next = this.#parent.gauge('next_s_bounds', 'min and max, over queues, of S(oldest waiting request in queue)');
    const less = this.#parent.gauge(
      'next_discounted_s_bounds',
      'min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
    );
    return [next, less].flatMap((gauge) => ['min', 'max'].map((bound) => gauge.series({ ...this.#labels, bound })));
  }

  rewound(): void {
    this.#parent
      .counter('epoch_advance_total', "Number of times the queueset's progress meter jumped backward")
      .add(1, { ...this.#labels, success: 'true' });
  }

  removed(): void {
    for (const ratio of [this.#waiting, this.#executing, this.#seats, this.#demand]) this.#parent.forget(ratio);
    for (const [gauge, help] of Object.entries(LEVEL_GAUGES)) this.#parent.gauge(gauge, help).remove(this.#labels);
  }
}

class FlowSeries implements FlowMeter {
  readonly #parent: FlowMetrics;
  readonly #labels: MetricLabels;
  readonly #queuedRequests: NumberSeries;
  readonly #queuedSeats: NumberSeries;
  readonly #executingRequests: NumberSeries;
  readonly #executingSeats: NumberSeries;
  readonly #estimated: HistogramSeries;
  #lengths: HistogramSeries | undefined;
  #watches: HistogramSeries | undefined;
  #dispatched: NumberSeries | undefined;
  #waited: HistogramSeries | undefined;
  #executed: HistogramSeries | undefined;

  constructor(parent: FlowMetrics, labels: MetricLabels) {
    this.#parent = parent;
    this.#labels = labels;
    const gauge = (name: keyof typeof FLOW_GAUGES): NumberSeries =>
      parent.gauge(name, FLOW_GAUGES[name]).series(labels);
    this.#queuedRequests = gauge('current_inqueue_requests');
    this.#queuedSeats = gauge('current_inqueue_seats');
    this.#executingRequests = gauge('current_executing_requests');
    this.#executingSeats = gauge('current_executing_seats');
    this.#estimated = parent
      .histogram(
        'work_estimated_seats',
        'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
        SEATS,
      )
      .series(labels);
  }

  enqueued(seats: number, length: number): void {
    this.#queuedRequests.value += 1;
    this.#queuedSeats.value += seats;
    this.#lengths ??= this.#parent
      .histogram(
        'request_queue_length_after_enqueue',
        'Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
        QUEUE_LENGTHS,
      )
      .series(this.#labels);
    this.#lengths.observe(length);
  }

  dequeued(seats: number): void {
    this.#queuedRequests.value -= 1;
    this.#queuedSeats.value -= seats;
  }

  began(seats: number): void {
    this.#executingRequests.value += 1;
    this.#executingSeats.value += seats;
  }

  ended(): void {
    this.#executingRequests.value -= 1;
  }

  released(seats: number): void {
    this.#executingSeats.value -= seats;
  }

  dispatched(): void {
    this.#dispatched ??= this.#parent
      .counter('dispatched_requests_total', 'Number of requests executed by API Priority and Fairness subsystem')
      .series(this.#labels);
    this.#dispatched.value += 1;
  }

  refused(reason: RefusalReason): void {
    this.#parent
      .counter('rejected_requests_total', 'Number of requests rejected by API Priority and Fairness subsystem')
      .add(1, { ...this.#labels, reason });
  }

  waited(durationMs: number, executed: boolean): void {
    if (executed) this.#waited ??= this.#waits(true);
    const series = executed ? this.#waited : this.#waits(false);
    series?.observe(durationMs / 1000);
  }

  executed(durationMs: number, isWatch: boolean): void {
    if (!isWatch) this.#executed ??= this.#executions('regular');
    const series = isWatch ? this.#executions('watch') : this.#executed;
    series?.observe(durationMs / 1000);
  }

  estimated(seats: number): void {
    this.#estimated.observe(seats);
  }

  watchers(count: number): void {
    this.#watches ??= this.#parent
      .histogram('watch_count_samples', 'count of watchers for mutating requests in API Priority and Fairness', WATCHES)
      .series(this.#labels);
    this.#watches.observe(count);
  }

  didNotFit(): void {
    this.#parent
      .counter(
        'request_dispatch_no_accommodation_total',
        'Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
      )
      .add(1, this.#labels);
  }

  #waits(executed: boolean): HistogramSeries {
    return this.#parent
      .histogram('request_wait_duration_seconds', 'Length of time a request spent waiting in its queue', DURATIONS)
      .series({ ...this.#labels, execute: String(executed) });
  }

  #executions(type: 'regular' | 'watch'): HistogramSeries {
    return this.#parent
      .histogram(
        'request_execution_seconds',
        'Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
        DURATIONS,
      )
      .series({ ...this.#labels, type });
  }
}
