/**
 * Metrics of the memory budget.
 *
 * @module
 */
import { MEMORY_USES, type MemoryBudget } from '../../storage/index.js';
import type { MetricCollector, Metrics, NumberSeries } from './metrics.js';

/** Why a request gets no memory: the budget is used up, or the share of its user. */
export type MemoryRefusal = 'budget' | 'user';

/** Returns a collector of what the budget counts. */
export function measureMemory(metrics: Metrics, budget: MemoryBudget): MetricCollector {
  const reserved = metrics.gauge({
    name: 'apiserver_memory_reserved_bytes',
    help: 'Memory in bytes that the memory budget of the server counts, by use. `bodies` is that of requests in flight.',
    stability: 'ALPHA',
  });
  const compiled = metrics.gauge({
    name: 'apiserver_compiled_bytes',
    help: 'Estimated memory in bytes of what is compiled from definitions: schemas, patterns, columns, rules and the expressions of policies and webhooks.',
    stability: 'ALPHA',
  });
  return () => {
    for (const use of MEMORY_USES) reserved.set(budget.usedFor(use), { use });
    compiled.set(budget.usedFor('compiled'));
  };
}

/** Returns what counts the requests that get no memory. */
export function countMemoryRefusals(metrics: Metrics): (reason: MemoryRefusal) => void {
  const refused = metrics.counter({
    name: 'apiserver_memory_refused_total',
    help: 'Number of requests that were refused because the memory budget of the server was used up, or the share of their user.',
    stability: 'ALPHA',
  });
  const series: Readonly<Record<MemoryRefusal, NumberSeries>> = {
    budget: refused.series({ reason: 'budget' }),
    user: refused.series({ reason: 'user' }),
  };
  return (reason) => series[reason].add();
}
