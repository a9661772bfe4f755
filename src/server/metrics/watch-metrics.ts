/**
 * The metrics of watches and of stored objects, by the names and labels of Kubernetes 1.31.
 *
 * @module
 */
import { qualified, type Clock } from '../../foundation/index.js';
import type { Catalogue, ResourceInfo } from '../../registry/index.js';
import type { HistogramSeries, MetricCollector, Metrics, NumberSeries } from './metrics.js';
import { requestMetrics } from './table/request-metrics.js';
import { storageMetrics } from './table/storage-metrics.js';

/** Time for which a count of the stored objects is used again. Kubernetes counts once a minute. */
const COUNTED_FOR_MS = 30_000;

/** The events of the watches of a kind. */
export interface WatchSeries {
  readonly events: NumberSeries;
  readonly sizes: HistogramSeries;
}

/** Returns the series of the watches of a kind. */
export function watchSeries(metrics: Metrics, { group, version, kind }: ResourceInfo): WatchSeries {
  const labels = { group, version, kind };
  return {
    events: metrics.counter(requestMetrics.apiserver_watch_events_total).series(labels),
    sizes: metrics.histogram(requestMetrics.apiserver_watch_events_sizes).series(labels),
  };
}

/** Returns a collector that counts the stored objects of each resource. */
export function countObjects(metrics: Metrics, catalogue: Catalogue, clock: Clock): MetricCollector {
  let countedMs = -Infinity;
  return async () => {
    if (clock.now() - countedMs < COUNTED_FOR_MS) return;
    countedMs = clock.now();
    const objects = metrics.gauge(storageMetrics.apiserver_storage_objects);
    const { storage, computed } = catalogue.environment;
    for (const { definition, keyPrefix, resource, group } of storedKinds(catalogue)) {
      if (computed?.has(definition) === true) continue;
      const count = await storage.list(keyPrefix, { limit: 1 }).then(
        ({ records, remaining }) => records.length + remaining,
        () => -1,
      );
      objects.set(count, { resource: qualified(resource, group) });
    }
  };
}

/** Returns one resource for each set of stored objects: versions and groups that share objects count once. */
function storedKinds({ resources }: Catalogue): readonly ResourceInfo[] {
  const byPrefix = new Map<string, ResourceInfo>();
  for (const info of resources)
    if (info.definition.virtual !== true && !byPrefix.has(info.keyPrefix)) byPrefix.set(info.keyPrefix, info);
  return [...byPrefix.values()];
}
