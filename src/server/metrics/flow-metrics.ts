/**
 * The metrics of the flow control, by the names and labels of Kubernetes 1.31.
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
import { flowMetrics } from './table/flow-metrics.js';

/** Gauges of levels. */
const LEVEL_GAUGES = [
  'nominal_limit_seats',
  'lower_limit_seats',
  'upper_limit_seats',
  'current_limit_seats',
  'demand_seats_high_watermark',
  'demand_seats_average',
  'demand_seats_stdev',
  'demand_seats_smoothed',
  'target_seats',
  'current_r',
  'dispatch_r',
  'latest_s',
] as const;

type LevelGauge = (typeof LEVEL_GAUGES)[number];

type Phase = 'waiting' | 'executing';
type RequestKind = 'readOnly' | 'mutating';
type LevelLabels = MetricLabels<'priority_level'>;
type FlowLabels = MetricLabels<'priority_level' | 'flow_schema'>;

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
    this.metrics.gauge(flowMetrics.apiserver_flowcontrol_seat_fair_frac).set(fraction);
  }

  capacity(executing: number, waiting: number): void {
    this.#executing = Math.max(1, executing);
    this.#waiting = Math.max(1, waiting);
    for (const ratio of this.#current.waiting.values()) ratio.relativeTo(this.#waiting, this.#now());
    for (const ratio of this.#current.executing.values()) ratio.relativeTo(this.#executing, this.#now());
  }

  /** Notes how many requests of a kind wait or execute, at all levels. */
  requests(phase: Phase, kind: RequestKind, count: number, nowMs: number): void {
    let ratio = this.#current[phase].get(kind);
    if (ratio === undefined) {
      const histogram = this.metrics.histogram(flowMetrics.apiserver_flowcontrol_read_vs_write_current_requests);
      ratio = this.ratio(histogram, { phase, request_kind: kind });
      ratio.relativeTo(phase === 'waiting' ? this.#waiting : this.#executing, this.#now());
      this.#current[phase].set(kind, ratio);
    }
    ratio.set(count, nowMs);
  }

  /** Returns a series that is observed all the time. */
  ratio<Label extends string>(histogram: Histogram<Label>, labels: MetricLabels<Label>): RatioSeries {
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
  readonly #labels: LevelLabels;
  readonly #gauges: Readonly<Record<LevelGauge, NumberSeries>>;
  readonly #waiting: RatioSeries;
  readonly #executing: RatioSeries;
  readonly #seats: RatioSeries;
  readonly #demand: RatioSeries;
  #bounds: readonly NumberSeries[] | undefined;

  constructor(parent: FlowMetrics, name: string) {
    this.#parent = parent;
    this.#labels = { priority_level: name };
    const gauges = LEVEL_GAUGES.map((gauge) => [gauge, this.#gauge(gauge).series(this.#labels)]);
    this.#gauges = Object.fromEntries(gauges) as Record<LevelGauge, NumberSeries>;
    const requests = parent.metrics.histogram(flowMetrics.apiserver_flowcontrol_priority_level_request_utilization);
    this.#waiting = parent.ratio(requests, { phase: 'waiting', ...this.#labels });
    this.#executing = parent.ratio(requests, { phase: 'executing', ...this.#labels });
    const seats = parent.metrics.histogram(flowMetrics.apiserver_flowcontrol_priority_level_seat_utilization);
    this.#seats = parent.ratio(seats, { phase: 'executing', ...this.#labels });
    const demand = parent.metrics.histogram(flowMetrics.apiserver_flowcontrol_demand_seats);
    this.#demand = parent.ratio(demand, this.#labels);
  }

  #gauge(name: LevelGauge): Metric<'priority_level'> {
    return this.#parent.metrics.gauge(flowMetrics[`apiserver_flowcontrol_${name}`]);
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
    const next = this.#parent.metrics.gauge(flowMetrics.apiserver_flowcontrol_next_s_bounds);
    const less = this.#parent.metrics.gauge(flowMetrics.apiserver_flowcontrol_next_discounted_s_bounds);
    return [next, less].flatMap((gauge) => ['min', 'max'].map((bound) => gauge.series({ ...this.#labels, bound })));
  }

  rewound(): void {
    this.#parent.metrics
      .counter(flowMetrics.apiserver_flowcontrol_epoch_advance_total)
      .add(1, { ...this.#labels, success: 'true' });
  }

  removed(): void {
    for (const ratio of [this.#waiting, this.#executing, this.#seats, this.#demand]) this.#parent.forget(ratio);
    for (const gauge of LEVEL_GAUGES) this.#gauge(gauge).remove(this.#labels);
  }
}

class FlowSeries implements FlowMeter {
  readonly #parent: FlowMetrics;
  readonly #labels: FlowLabels;
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

  constructor(parent: FlowMetrics, labels: FlowLabels) {
    this.#parent = parent;
    this.#labels = labels;
    const { metrics } = parent;
    this.#queuedRequests = metrics.gauge(flowMetrics.apiserver_flowcontrol_current_inqueue_requests).series(labels);
    this.#queuedSeats = metrics.gauge(flowMetrics.apiserver_flowcontrol_current_inqueue_seats).series(labels);
    this.#executingRequests = metrics
      .gauge(flowMetrics.apiserver_flowcontrol_current_executing_requests)
      .series(labels);
    this.#executingSeats = metrics.gauge(flowMetrics.apiserver_flowcontrol_current_executing_seats).series(labels);
    this.#estimated = parent.metrics.histogram(flowMetrics.apiserver_flowcontrol_work_estimated_seats).series(labels);
  }

  enqueued(seats: number, length: number): void {
    this.#queuedRequests.value += 1;
    this.#queuedSeats.value += seats;
    this.#lengths ??= this.#parent.metrics
      .histogram(flowMetrics.apiserver_flowcontrol_request_queue_length_after_enqueue)
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
    this.#dispatched ??= this.#parent.metrics
      .counter(flowMetrics.apiserver_flowcontrol_dispatched_requests_total)
      .series(this.#labels);
    this.#dispatched.value += 1;
  }

  refused(reason: RefusalReason): void {
    this.#parent.metrics
      .counter(flowMetrics.apiserver_flowcontrol_rejected_requests_total)
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
    this.#watches ??= this.#parent.metrics
      .histogram(flowMetrics.apiserver_flowcontrol_watch_count_samples)
      .series(this.#labels);
    this.#watches.observe(count);
  }

  didNotFit(): void {
    this.#parent.metrics
      .counter(flowMetrics.apiserver_flowcontrol_request_dispatch_no_accommodation_total)
      .add(1, this.#labels);
  }

  #waits(executed: boolean): HistogramSeries {
    return this.#parent.metrics
      .histogram(flowMetrics.apiserver_flowcontrol_request_wait_duration_seconds)
      .series({ ...this.#labels, execute: String(executed) });
  }

  #executions(type: 'regular' | 'watch'): HistogramSeries {
    return this.#parent.metrics
      .histogram(flowMetrics.apiserver_flowcontrol_request_execution_seconds)
      .series({ ...this.#labels, type });
  }
}
