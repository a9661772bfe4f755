/**
 * The metrics of the storage. The names are those of etcd's client whatever the engine is.
 *
 * Source: `apiserver/pkg/storage/etcd3/metrics` and `apiserver/pkg/storage/cacher/metrics` of Kubernetes 1.31.
 *
 * @module
 */
import { metricTable } from './metric-table.js';

const DURATIONS = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5],
  ...[6, 8, 10, 15, 20, 30, 45, 60],
];

export const storageMetrics = metricTable({
  etcd_requests_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Etcd request counts for each operation and object type.',
    labels: ['operation', 'type'],
  },
  etcd_request_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Etcd failed request counts for each operation and object type.',
    labels: ['operation', 'type'],
  },
  etcd_request_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Etcd request latency in seconds for each operation and object type.',
    labels: ['operation', 'type'],
    buckets: DURATIONS,
  },
  apiserver_storage_events_received_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of etcd events received split by kind.',
    labels: ['resource'],
  },
  apiserver_storage_list_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of LIST requests served from storage',
    labels: ['resource'],
  },
  apiserver_storage_list_fetched_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of objects read from storage in the course of serving a LIST request',
    labels: ['resource'],
  },
  apiserver_storage_list_evaluated_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of objects tested in the course of serving a LIST request from storage',
    labels: ['resource'],
  },
  apiserver_storage_list_returned_objects_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of objects returned for a LIST request from storage',
    labels: ['resource'],
  },
  apiserver_init_events_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of init events processed in watch cache broken by resource type.',
    labels: ['resource'],
  },
  apiserver_terminated_watchers_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of watchers closed due to unresponsiveness broken by resource type.',
    labels: ['resource'],
  },
  apiserver_storage_objects: {
    type: 'gauge',
    stability: 'STABLE',
    help: 'Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
    labels: ['resource'],
  },
  apiserver_storage_size_bytes: {
    type: 'gauge',
    stability: 'STABLE',
    help: 'Size of the storage database file physically allocated in bytes.',
    labels: ['storage_cluster_id'],
  },
});
