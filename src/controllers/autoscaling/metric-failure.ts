import { goQuote, groupName, messageOf, shownText, systemGroup, type Dialect } from '../../foundation/index.js';
import type { autoscalingV2 } from '../../kinds/index.js';
import { selectorWords } from '../runtime/selector-words.js';

/** A metric that cannot be read, with the reason of the condition. Long messages are cut off: names may be long. */
export class MetricFailure extends Error {
  readonly reason: string;
  /** The message as a part of that about all metrics. */
  readonly summary: string;

  constructor(reason: string, message: string, summary = message) {
    super(shownText(message));
    this.reason = reason;
    this.summary = shownText(summary);
  }
}

/** The facts that the words about a metric depend on. */
export interface MetricContext {
  readonly namespace: string;
  readonly dialect: Dialect;
}

/**
 * Returns the failure of a metric in the words of release 1.31.
 *
 * @param error why a resource of pods cannot be measured; the server has no other metrics
 */
export function failureOf(metric: autoscalingV2.MetricSpec, error: unknown, context: MetricContext): MetricFailure {
  const { type, resource, containerResource, pods, object, external } = metric;
  if (resource !== undefined) {
    const message = usageMessage(resource, error);
    const summary = `failed to get ${resource.name} resource metric value: ${message}`;
    return new MetricFailure('FailedGetResourceMetric', message, summary);
  }
  if (containerResource !== undefined) {
    const message = usageMessage(containerResource, error);
    const summary = `failed to get ${containerResource.container} container metric value: ${message}`;
    return new MetricFailure('FailedGetContainerResourceMetric', message, summary);
  }
  if (pods !== undefined) {
    const message = `unable to get metric ${pods.metric.name}: ${noCustomMetrics(context)}`;
    return new MetricFailure('FailedGetPodsMetric', message, `failed to get pods metric value: ${message}`);
  }
  if (object !== undefined) {
    const { kind, name } = object.describedObject;
    // Release 1.31 writes the error where the name of the object belongs, and the other way round.
    const message = `unable to get metric ${object.metric.name}: ${kind} on ${context.namespace} ${name}/${noCustomMetrics(context)}`;
    return new MetricFailure('FailedGetObjectMetric', message, `failed to get object metric value: ${message}`);
  }
  if (external !== undefined) return externalFailure(external, context);
  return new MetricFailure('InvalidMetricSourceType', `unknown metric source type ${goQuote(type)}`);
}

function usageMessage(
  { name, target }: { readonly name: string; readonly target: autoscalingV2.MetricTarget },
  error: unknown,
): string {
  const what = target.averageUtilization === undefined ? 'usage' : 'utilization';
  return `failed to get ${name} ${what}: ${messageOf(error)}`;
}

const noCustomMetrics = ({ dialect }: MetricContext): string =>
  `unable to fetch metrics from custom metrics API: no custom metrics API (${metricsGroup('custom', dialect)}) registered`;

const metricsGroup = (what: string, dialect: Dialect): string => groupName(systemGroup(`${what}.metrics`), dialect);

function externalFailure(
  { metric, target }: autoscalingV2.ExternalMetricSource,
  context: MetricContext,
): MetricFailure {
  const { name, selector } = metric;
  const reason = 'FailedGetExternalMetric';
  if (target.value === undefined && target.averageValue === undefined) {
    const message = 'invalid external metric source: neither a value target nor an average value target was set';
    return new MetricFailure(reason, message, `failed to get ${name} external metric value: ${message}`);
  }
  const api = `unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${name}.${metricsGroup('external', context.dialect)})`;
  const message = `unable to get external metric ${context.namespace}/${name}/${selectorWords(selector)}: ${api}`;
  const what = target.averageValue === undefined ? `external metric ${name}` : `${name} external metric`;
  return new MetricFailure(
    reason,
    message,
    `failed to get ${name} external metric value: failed to get ${what}: ${message}`,
  );
}
