/**
 * The metrics of requests and watches.
 *
 * Source: `apiserver/pkg/endpoints/metrics` of Kubernetes 1.31; `apiserver_turn_seconds` and those of the work of requests
 * are this server's own.
 *
 * @module
 */
import { metricTable } from './metric-table.js';

const DURATIONS = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5],
  ...[6, 8, 10, 15, 20, 30, 45, 60],
];
/** Kubernetes' buckets of durations without the time of others: they begin later. */
const SLI_DURATIONS = DURATIONS.filter((bound) => bound >= 0.05);
const SLI_HELP =
  'Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.';

/** The labels of a route, without those that only some metrics have. */
const ROUTE = ['verb', 'group', 'version', 'resource', 'subresource', 'scope'] as const;

/** Kubernetes' buckets of the sizes of events: doubled from 1 KiB. */
const EVENT_SIZES = Array.from({ length: 8 }, (_, index) => 1024 * 2 ** index);

export const requestMetrics = metricTable({
  apiserver_request_total: {
    type: 'counter',
    stability: 'STABLE',
    help: 'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    labels: [...ROUTE, 'component', 'dry_run', 'code'],
  },
  apiserver_request_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    labels: [...ROUTE, 'component', 'dry_run'],
    buckets: DURATIONS,
  },
  apiserver_request_sli_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: SLI_HELP,
    labels: [...ROUTE, 'component'],
    buckets: SLI_DURATIONS,
  },
  apiserver_request_slo_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    deprecated: '1.27.0',
    help: SLI_HELP,
    labels: [...ROUTE, 'component'],
    buckets: SLI_DURATIONS,
  },
  apiserver_response_sizes: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    labels: [...ROUTE, 'component'],
    // Powers of ten from 1,000 bytes.
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
  },
  apiserver_longrunning_requests: {
    type: 'gauge',
    stability: 'STABLE',
    help: 'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    labels: [...ROUTE, 'component'],
  },
  apiserver_request_terminations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of requests which apiserver terminated in self-defense.',
    labels: [...ROUTE, 'component', 'code'],
  },
  apiserver_request_aborts_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of requests which apiserver aborted possibly due to a timeout, for each group, version, verb, resource, subresource and scope',
    labels: ROUTE,
  },
  apiserver_request_post_timeout_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Tracks the activity of the request handlers after the associated requests have been timed out by the apiserver',
    labels: ['source', 'status'],
  },
  apiserver_request_filter_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Request filter latency distribution in seconds, for each filter type',
    labels: ['filter'],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
  },
  apiserver_requested_deprecated_apis: {
    type: 'gauge',
    stability: 'STABLE',
    help: 'Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
  },
  apiserver_current_inflight_requests: {
    type: 'gauge',
    stability: 'STABLE',
    help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    labels: ['request_kind'],
  },
  apiserver_current_inqueue_requests: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Maximal number of queued requests in this apiserver per request kind in last second.',
    labels: ['request_kind'],
  },
  apiserver_watch_events_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of events sent in watch clients',
    labels: ['group', 'version', 'kind'],
  },
  apiserver_watch_events_sizes: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Watch event size distribution in bytes',
    labels: ['group', 'version', 'kind'],
    buckets: EVENT_SIZES,
  },
  apiserver_turn_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Duration in seconds of the pieces in which requests use the event loop. While one lasts, all others wait.',
    labels: [],
    buckets: [0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  apiserver_request_cpu_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time of the processor in seconds that a request used until its response began.',
    labels: [],
    buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  },
  apiserver_slices_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of times that requests with long work left the event loop to others, by the kind of work.',
    labels: ['area'],
  },
  apiserver_work_ended_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of requests whose work was ended, by reason: its deadline, its client that disconnected, or its limit of time of the processor.',
    labels: ['reason'],
  },
  apiserver_flow_cpu_seconds_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Time of the processor in seconds that the requests of a flow schema have used, at its priority level. Both are empty without priority and fairness.',
    labels: ['priority_level', 'flow_schema'],
  },
});
