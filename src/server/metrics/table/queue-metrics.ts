/**
 * The metrics of the controllers' work queues.
 *
 * Source: `component-base/metrics/prometheus/workqueue` and `client-go/util/workqueue/metrics.go` of Kubernetes 1.31.
 *
 * @module
 */
import { metricTable } from './metric-table.js';

/** Kubernetes' buckets: powers of ten from ten nanoseconds, with the inaccuracies of its arithmetic. */
const SECONDS = [1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 0.001, 0.01, 0.1, 1, 10];

export const queueMetrics = metricTable({
  workqueue_depth: { type: 'gauge', stability: 'ALPHA', help: 'Current depth of workqueue', labels: ['name'] },
  workqueue_adds_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Total number of adds handled by workqueue',
    labels: ['name'],
  },
  workqueue_retries_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Total number of retries handled by workqueue',
    labels: ['name'],
  },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'How long in seconds an item stays in workqueue before being requested.',
    labels: ['name'],
    buckets: SECONDS,
  },
  workqueue_work_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'How long in seconds processing an item from workqueue takes.',
    labels: ['name'],
    buckets: SECONDS,
  },
  workqueue_unfinished_work_seconds: {
    type: 'gauge',
    stability: 'ALPHA',
    help: "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    labels: ['name'],
  },
  workqueue_longest_running_processor_seconds: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'How many seconds has the longest running processor for workqueue been running.',
    labels: ['name'],
  },
});
