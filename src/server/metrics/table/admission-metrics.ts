/**
 * The metrics of admission.
 *
 * Source: `apiserver/pkg/admission/metrics` of Kubernetes 1.31.
 *
 * @module
 */
import { metricTable } from './metric-table.js';

const CONTROLLER_DURATIONS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const CONDITION = ['name', 'kind', 'type', 'operation'] as const;
const CHECK = ['policy', 'policy_binding', 'error_type', 'enforcement_action'] as const;
const POD_REQUEST = ['request_operation', 'resource', 'subresource'] as const;
const REJECTION =
  'Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.';
const CONDITIONS =
  'identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).';

export const admissionMetrics = metricTable({
  apiserver_admission_controller_admission_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'type', 'rejected'],
    buckets: CONTROLLER_DURATIONS,
  },
  apiserver_admission_step_admission_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    labels: ['operation', 'type', 'rejected'],
    buckets: CONTROLLER_DURATIONS,
  },
  apiserver_admission_match_condition_evaluation_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Admission match condition evaluation time in seconds, identified by name and broken out for each kind containing matchConditions (webhook or policy), operation and type (validate or admit).',
    labels: CONDITION,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
  },
  apiserver_admission_match_condition_evaluation_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: `Admission match condition evaluation errors count, ${CONDITIONS}`,
    labels: CONDITION,
  },
  apiserver_admission_match_condition_exclusions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: `Admission match condition evaluation exclusions count, ${CONDITIONS}`,
    labels: CONDITION,
  },
  apiserver_validating_admission_policy_check_total: {
    type: 'counter',
    stability: 'BETA',
    help: 'Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
    labels: CHECK,
  },
  apiserver_validating_admission_policy_check_duration_seconds: {
    type: 'histogram',
    stability: 'BETA',
    help: 'Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
    labels: CHECK,
    buckets: [5e-7, 0.001, 0.01, 0.1, 1],
  },
  apiserver_admission_webhook_admission_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'type', 'rejected'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  },
  apiserver_admission_webhook_request_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['name', 'operation', 'type', 'rejected', 'code'],
  },
  apiserver_admission_webhook_rejection_count: {
    type: 'counter',
    stability: 'ALPHA',
    help: `Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. ${REJECTION}`,
    labels: ['name', 'operation', 'type', 'error_type', 'rejection_code'],
  },
  apiserver_admission_webhook_fail_open_count: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
    labels: ['name', 'type'],
  },
  pod_security_evaluations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    labels: [...POD_REQUEST, 'decision', 'policy_level', 'policy_version', 'mode'],
  },
  pod_security_exemptions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of exempt requests, not counting ignored or out of scope requests.',
    labels: POD_REQUEST,
  },
  pod_security_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
    labels: [...POD_REQUEST, 'fatal'],
  },
});
