/**
 * The metrics of the controllers that a program writes.
 *
 * Source: `pkg/internal/controller/metrics` of controller-runtime 0.19; `informer_stale_seconds` is of this package.
 *
 * @module
 */
import { metricTable } from './metric-table.js';

const SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export const controllerMetrics = metricTable({
  controller_runtime_reconcile_total: {
    type: 'counter',
    stability: undefined,
    help: 'Total number of reconciliations per controller',
    labels: ['controller', 'result'],
  },
  controller_runtime_reconcile_errors_total: {
    type: 'counter',
    stability: undefined,
    help: 'Total number of reconciliation errors per controller',
    labels: ['controller'],
  },
  controller_runtime_terminal_reconcile_errors_total: {
    type: 'counter',
    stability: undefined,
    help: 'Total number of terminal reconciliation errors per controller',
    labels: ['controller'],
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    stability: undefined,
    help: 'Length of time per reconciliation per controller',
    labels: ['controller'],
    buckets: SECONDS,
  },
  controller_runtime_max_concurrent_reconciles: {
    type: 'gauge',
    stability: undefined,
    help: 'Maximum number of concurrent reconciles per controller',
    labels: ['controller'],
  },
  controller_runtime_active_workers: {
    type: 'gauge',
    stability: undefined,
    help: 'Number of currently used workers per controller',
    labels: ['controller'],
  },
  informer_stale_seconds: {
    type: 'gauge',
    stability: undefined,
    help: 'Time since the server last sent a change, a bookmark or a list of a kind',
    labels: ['kind'],
  },
});
