import type { Clock } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import { FlowControl } from '../fairness/flow-control.js';
import type { Fairness } from '../filters/fairness.js';
import { FlowMetrics } from '../metrics/flow-metrics.js';
import type { Metrics } from '../metrics/metrics.js';
import { RequestWork } from '../requests/request-work.js';
import { RequestCounts } from './request-counts.js';

/** The parts that {@link createFairness} needs. */
export interface FairnessSource {
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Number of requests that execute at the same time, at all limited levels together. */
  readonly seats: number;
}

/** Creates the flow control of a server with its metrics. It has the mandatory levels only. */
export function createFairness({ catalogue, clock, metrics, seats }: FairnessSource): Fairness {
  const meter = new FlowMetrics(metrics, () => clock.now());
  const control = new FlowControl({ clock, seats, meter });
  const counts = new RequestCounts(metrics, meter);
  metrics.onCollect(() => {
    control.refresh();
    meter.refresh();
  });
  return {
    control,
    work: new RequestWork(catalogue, clock),
    counted: (kind, phase, change, nowMs) => counts.counted(kind, phase, change, nowMs),
  };
}
