import {
  aCount,
  aDuration,
  aFunction,
  aName,
  anObject,
  aNumber,
  aPositiveDuration,
  aText,
  either,
  listOf,
  matching,
  nested,
  oneOf,
  withMethods,
  type Duration,
  type Logger,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type {
  AuditBatchOptions,
  AuditDeliveryOptions,
  AuditLogOptions,
  AuditSinkOptions,
  AuditWebhookOptions,
} from '../../security/index.js';
import type { MetricsOptions } from '../../server/index.js';
import type { AuditOptions } from '../observability/audit.js';
import type { TracingOptions } from '../observability/tracing.js';

/** The reports of the server to its operators. */
export interface ObservabilityOptions {
  /** The audit log: which requests are recorded, and where their events go. Default none. */
  readonly audit?: AuditOptions | undefined;
  /**
   * Traces every request with OpenTelemetry, as Kubernetes' APIServerTracing does. Default: nothing is traced, and
   * OpenTelemetry is not loaded.
   */
  readonly tracing?: TracingOptions | undefined;
  /** Which metrics are shown on `/metrics`, and which values of their labels. Default as in Kubernetes. */
  readonly metrics?: MetricsOptions | undefined;
  /** Log of the server. By default failures, including errors thrown by hooks and plugins, go to `console.error`. */
  readonly logger?: Logger | undefined;
  /** Grace period after the start, during which added checks do not fail `/livez`; default 0. */
  readonly livezGracePeriod?: Duration | undefined;
}

const perSecond = matching('a number above 0', (value) => typeof value === 'number' && value > 0);
const off: OptionCheck = matching('an object, or false', (value) => value === false);

const deliveryChecks: OptionChecks<AuditDeliveryOptions> = {
  mode: oneOf('batch', 'blocking', 'blocking-strict'),
  batch: nested({
    bufferSize: aCount('events', 1),
    bufferBytes: aNumber('bytes', 1),
    maxSize: aCount('events', 1),
    maxWait: aDuration,
    throttle: either(off, nested({ qps: perSecond, burst: aCount('batches', 1) })),
  } satisfies OptionChecks<AuditBatchOptions>),
  truncate: either(off, nested({ maxEventBytes: aCount('bytes', 1), maxBatchBytes: aCount('bytes', 1) })),
};

/** Checks `audit.sink`. */
const anAuditSink: OptionCheck = either(
  aFunction,
  nested({ ...deliveryChecks, write: aFunction, timeout: aPositiveDuration } satisfies OptionChecks<AuditSinkOptions>, [
    'write',
  ]),
);

const auditLogChecks: OptionChecks<AuditLogOptions> = {
  ...deliveryChecks,
  output: withMethods('an output of lines, such as auditFile() returns', 'write'),
  format: oneOf('json', 'legacy'),
};

const auditWebhookChecks: OptionChecks<AuditWebhookOptions> = {
  ...deliveryChecks,
  post: aFunction,
  initialBackoff: aPositiveDuration,
  timeout: aPositiveDuration,
};

/** Checks `audit`; the policy is checked when the server starts. */
const auditChecks: OptionChecks<AuditOptions> = {
  policy: anObject,
  sink: anAuditSink,
  log: nested(auditLogChecks, ['output']),
  webhook: nested(auditWebhookChecks, ['post']),
  annotations: matching(
    'an object of strings',
    (value) =>
      typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string'),
  ),
};

/** Checks `metrics`; {@link MetricRules} checks the texts. */
const metricsChecks: OptionChecks<MetricsOptions> = {
  showHiddenForVersion: aText,
  disabled: listOf(aName, 'a list of names of metrics'),
  allowLabels: (value, path) =>
    anObject(value, path) ??
    Object.entries(value as object)
      .map(([key, values]) => listOf(aText, 'a list of values')(values, `${path}[${JSON.stringify(key)}]`))
      .find((problem) => problem !== undefined),
};

const aTracer = nested({ tracer: withMethods('a tracer of OpenTelemetry', 'startSpan') }, ['tracer']);
const aTracerProvider = nested({ tracerProvider: withMethods('a provider of tracers of OpenTelemetry', 'getTracer') }, [
  'tracerProvider',
]);

/** Checks `tracing`: a tracer or a provider. */
const aTracing: OptionCheck = (value, path) =>
  (typeof value === 'object' && value !== null && 'tracer' in value ? aTracer : aTracerProvider)(value, path);

/** Checks `observability`. */
export const observabilityChecks: OptionChecks<ObservabilityOptions> = {
  audit: nested(auditChecks, ['policy']),
  tracing: aTracing,
  metrics: nested(metricsChecks),
  logger: withMethods('a logger', 'info', 'error'),
  livezGracePeriod: aDuration,
};

/** Returns what contradicts itself in `observability`. */
export function contradictionInObservability({ audit }: ObservabilityOptions = {}): string | undefined {
  return audit !== undefined && audit.sink === undefined && audit.log === undefined && audit.webhook === undefined
    ? 'the option observability.audit needs sink, log or webhook: otherwise no event is written'
    : undefined;
}
