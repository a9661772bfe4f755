/**
 * The metrics of the controllers' work queues, by the names and labels of Kubernetes 1.31.
 *
 * @module
 */
import type { Clock } from '../../foundation/index.js';
import { queueMetrics, type HistogramSeries, type Metrics, type NumberSeries } from '../../server/index.js';
import type { MeasuredQueue, QueueMeter } from './work-queue.js';

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
  for (const { name, runningSince } of queues) {
    const sum = sums.get(name) ?? { unfinished: 0, longest: 0 };
    sums.set(name, sum);
    for (const began of runningSince()) {
      const seconds = (nowMs - began) / 1000;
      sum.unfinished += seconds;
      sum.longest = Math.max(sum.longest, seconds);
    }
  }
  for (const [name, { unfinished, longest }] of sums) {
    metrics.gauge(queueMetrics.workqueue_unfinished_work_seconds).set(unfinished, { name });
    metrics.gauge(queueMetrics.workqueue_longest_running_processor_seconds).set(longest, { name });
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
    this.#depth = metrics.gauge(queueMetrics.workqueue_depth).series({ name });
    this.#adds = metrics.counter(queueMetrics.workqueue_adds_total).series({ name });
    this.#retries = metrics.counter(queueMetrics.workqueue_retries_total).series({ name });
    this.#waited = metrics.histogram(queueMetrics.workqueue_queue_duration_seconds).series({ name });
    this.#worked = metrics.histogram(queueMetrics.workqueue_work_duration_seconds).series({ name });
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
