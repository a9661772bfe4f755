import type { Clock } from '../meta/clock.js';
import { hostProcess } from '../meta/host-process.js';
import type { MetricCollector, Metrics } from './metrics.js';

/**
 * Returns a collector of the metrics of the process, by the names of Prometheus' client libraries; it does nothing on a
 * host without a process.
 */
export function measureProcess(metrics: Metrics, clock: Clock): MetricCollector {
  const gauge = (name: string, help: string, value: number): void => metrics.gauge({ name, help }).set(value);
  return () => {
    const process = hostProcess();
    if (process === undefined) return;
    const { user, system } = process.cpuUsage();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    metrics
      .counter({ name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.' })
      .set((user + system) / 1e6);
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', rss);
    gauge(
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      Math.floor(clock.now() / 1000 - process.uptime()),
    );
    gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', heapTotal);
    gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', heapUsed);
    gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', external);
  };
}
