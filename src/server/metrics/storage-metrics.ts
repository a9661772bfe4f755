/**
 * The metrics of the storage, by the names and labels of Kubernetes 1.31.
 *
 * @module
 */
import { qualified, readyValue, type Clock } from '../../foundation/index.js';
import type { ListTally, ResourceInfo, StoreMeter, StoreMeters } from '../../registry/index.js';
import {
  decorateStorage,
  StorageError,
  type MemoryBudget,
  type Storage,
  type StorageErrorCode,
} from '../../storage/index.js';
import type {
  HistogramSeries,
  MetricCollector,
  MetricLabels,
  MetricOptions,
  Metrics,
  NumberSeries,
} from './metrics.js';
import { storageMetrics } from './table/storage-metrics.js';

/** Outcomes of a write that are not failures of the storage. */
const OUTCOMES: ReadonlySet<StorageErrorCode> = new Set(['KeyExists', 'KeyNotFound', 'Conflict']);

/** The series of one operation on the objects of a kind. */
class OperationSeries {
  readonly #now: () => number;
  readonly #total: NumberSeries;
  readonly #durations: HistogramSeries;
  /** Made with the first failure: most storages never fail. */
  readonly #errors: () => NumberSeries;

  constructor(metrics: Metrics, now: () => number, labels: MetricLabels<'operation' | 'type'>) {
    this.#now = now;
    this.#total = metrics.counter(storageMetrics.etcd_requests_total).series(labels);
    this.#durations = metrics.histogram(storageMetrics.etcd_request_duration_seconds).series(labels);
    this.#errors = () => metrics.counter(storageMetrics.etcd_request_errors_total).series(labels);
  }

  /** Measures a call beside it, and returns its promise as it is. */
  follow<Result>(pending: Promise<Result>, beganMs: number): Promise<Result> {
    if (readyValue(pending) !== undefined) {
      this.#ended(beganMs);
      return pending;
    }
    pending.then(
      () => this.#ended(beganMs),
      (error: unknown) => {
        this.#ended(beganMs);
        if (!(error instanceof StorageError) || !OUTCOMES.has(error.code)) this.#errors().add();
      },
    );
    return pending;
  }

  #ended(beganMs: number): void {
    this.#total.add();
    this.#durations.observe((this.#now() - beganMs) / 1000);
  }
}

/** Measures the objects of one kind. Series are made when they are first needed. */
class KindMeter implements StoreMeter {
  readonly #metrics: Metrics;
  readonly #now: () => number;
  readonly #resource: string;
  readonly #operations = new Map<string, OperationSeries>();
  #lists: Record<'total' | 'fetched' | 'evaluated' | 'returned', NumberSeries> | undefined;

  constructor(metrics: Metrics, clock: Clock, { resource, group }: ResourceInfo) {
    this.#metrics = metrics;
    this.#now = () => clock.now();
    this.#resource = qualified(resource, group);
  }

  measured(inner: Storage): Storage {
    let events: NumberSeries | undefined;
    const received = (): NumberSeries =>
      (events ??= this.#counter(storageMetrics.apiserver_storage_events_received_total));
    const now = this.#now;
    // The time is read before the engine is called, and the rest is done when it has answered.
    return decorateStorage(inner, {
      get: (key) => {
        const began = now();
        return this.#operation('get').follow(inner.get(key), began);
      },
      list: (prefix, options) => {
        const began = now();
        return this.#operation('list').follow(inner.list(prefix, options), began);
      },
      create: (key, encode, options) => {
        const began = now();
        return this.#operation('create').follow(inner.create(key, encode, options), began);
      },
      update: (key, encode, revision, options) => {
        const began = now();
        return this.#operation('update').follow(inner.update(key, encode, revision, options), began);
      },
      delete: (key, encode, revision, options) => {
        const began = now();
        return this.#operation('delete').follow(inner.delete(key, encode, revision, options), began);
      },
      watch: (prefix, from, sink) =>
        inner.watch(prefix, from, {
          acceptsUnreadable: sink.acceptsUnreadable,
          events: (delivered) => {
            received().add(delivered.length);
            sink.events(delivered);
          },
          progress: (revision) => sink.progress(revision),
          end: (reason) => sink.end(reason),
        }),
    });
  }

  listed({ fetched, evaluated }: ListTally, returned: number): void {
    const lists = (this.#lists ??= {
      total: this.#counter(storageMetrics.apiserver_storage_list_total),
      fetched: this.#counter(storageMetrics.apiserver_storage_list_fetched_objects_total),
      evaluated: this.#counter(storageMetrics.apiserver_storage_list_evaluated_objects_total),
      returned: this.#counter(storageMetrics.apiserver_storage_list_returned_objects_total),
    });
    lists.total.add();
    lists.fetched.add(fetched);
    lists.evaluated.add(evaluated);
    lists.returned.add(returned);
  }

  sentInitially(objects: number): void {
    this.#counter(storageMetrics.apiserver_init_events_total).add(objects);
  }

  lostWatcher(): void {
    this.#counter(storageMetrics.apiserver_terminated_watchers_total).add();
  }

  #operation(operation: string): OperationSeries {
    let series = this.#operations.get(operation);
    if (series === undefined) {
      series = new OperationSeries(this.#metrics, this.#now, { operation, type: this.#resource });
      this.#operations.set(operation, series);
    }
    return series;
  }

  #counter(row: MetricOptions<'resource'> & { readonly type: 'counter' }): NumberSeries {
    return this.#metrics.counter(row).series({ resource: this.#resource });
  }
}

/** Returns what measures the kinds of a server. Their names come from the catalogue, never from a request. */
export const storeMeters =
  (metrics: Metrics, clock: Clock): StoreMeters =>
  (info) =>
    new KindMeter(metrics, clock, info);

/** Returns a collector of the size of the stored objects, for engines that hold them in memory. */
export function measureStorageSize(metrics: Metrics, memory: MemoryBudget): MetricCollector {
  return () => {
    const bytes = memory.usedFor('objects');
    if (bytes === 0) return;
    metrics.gauge(storageMetrics.apiserver_storage_size_bytes).set(bytes, { storage_cluster_id: 'etcd-0' });
  };
}
