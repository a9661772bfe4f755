/**
 * The metrics of admission, by the names and labels of Kubernetes 1.31.
 *
 * Source: `apiserver/pkg/admission/metrics` of Kubernetes 1.31.
 *
 * @module
 */
import type {
  ConditionMeter,
  Hook,
  LevelVersion,
  PodSecurityMeter,
  PodSecurityRequest,
  PolicyMeter,
  StageDone,
  StageMeter,
  WebhookMeter,
} from '../../admission/index.js';
import type { Clock } from '../../foundation/index.js';
import { API_RELEASE } from '../settings/version.js';
import type { Histogram, MetricLabels, Metrics, NumberSeries } from './metrics.js';

const CONTROLLER_DURATIONS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const WEBHOOK_DURATIONS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

const TYPES: Readonly<Record<Hook['phase'], string>> = { Mutating: 'admit', Validating: 'validating' };

/** Measures the plugins of a server. */
export function stageMeter(metrics: Metrics, clock: Clock): StageMeter {
  const durations = metrics.histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    stability: 'STABLE',
    help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    buckets: CONTROLLER_DURATIONS,
  });
  const steps = metrics.histogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    stability: 'STABLE',
    help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    buckets: CONTROLLER_DURATIONS,
  });
  const observing = (histogram: Histogram, labels: MetricLabels): StageDone => {
    const seriesOf = (rejected: boolean) => () => histogram.series({ ...labels, rejected: String(rejected) });
    const [admitted, refused] = [lazily(seriesOf(false)), lazily(seriesOf(true))];
    return (rejected, beganMs, endedMs) => (rejected ? refused : admitted)().observe((endedMs - beganMs) / 1000);
  };
  return {
    now: () => clock.now(),
    measure: (name, operation, type) => observing(durations, { name, operation, type }),
    measureStep: (operation, type) => observing(steps, { operation, type }),
  };
}

/** Returns a function that makes a value at its first call. A plugin that never runs has no series. */
function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** Code of a webhook that admits a request. */
const OK = 200;

/** Measures the match conditions of a server. */
function conditionMeter(metrics: Metrics, clock: Clock): ConditionMeter {
  return {
    now: () => clock.now(),
    evaluated({ name, kind, type }, operation, { holds, errors }, tookMs) {
      const labels = { name, kind, type, operation };
      metrics
        .histogram({
          name: 'apiserver_admission_match_condition_evaluation_seconds',
          help: 'Admission match condition evaluation time in seconds, identified by name and broken out for each kind containing matchConditions (webhook or policy), operation and type (validate or admit).',
          stability: 'ALPHA',
          buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
        })
        .series(labels)
        .observe(tookMs / 1000);
      if (errors > 0)
        metrics
          .counter({
            name: 'apiserver_admission_match_condition_evaluation_errors_total',
            help: 'Admission match condition evaluation errors count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
            stability: 'ALPHA',
          })
          .add(errors, labels);
      if (holds === false)
        metrics
          .counter({
            name: 'apiserver_admission_match_condition_exclusions_total',
            help: 'Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
            stability: 'ALPHA',
          })
          .add(1, labels);
    },
  };
}

/** Returns the kind of a failure by its message, as Kubernetes does: a validation that is false is `invalid_error`, too. */
function errorTypeOf(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}

/**
 * Measures the policies of a server. Their names and those of their bindings come from stored objects, whose number is
 * limited by the store.
 */
export function policyMeter(metrics: Metrics, clock: Clock): PolicyMeter {
  return {
    ...conditionMeter(metrics, clock),
    checked(policy, binding, action, message, tookMs) {
      const labels = {
        ...{ policy, policy_binding: binding },
        ...{ error_type: errorTypeOf(message), enforcement_action: action },
      };
      metrics
        .counter({
          name: 'apiserver_validating_admission_policy_check_total',
          help: 'Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
          stability: 'BETA',
        })
        .add(1, labels);
      metrics
        .histogram({
          name: 'apiserver_validating_admission_policy_check_duration_seconds',
          help: 'Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
          stability: 'BETA',
          buckets: [5e-7, 0.001, 0.01, 0.1, 1],
        })
        .series(labels)
        .observe(tookMs / 1000);
    },
  };
}

