/**
 * The metrics of authentication, authorization, certificates and the audit log.
 *
 * Sources: `apiserver/pkg/endpoints/filters/metrics.go`, `apiserver/pkg/authentication`, `apiserver/pkg/audit` and
 * `apiserver/pkg/util/webhook/metrics.go` of Kubernetes 1.31.
 *
 * @module
 */
import type { Dialect } from '../../../foundation/index.js';
import { metricTable } from './metric-table.js';

/** Kubernetes' buckets: doubled from a millisecond. */
const DURATIONS = Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index);

/** Kubernetes' buckets: from half an hour to 360 days, in seconds. */
const LIFETIMES = [
  ...[0, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 345_600, 604_800],
  ...[2_592_000, 7_776_000, 15_552_000, 31_104_000],
];

export const accessMetrics = metricTable({
  authentication_attempts: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of authenticated attempts.',
    labels: ['result'],
  },
  authenticated_user_requests: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of authenticated requests broken out by username.',
    labels: ['username'],
  },
  authentication_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Authentication duration in seconds broken out by result.',
    labels: ['result'],
    buckets: DURATIONS,
  },
  authorization_attempts_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ['result'],
  },
  authorization_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Authorization duration in seconds broken out by result.',
    labels: ['result'],
    buckets: DURATIONS,
  },
  apiserver_client_certificate_expiration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Distribution of the remaining lifetime on the certificate used to authenticate a request.',
    labels: [],
    buckets: LIFETIMES,
  },
});

/** The metrics of the cache of tokens. Kubernetes gives them no help texts. */
export const tokenCacheMetrics = metricTable({
  authentication_token_cache_request_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: '',
    labels: ['status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  authentication_token_cache_request_total: { type: 'counter', stability: 'ALPHA', help: '', labels: ['status'] },
  authentication_token_cache_fetch_total: { type: 'counter', stability: 'ALPHA', help: '', labels: ['status'] },
  authentication_token_cache_active_fetch_count: { type: 'gauge', stability: 'ALPHA', help: '', labels: ['status'] },
});

const certificateFaults = (fault: string, failure: string): string =>
  `Counts the number of requests to servers ${fault} in their serving certificate OR the number of connection failures due to the ${failure} (either/or, based on the runtime environment)`;

/** The metrics of webhooks whose certificates are not accepted. */
export const certificateFaultMetrics = metricTable({
  apiserver_webhooks_x509_missing_san_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: certificateFaults('missing SAN extension', 'lack of x509 certificate SAN extension missing'),
    labels: [],
  },
  apiserver_webhooks_x509_insecure_sha1_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: certificateFaults('with insecure SHA1 signatures', 'insecure SHA1 signatures'),
    labels: [],
  },
});

/** Returns the metrics of issued certificates. Their help texts name the domain of the signers. */
export function certificateMetrics({ labelDomain }: Dialect) {
  const help = (what: string): string =>
    `Total number of issued CSRs with a requested duration${what}, sliced by signer (only ${labelDomain} signer names are specifically identified)`;
  return metricTable({
    apiserver_certificates_registry_csr_requested_duration_total: {
      type: 'counter',
      stability: 'ALPHA',
      help: help(''),
      labels: ['signerName'],
    },
    apiserver_certificates_registry_csr_honored_duration_total: {
      type: 'counter',
      stability: 'ALPHA',
      help: help(' that was honored'),
      labels: ['signerName'],
    },
  });
}

export const auditMetrics = metricTable({
  apiserver_audit_error_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    labels: ['plugin'],
  },
  apiserver_audit_event_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of audit events generated and sent to the audit backend.',
    labels: [],
  },
  apiserver_audit_level_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of policy levels for audit events (1 per request).',
    labels: ['level'],
  },
  apiserver_audit_requests_rejected_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Counter of apiserver requests rejected due to an error in audit logging backend.',
    labels: [],
  },
});

/** The configuration files that a server reads again when they change, as help texts name them. */
const RELOADED = {
  apiserver_authentication_config_controller: 'authentication configuration',
  apiserver_authorization_config_controller: 'authorization configuration',
  apiserver_encryption_config_controller: 'encryption configuration',
  apiserver_audit_policy: 'audit policy',
} as const;

/** The prefix of the metrics of a configuration file. */
export type ReloadedSubsystem = keyof typeof RELOADED;

/** Returns the metrics of the reloads of a configuration file. */
export function reloadMetrics(subsystem: ReloadedSubsystem) {
  const table = metricTable({
    reloads_total: {
      type: 'counter',
      stability: 'ALPHA',
      help: `Total number of automatic reloads of ${RELOADED[subsystem]} split by status and apiserver identity.`,
      labels: ['status', 'apiserver_id_hash'],
    },
    reload_last_timestamp_seconds: {
      type: 'gauge',
      stability: 'ALPHA',
      help: `Timestamp of the last automatic reload of ${RELOADED[subsystem]} split by status and apiserver identity.`,
      labels: ['status', 'apiserver_id_hash'],
    },
  });
  return {
    total: { ...table.reloads_total, name: `${subsystem}_automatic_reloads_total` },
    lastSeconds: {
      ...table.reload_last_timestamp_seconds,
      name: `${subsystem}_automatic_reload_last_timestamp_seconds`,
    },
  };
}
