/**
 * The metrics of the flow control.
 *
 * Source: `apiserver/pkg/util/flowcontrol/metrics` of Kubernetes 1.31.
 *
 * @module
 */
import { metricTable } from './metric-table.js';

const DURATIONS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
const LEVEL = ['priority_level'] as const;
const FLOW = ['priority_level', 'flow_schema'] as const;

export const flowMetrics = metricTable({
  apiserver_flowcontrol_seat_fair_frac: {
    type: 'gauge',
    stability: 'ALPHA',
    help: "Fair fraction of server's concurrency to allocate to each priority level that can use it",
    labels: [],
  },
  apiserver_flowcontrol_nominal_limit_seats: {
    type: 'gauge',
    stability: 'BETA',
    help: 'Nominal number of execution seats configured for each priority level',
    labels: LEVEL,
  },
  apiserver_flowcontrol_lower_limit_seats: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Configured lower bound on number of execution seats available to each priority level',
    labels: LEVEL,
  },
  apiserver_flowcontrol_upper_limit_seats: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Configured upper bound on number of execution seats available to each priority level',
    labels: LEVEL,
  },
  apiserver_flowcontrol_current_limit_seats: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'current derived number of execution seats available to each priority level',
    labels: LEVEL,
  },
  apiserver_flowcontrol_demand_seats_high_watermark: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'High watermark, over last adjustment period, of demand_seats',
    labels: LEVEL,
  },
  apiserver_flowcontrol_demand_seats_average: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Time-weighted average, over last adjustment period, of demand_seats',
    labels: LEVEL,
  },
  apiserver_flowcontrol_demand_seats_stdev: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Time-weighted standard deviation, over last adjustment period, of demand_seats',
    labels: LEVEL,
  },
  apiserver_flowcontrol_demand_seats_smoothed: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Smoothed seat demands',
    labels: LEVEL,
  },
  apiserver_flowcontrol_target_seats: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Seat allocation targets',
    labels: LEVEL,
  },
  apiserver_flowcontrol_current_r: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'R(time of last change)',
    labels: LEVEL,
  },
  apiserver_flowcontrol_dispatch_r: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'R(time of last dispatch)',
    labels: LEVEL,
  },
  apiserver_flowcontrol_latest_s: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'S(most recently dispatched request)',
    labels: LEVEL,
  },
  apiserver_flowcontrol_next_s_bounds: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'min and max, over queues, of S(oldest waiting request in queue)',
    labels: [...LEVEL, 'bound'],
  },
  apiserver_flowcontrol_next_discounted_s_bounds: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
    labels: [...LEVEL, 'bound'],
  },
  apiserver_flowcontrol_epoch_advance_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: "Number of times the queueset's progress meter jumped backward",
    labels: [...LEVEL, 'success'],
  },
  apiserver_flowcontrol_read_vs_write_current_requests: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
    labels: ['phase', 'request_kind'],
    buckets: [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  },
  apiserver_flowcontrol_priority_level_request_utilization: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Observations, at the end of every nanosecond, of number of requests waiting or in any stage of execution (but only initial stage for WATCHes); denominator for waiting is max(1, QueueLengthLimit) X max(1, DesiredNumQueues), for executing is current seat limit if that is not zero otherwise max(1, round(server seat limit/10))',
    labels: ['phase', ...LEVEL],
    buckets: [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
  },
  apiserver_flowcontrol_priority_level_seat_utilization: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes); denominator is current seat limit or max(1, round(server seat limit/10))',
    labels: ['phase', ...LEVEL],
    buckets: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  },
  apiserver_flowcontrol_demand_seats: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (current seat limit for that level if that is not zero otherwise max(1, round(server seat limit/10.0)))',
    labels: LEVEL,
    buckets: [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
  },
  apiserver_flowcontrol_work_estimated_seats: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
    labels: FLOW,
    buckets: [1, 2, 4, 10],
  },
  apiserver_flowcontrol_request_queue_length_after_enqueue: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
    labels: FLOW,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
  },
  apiserver_flowcontrol_watch_count_samples: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'count of watchers for mutating requests in API Priority and Fairness',
    labels: FLOW,
    buckets: [0, 1, 10, 100, 1000, 10_000],
  },
  apiserver_flowcontrol_request_wait_duration_seconds: {
    type: 'histogram',
    stability: 'BETA',
    help: 'Length of time a request spent waiting in its queue',
    labels: [...FLOW, 'execute'],
    buckets: DURATIONS,
  },
  apiserver_flowcontrol_request_execution_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
    labels: [...FLOW, 'type'],
    buckets: DURATIONS,
  },
  apiserver_flowcontrol_current_inqueue_requests: {
    type: 'gauge',
    stability: 'BETA',
    help: 'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    labels: FLOW,
  },
  apiserver_flowcontrol_current_inqueue_seats: {
    type: 'gauge',
    stability: 'ALPHA',
    help: 'Number of seats currently pending in queues of the API Priority and Fairness subsystem',
    labels: FLOW,
  },
  apiserver_flowcontrol_current_executing_requests: {
    type: 'gauge',
    stability: 'BETA',
    help: 'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
    labels: FLOW,
  },
  apiserver_flowcontrol_current_executing_seats: {
    type: 'gauge',
    stability: 'BETA',
    help: 'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
    labels: FLOW,
  },
  apiserver_flowcontrol_dispatched_requests_total: {
    type: 'counter',
    stability: 'BETA',
    help: 'Number of requests executed by API Priority and Fairness subsystem',
    labels: FLOW,
  },
  apiserver_flowcontrol_rejected_requests_total: {
    type: 'counter',
    stability: 'BETA',
    help: 'Number of requests rejected by API Priority and Fairness subsystem',
    labels: [...FLOW, 'reason'],
  },
  apiserver_flowcontrol_request_dispatch_no_accommodation_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
    labels: FLOW,
  },
});
