/**
 * The metrics of admission, by the names and labels of Kubernetes 1.31.
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
import type { HistogramSeries, Metrics, NumberSeries } from './metrics.js';
import { admissionMetrics } from './table/admission-metrics.js';

const TYPES: Readonly<Record<Hook['phase'], string>> = { Mutating: 'admit', Validating: 'validating' };

/** Measures the plugins of a server. */
export function stageMeter(metrics: Metrics, clock: Clock): StageMeter {
  const durations = metrics.histogram(admissionMetrics.apiserver_admission_controller_admission_duration_seconds);
  const steps = metrics.histogram(admissionMetrics.apiserver_admission_step_admission_duration_seconds);
  const observing = (seriesFor: (rejected: string) => HistogramSeries): StageDone => {
    const seriesOf = (rejected: boolean) => () => seriesFor(String(rejected));
    const [admitted, refused] = [lazily(seriesOf(false)), lazily(seriesOf(true))];
    return (rejected, beganMs, endedMs) => (rejected ? refused : admitted)().observe((endedMs - beganMs) / 1000);
  };
  return {
    now: () => clock.now(),
    measure: (name, operation, type) => observing((rejected) => durations.series({ name, operation, type, rejected })),
    measureStep: (operation, type) => observing((rejected) => steps.series({ operation, type, rejected })),
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
        .histogram(admissionMetrics.apiserver_admission_match_condition_evaluation_seconds)
        .series(labels)
        .observe(tookMs / 1000);
      if (errors > 0)
        metrics
          .counter(admissionMetrics.apiserver_admission_match_condition_evaluation_errors_total)
          .add(errors, labels);
      if (holds === false)
        metrics.counter(admissionMetrics.apiserver_admission_match_condition_exclusions_total).add(1, labels);
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
      metrics.counter(admissionMetrics.apiserver_validating_admission_policy_check_total).add(1, labels);
      metrics
        .histogram(admissionMetrics.apiserver_validating_admission_policy_check_duration_seconds)
        .series(labels)
        .observe(tookMs / 1000);
    },
  };
}

/** Measures PodSecurity. */
export function podSecurityMeter(metrics: Metrics): PodSecurityMeter {
  const evaluations = metrics.counter(admissionMetrics.pod_security_evaluations_total);
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
      metrics.counter(admissionMetrics.pod_security_exemptions_total).add(1, podSecurityLabels(request)),
    failed: (isFatal, request) =>
      metrics
        .counter(admissionMetrics.pod_security_errors_total)
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
        .histogram(admissionMetrics.apiserver_admission_webhook_admission_duration_seconds)
        .series({ ...labels, rejected: String(failure !== undefined) })
        .observe((clock.now() - beganMs) / 1000);
      metrics.counter(admissionMetrics.apiserver_admission_webhook_request_total).add(1, {
        ...{ ...labels, rejected: String(failure !== undefined) },
        code: String(failure === undefined ? OK : failure.code),
      });
      if (failure === undefined) return;
      metrics
        .counter(admissionMetrics.apiserver_admission_webhook_rejection_count)
        .add(1, { ...labels, error_type: failure.type, rejection_code: String(failure.code) });
    },
    failedOpen({ name, phase }) {
      metrics
        .counter(admissionMetrics.apiserver_admission_webhook_fail_open_count)
        .add(1, { name, type: TYPES[phase] });
    },
  };
}
