import type { Storage } from '../../storage/index.js';
import type { MetricLabels, Metrics } from './metrics.js';
import { encryptionMetrics } from './table/encryption-metrics.js';

/** Shows what the encryption of a storage counts, each time the metrics are read. */
export function measureEncryption(metrics: Metrics, { encryption }: Pick<Storage, 'encryption'>): void {
  const tally = encryption?.tally;
  if (tally === undefined) return;
  const shown = new Map<string, Map<string, MetricLabels>>();
  metrics.onCollect(() => {
    for (const [name, numbers] of tally.numbers) {
      const row = encryptionMetrics[name];
      const metric = row.type === 'counter' ? metrics.counter(row) : metrics.gauge(row);
      for (const [key, labels] of shown.get(name) ?? []) if (!numbers.has(key)) metric.remove(labels);
      shown.set(name, new Map([...numbers].map(([key, { labels }]) => [key, labels])));
      for (const { labels, value } of numbers.values()) metric.set(value, labels);
    }
    for (const [name, histograms] of tally.histograms) {
      const metric = metrics.histogram(encryptionMetrics[name]);
      for (const { labels, counts, count, sum } of histograms.values()) {
        const series = metric.series(labels);
        for (const [bucket, times] of counts.entries()) series.counts[bucket] = times;
        series.count = count;
        series.sum = sum;
      }
    }
  });
}
