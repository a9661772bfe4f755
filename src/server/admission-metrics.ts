/**
 * The metrics of admission, by the names and labels of Kubernetes 1.31.
 *
 * Source: `apiserver/pkg/admission/metrics` of Kubernetes 1.31.
 *
 * @module
 */
import type { StageMeter } from '../admission/chain.js';
import type { Hook, WebhookMeter } from '../admission/webhook/hook.js';
import type { Clock } from '../meta/clock.js';
import type { Metrics } from './metrics.js';

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
  return {
    now: () => clock.now(),
    measure: (name, operation, type) => {
      const seriesOf = (rejected: boolean) => () =>
        durations.series({ name, operation, type, rejected: String(rejected) });
      const [admitted, refused] = [lazily(seriesOf(false)), lazily(seriesOf(true))];
      return (rejected, beganMs) => (rejected ? refused : admitted)().observe((clock.now() - beganMs) / 1000);
    },
  };
}

/** Returns a function that makes a value at its first call. A plugin that never runs has no series. */
function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** Measures the webhooks of a server. Their names come from configurations, whose number is limited by the store. */
export function webhookMeter(metrics: Metrics, clock: Clock): WebhookMeter {
  const labelsOf = ({ name, phase }: Hook, operation: string) => ({ name, operation, type: TYPES[phase] });
  return {
    now: () => clock.now(),
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
