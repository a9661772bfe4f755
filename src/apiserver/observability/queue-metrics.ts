/**
 * The metrics of the controllers' work queues, by the names and labels of Kubernetes 1.31.
 *
 * Source: `component-base/metrics/prometheus/workqueue` and `client-go/util/workqueue/metrics.go` of Kubernetes 1.31.
 *
 * @module
 */
import type { MeasuredQueue, QueueMeter } from '../../controllers/index.js';
import type { Clock } from '../../foundation/index.js';
import type { HistogramSeries, MetricOptions, Metrics, NumberSeries } from '../../server/index.js';

/** Kubernetes' buckets: powers of ten from ten nanoseconds, with the inaccuracies of its arithmetic. */
const SECONDS = [1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 0.001, 0.01, 0.1, 1, 10];

const named = (name: string, help: string): MetricOptions => ({ name: `workqueue_${name}`, help, stability: 'ALPHA' });

const UNFINISHED = named(
  'unfinished_work_seconds',
  "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
);
const LONGEST = named(
  'longest_running_processor_seconds',
  'How many seconds has the longest running processor for workqueue been running.',
);

/** Returns a function that returns what measures a queue. Queues with the same name share their series. */
export function queueMeters(metrics: Metrics, clock: Clock): (queue: MeasuredQueue) => QueueMeter {
  const queues: MeasuredQueue[] = [];
  metrics.onCollect(() => measureRunning(metrics, queues, clock.now()));
  return (queue) => {
    queues.push(queue);
    return new SeriesMeter(metrics, queue.name);
  };
}

/** Sets the gauges of running work. */
function measureRunning(metrics: Metrics, queues: readonly MeasuredQueue[], nowMs: number): void {
  const sums = new Map<string, { unfinished: number; longest: number }>();
  for (const { name, runningSinceMs } of queues) {
    const sum = sums.get(name) ?? { unfinished: 0, longest: 0 };
    sums.set(name, sum);
    for (const began of runningSinceMs()) {
      const seconds = (nowMs - began) / 1000;
      sum.unfinished += seconds;
      sum.longest = Math.max(sum.longest, seconds);
    }
  }
  for (const [name, { unfinished, longest }] of sums) {
    metrics.gauge(UNFINISHED).set(unfinished, { name });
    metrics.gauge(LONGEST).set(longest, { name });
  }
}

/** Measures a queue by the series of its name. */
class SeriesMeter implements QueueMeter {
  readonly #depth: NumberSeries;
  readonly #adds: NumberSeries;
  readonly #retries: NumberSeries;
  readonly #waited: HistogramSeries;
  readonly #worked: HistogramSeries;

  constructor(metrics: Metrics, name: string) {
    const durations = (metric: string, help: string): HistogramSeries =>
      metrics.histogram({ ...named(metric, help), buckets: SECONDS }).series({ name });
    this.#depth = metrics.gauge(named('depth', 'Current depth of workqueue')).series({ name });
    this.#adds = metrics.counter(named('adds_total', 'Total number of adds handled by workqueue')).series({ name });
    this.#retries = metrics
      .counter(named('retries_total', 'Total number of retries handled by workqueue'))
      .series({ name });
    this.#waited = durations(
      'queue_duration_seconds',
      'How long in seconds an item stays in workqueue before being requested.',
    );
    this.#worked = durations('work_duration_seconds', 'How long in seconds processing an item from workqueue takes.');
  }

  added(): void {
    this.#adds.add();
    this.#depth.add();
  }

  started(waitedMs: number): void {
    this.#depth.add(-1);
    this.#waited.observe(waitedMs / 1000);
  }

  finished(tookMs: number): void {
    this.#worked.observe(tookMs / 1000);
  }

  retried(): void {
    this.#retries.add();
  }
}