/** Measures PodSecurity. */
export function podSecurityMeter(metrics: Metrics): PodSecurityMeter {
  const evaluations = metrics.counter({
    name: 'pod_security_evaluations_total',
    help: 'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    stability: 'ALPHA',
  });
  const known = new Map<string, NumberSeries>();
  return {
    evaluated({ policy, mode, denied }, request) {
      const { operation, resource, subresource } = request;
      const version = versionText(policy);
      // Every pod is evaluated.
      const key = `${operation} ${resource} ${subresource} ${mode} ${policy.level} ${version} ${denied}`;
      let series = known.get(key);
      if (series === undefined) {
        series = evaluations.series({
          ...podSecurityLabels(request),
          ...{ decision: denied ? 'deny' : 'allow', policy_level: policy.level, policy_version: version, mode },
        });
        known.set(key, series);
      }
      series.add();
    },
    exempted: (request) =>
      metrics
        .counter({
          name: 'pod_security_exemptions_total',
          help: 'Number of exempt requests, not counting ignored or out of scope requests.',
          stability: 'ALPHA',
        })
        .add(1, podSecurityLabels(request)),
    failed: (isFatal, request) =>
      metrics
        .counter({
          name: 'pod_security_errors_total',
          help: 'Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
          stability: 'ALPHA',
        })
        .add(1, { ...podSecurityLabels(request), fatal: String(isFatal) }),
  };
}

/** Returns the version of a policy. Namespaces may name any later one: those share one label. */
function versionText({ level, minor }: LevelVersion): string {
  if (level === 'privileged' || minor === Infinity) return 'latest';
  return minor > Number(API_RELEASE.minor) ? 'future' : `v1.${minor}`;
}

const podSecurityLabels = ({ operation, resource, subresource }: PodSecurityRequest) => ({
  request_operation: operation.toLowerCase(),
  ...{ resource, subresource },
});

/** Measures the webhooks of a server. Their names come from configurations, whose number is limited by the store. */
export function webhookMeter(metrics: Metrics, clock: Clock): WebhookMeter {
  const labelsOf = ({ name, phase }: Hook, operation: string) => ({ name, operation, type: TYPES[phase] });
  return {
    now: () => clock.now(),
    conditions: conditionMeter(metrics, clock),
    called(hook, operation, beganMs, failure) {
      const labels = labelsOf(hook, operation);
      metrics
        .histogram({
          name: 'apiserver_admission_webhook_admission_duration_seconds',
          stability: 'STABLE',
          help: 'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
          buckets: WEBHOOK_DURATIONS,
        })
        .series({ ...labels, rejected: String(failure !== undefined) })
        .observe((clock.now() - beganMs) / 1000);
      metrics
        .counter({
          name: 'apiserver_admission_webhook_request_total',
          help: 'Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
          stability: 'ALPHA',
        })
        .add(1, {
          ...{ ...labels, rejected: String(failure !== undefined) },
          code: String(failure === undefined ? OK : failure.code),
        });
      if (failure === undefined) return;
      metrics
        .counter({
          name: 'apiserver_admission_webhook_rejection_count',
          stability: 'ALPHA',
          help: 'Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
        })
        .add(1, { ...labels, error_type: failure.type, rejection_code: String(failure.code) });
    },
    failedOpen({ name, phase }) {
      metrics
        .counter({
          name: 'apiserver_admission_webhook_fail_open_count',
          stability: 'ALPHA',
          help: 'Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
        })
        .add(1, { name, type: TYPES[phase] });
    },
  };
}
