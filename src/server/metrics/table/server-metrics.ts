/**
 * The metrics of the server as a whole: its build, its memory, its process, and the metrics themselves.
 *
 * @module
 */
import type { Dialect } from '../../../foundation/index.js';
import { metricTable } from './metric-table.js';

export const serverMetrics = metricTable({
  apiserver_tls_handshake_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: "Number of requests dropped with 'TLS handshake error from' error",
    labels: [],
  },
  apiserver_memory_reserved_bytes: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Memory in bytes that the memory budget of the server counts, by use. `bodies` is that of requests in flight.',
    labels: ['use'],
  },
  apiserver_compiled_bytes: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Estimated memory in bytes of what is compiled from definitions: schemas, patterns, columns, rules and the expressions of policies and webhooks.',
    labels: [],
  },
  apiserver_memory_refused_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of requests that were refused because the memory budget of the server was used up, or the share of their user.',
    labels: ['reason'],
  },
});

/** The metrics of the process, by the names of Prometheus' client libraries. */
export const processMetrics = metricTable({
  process_cpu_seconds_total: {
    type: 'counter',
    stability: undefined,
    help: 'Total user and system CPU time spent in seconds.',
    labels: [],
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    stability: undefined,
    help: 'Resident memory size in bytes.',
    labels: [],
  },
  process_start_time_seconds: {
    type: 'gauge',
    stability: undefined,
    help: 'Start time of the process since unix epoch in seconds.',
    labels: [],
  },
  nodejs_heap_size_total_bytes: {
    type: 'gauge',
    stability: undefined,
    help: 'Process heap size from Node.js in bytes.',
    labels: [],
  },
  nodejs_heap_size_used_bytes: {
    type: 'gauge',
    stability: undefined,
    help: 'Process heap size used from Node.js in bytes.',
    labels: [],
  },
  nodejs_external_memory_bytes: {
    type: 'gauge',
    stability: undefined,
    help: 'Node.js external memory size in bytes.',
    labels: [],
  },
  process_open_fds: {
    type: 'gauge',
    stability: undefined,
    help: 'Number of open file descriptors.',
    labels: [],
  },
  process_max_fds: {
    type: 'gauge',
    stability: undefined,
    help: 'Maximum number of open file descriptors.',
    labels: [],
  },
  process_virtual_memory_bytes: {
    type: 'gauge',
    stability: undefined,
    help: 'Virtual memory size in bytes.',
    labels: [],
  },
});

/** The metrics about metrics, which do not count themselves. */
export const metricsOfMetrics = metricTable({
  hidden_metrics_total: {
    type: 'counter',
    stability: 'BETA',
    help: 'The count of hidden metrics.',
    labels: [],
  },
  disabled_metrics_total: {
    type: 'counter',
    stability: 'BETA',
    help: 'The count of disabled metrics.',
    labels: [],
  },
  registered_metrics_total: {
    type: 'counter',
    stability: 'BETA',
    help: 'The count of registered metrics broken by stability level and deprecation version.',
    labels: ['stability_level', 'deprecated_version'],
  },
  cardinality_enforcement_unexpected_categorizations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'The count of unexpected categorizations during cardinality enforcement.',
    labels: [],
  },
});

/** Returns the metrics of the build and of the feature gates, whose names have the name of the product. */
export const productMetrics = ({ product, productTitle, groupSuffix }: Dialect) => {
  const table = metricTable({
    build_info: {
      type: 'gauge',
      stability: 'ALPHA',
      help: `A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which ${productTitle} was built, and platform on which it is running.`,
      labels: [
        ...(['major', 'minor', 'git_version', 'git_commit', 'git_tree_state'] as const),
        ...(['build_date', 'go_version', 'compiler', 'platform'] as const),
      ],
    },
    feature_enabled: {
      type: 'gauge',
      stability: 'BETA',
      help: `This metric records the data about the stage and enablement of a ${groupSuffix.split('.')[0] ?? ''} feature.`,
      labels: ['name', 'stage'],
    },
  });
  const prefix = product.replaceAll('-', '_');
  return {
    build: { ...table.build_info, name: `${prefix}_build_info` },
    features: { ...table.feature_enabled, name: `${prefix}_feature_enabled` },
  };
};
