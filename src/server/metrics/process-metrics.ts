import { hostProcess, type Clock, type HostProcess } from '../../foundation/index.js';
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
    const limits = limitsOfLinux(process);
    if (limits === undefined) return;
    gauge('process_open_fds', 'Number of open file descriptors.', limits.open);
    gauge('process_max_fds', 'Maximum number of open file descriptors.', limits.most);
    gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.', limits.virtualBytes);
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
