/**
 * Metrics of the memory budget.
 *
 * @module
 */
import { MEMORY_USES, type MemoryBudget } from '../../storage/index.js';
import type { MetricCollector, Metrics, NumberSeries } from './metrics.js';
import { serverMetrics } from './table/server-metrics.js';

/** Why a request gets no memory: the budget is used up, or the share of its user. */
export type MemoryRefusal = 'budget' | 'user';

/** Returns a collector of what the budget counts. */
export function measureMemory(metrics: Metrics, budget: MemoryBudget): MetricCollector {
  const reserved = metrics.gauge(serverMetrics.apiserver_memory_reserved_bytes);
  const compiled = metrics.gauge(serverMetrics.apiserver_compiled_bytes);
  return () => {
    for (const use of MEMORY_USES) reserved.set(budget.usedFor(use), { use });
    compiled.set(budget.usedFor('compiled'));
  };
}

/** Returns what counts the requests that get no memory. */
export function countMemoryRefusals(metrics: Metrics): (reason: MemoryRefusal) => void {
  const refused = metrics.counter(serverMetrics.apiserver_memory_refused_total);
  const series: Readonly<Record<MemoryRefusal, NumberSeries>> = {
    budget: refused.series({ reason: 'budget' }),
    user: refused.series({ reason: 'user' }),
  };
  return (reason) => series[reason].add();
}
