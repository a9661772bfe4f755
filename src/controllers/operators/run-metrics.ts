import type { Clock } from '../../foundation/index.js';
import { controllerMetrics, Metrics } from '../../server/index.js';
import { measureQueues } from '../runtime/controller.js';
import { queueMeters } from '../runtime/queue-meters.js';
import type { EndedRun } from '../runtime/reconciler.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import type { ManagedController } from './managed-controller.js';

/** The metrics of a manager, by the names of controller-runtime, and those of the work queues. */
export class RunMetrics {
  readonly #metrics = new Metrics();

  /** Measures controllers from now on. To be called before they start. */
  measure(controllers: readonly ManagedController[], informers: SharedInformers, clock: Clock): void {
    const meterOf = queueMeters(this.#metrics, clock);
    for (const { name, concurrency, controller } of controllers) {
      this.#metrics
        .gauge(controllerMetrics.controller_runtime_max_concurrent_reconciles)
        .set(concurrency, { controller: name });
      measureQueues(controller, meterOf);
    }
    this.#metrics.onCollect(() => {
      for (const { name: controller, active } of controllers)
        this.#metrics.gauge(controllerMetrics.controller_runtime_active_workers).set(active, { controller });
      for (const [kind, staleMs] of stalest(informers))
        this.#metrics.gauge(controllerMetrics.informer_stale_seconds).set(staleMs / 1000, { kind });
    });
  }

  /** Counts a run. */
  ran({ controller, result, isFinal, tookMs }: EndedRun): void {
    const metrics = this.#metrics;
    metrics.counter(controllerMetrics.controller_runtime_reconcile_total).add(1, { controller, result });
    metrics
      .histogram(controllerMetrics.controller_runtime_reconcile_time_seconds)
      .series({ controller })
      .observe(tookMs / 1000);
    if (result !== 'error') return;
    metrics.counter(controllerMetrics.controller_runtime_reconcile_errors_total).add(1, { controller });
    if (isFinal)
      metrics.counter(controllerMetrics.controller_runtime_terminal_reconcile_errors_total).add(1, { controller });
  }

  /** Returns all metrics in the text format. */
  read(): Promise<string> {
    return this.#metrics.read();
  }
}

/** Returns the time since the informers of each kind have heard something; that of the last one, where a kind has views. */
function stalest(informers: SharedInformers): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { kind, informer } of informers.all()) times.set(kind, Math.max(times.get(kind) ?? 0, informer.staleMs));
  return times;
}
