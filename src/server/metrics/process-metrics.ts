import { hostProcess, type Clock, type HostProcess } from '../../foundation/index.js';
import type { MetricCollector, MetricOptions, Metrics } from './metrics.js';
import { processMetrics } from './table/server-metrics.js';

/**
 * Returns a collector of the metrics of the process, by the names of Prometheus' client libraries; it does nothing on a
 * host without a process.
 */
export function measureProcess(metrics: Metrics, clock: Clock): MetricCollector {
  const gauge = (row: MetricOptions & { readonly type: 'gauge' }, value: number): void => metrics.gauge(row).set(value);
  return () => {
    const process = hostProcess();
    if (process === undefined) return;
    const { user, system } = process.cpuUsage();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    metrics.counter(processMetrics.process_cpu_seconds_total).set((user + system) / 1e6);
    gauge(processMetrics.process_resident_memory_bytes, rss);
    gauge(processMetrics.process_start_time_seconds, Math.floor(clock.now() / 1000 - process.uptime()));
    gauge(processMetrics.nodejs_heap_size_total_bytes, heapTotal);
    gauge(processMetrics.nodejs_heap_size_used_bytes, heapUsed);
    gauge(processMetrics.nodejs_external_memory_bytes, external);
    const limits = limitsOfLinux(process);
    if (limits === undefined) return;
    gauge(processMetrics.process_open_fds, limits.open);
    gauge(processMetrics.process_max_fds, limits.most);
    gauge(processMetrics.process_virtual_memory_bytes, limits.virtualBytes);
  };
}

/** Reads what only the files of Linux tell; undefined on other systems. */
function limitsOfLinux(
  process: HostProcess,
): { readonly open: number; readonly most: number; readonly virtualBytes: number } | undefined {
  const files = process.getBuiltinModule?.('node:fs');
  if (files === undefined) return undefined;
  try {
    const most = /^Max open files\s+(\d+)/m.exec(files.readFileSync('/proc/self/limits', 'utf8'))?.[1];
    const kilobytes = /^VmSize:\s+(\d+) kB/m.exec(files.readFileSync('/proc/self/status', 'utf8'))?.[1];
    const open = files.readdirSync('/proc/self/fd').length;
    return { open, most: Number(most ?? Infinity), virtualBytes: Number(kilobytes ?? 0) * 1024 };
  } catch {
    return undefined;
  }
}
