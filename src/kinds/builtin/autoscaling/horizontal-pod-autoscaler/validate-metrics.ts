import {
  compareQuantity,
  dnsLabelErrors,
  forbidden,
  invalid,
  notSupported,
  pathSegment,
  required,
  resultOf,
  type Dialect,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import type { autoscalingV2 } from '../../../types/index.js';
import { containerResourceNameErrors } from '../../core/pod/validate/validate-resources.js';
import { goQuantity } from '../../shared/go/go-quantity.js';
import { allOf, atLeast, fields, mandatory, valid, type Check, type Rule } from '../../shared/field-rules.js';

/** Requires a kind and a name, which fit into a path. */
export const referenceRules = fields<autoscalingV2.CrossVersionObjectReference>({
  kind: mandatory(valid(pathSegment)),
  name: mandatory(valid(pathSegment)),
});

const identifier = fields<autoscalingV2.MetricIdentifier>({
  name: mandatory('must specify a metric name', valid(pathSegment)),
});

const TARGET_TYPES = new Set(['Utilization', 'Value', 'AverageValue']);

const positive: Check<string> = (errors, path, quantity) => {
  if (quantity !== undefined && (compareQuantity(quantity, '0') ?? 0) <= 0)
    errors.push(invalid(path, goQuantity(quantity), 'must be positive'));
};

const targetRules = fields<autoscalingV2.MetricTarget>({
  type: (errors, path, type = '') => {
    if (type === '') errors.push(required(path, 'must specify a metric target type'));
    if (!TARGET_TYPES.has(type)) errors.push(invalid(path, type, 'must be either Utilization, Value, or AverageValue'));
  },
  value: positive,
  averageValue: positive,
  averageUtilization: atLeast(1, 'must be greater than 0'),
});

/** Requires a value or a share of the requested resource, not both. */
const resourceTarget = allOf<autoscalingV2.MetricTarget>(targetRules, (errors, path, target) => {
  const { averageValue, averageUtilization } = target ?? {};
  if (averageUtilization === undefined && averageValue === undefined) {
    const text = 'must set either a target raw value or a target utilization';
    errors.push(required(`${path}.averageUtilization`, text));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const text = 'may not set both a target raw value and a target utilization';
    errors.push(forbidden(`${path}.averageValue`, text));
  }
});

/** Requires a value, or one for each pod; the words say of what. */
const requireValue = (
  errors: FieldErrorList,
  path: string,
  target: autoscalingV2.MetricTarget | undefined,
  text: string,
): void => {
  if (target?.value === undefined && target?.averageValue === undefined)
    errors.push(required(`${path}.averageValue`, text));
};

const objectRules = fields<autoscalingV2.ObjectMetricSource>({
  describedObject: referenceRules,
  metric: identifier,
  target: allOf<autoscalingV2.MetricTarget>(targetRules, (errors, path, target) =>
    requireValue(errors, path, target, 'must set either a target value or averageValue'),
  ),
});

const externalRules = fields<autoscalingV2.ExternalMetricSource>({
  metric: identifier,
  target: allOf<autoscalingV2.MetricTarget>(targetRules, (errors, path, target) => {
    requireValue(errors, path, target, 'must set either a target value for metric or a per-pod target');
    if (target?.value !== undefined && target.averageValue !== undefined)
      errors.push(forbidden(`${path}.value`, 'may not set both a target value for metric and a per-pod target'));
  }),
});

const podsRules = fields<autoscalingV2.PodsMetricSource>({
  metric: identifier,
  target: allOf<autoscalingV2.MetricTarget>(
    targetRules,
    fields<Pick<autoscalingV2.MetricTarget, 'averageValue'>>({
      averageValue: mandatory('must specify a positive target averageValue'),
    }),
  ),
});

const resourceRules = fields<autoscalingV2.ResourceMetricSource>({
  name: mandatory('must specify a resource name'),
  target: resourceTarget,
});

const containerRules = (dialect: Dialect) =>
  fields<autoscalingV2.ContainerResourceMetricSource>({
    name: mandatory('must specify a resource name', (errors, path, name = '') =>
      containerResourceNameErrors(errors, path, name, dialect),
    ),
    container: mandatory('must specify a container', valid(dnsLabelErrors)),
    target: resourceTarget,
  });

/** Fields of the sources, by the type of the metric. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['External', 'external'],
  ['ContainerResource', 'containerResource'],
]);
const TYPES = [...SOURCES.keys()].sort();

/** Returns the sources that are set, with their checks, in the order in which Kubernetes looks at them. */
function presentSources(metric: autoscalingV2.MetricSpec, dialect: Dialect) {
  const { object, external, pods, resource, containerResource } = metric;
  const source = <Source>(name: string, value: Source | undefined, rule: Rule<Source>) =>
    value === undefined
      ? []
      : [{ name, check: (errors: FieldErrorList, path: string) => rule(errors, `${path}.${name}`, value) }];
  return [
    ...source('object', object, objectRules),
    ...source('external', external, externalRules),
    ...source('pods', pods, podsRules),
    ...source('resource', resource, resourceRules),
    ...source('containerResource', containerResource, containerRules(dialect)),
  ];
}

function* metricErrors(
  errors: FieldErrorList,
  path: string,
  metric: autoscalingV2.MetricSpec,
  dialect: Dialect,
): Steps<void> {
  const { type } = metric;
  const expected = SOURCES.get(type);
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'));
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  const present = presentSources(metric, dialect);
  // Only the first source is looked at.
  yield* resultOf(present[0]?.check(errors, path));
  const names = present.map(({ name }) => name);
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  else if (!names.includes(expected))
    errors.push(required(`${path}.${expected}`, 'must populate information for the given metric source'));
  if (names.length === 1) return;
  for (const name of names)
    if (name !== expected) errors.push(forbidden(`${path}.${name}`, 'must populate the given metric source only'));
}

/** Adds the errors of the metrics of an autoscaler. */
export function* metricsErrors(
  errors: FieldErrorList,
  path: string,
  { metrics = [], minReplicas }: autoscalingV2.HorizontalPodAutoscalerSpec,
  dialect: Dialect,
): Steps<void> {
  for (const [index, metric] of metrics.entries()) {
    if (errors.spend()) yield;
    yield* metricErrors(errors, `${path}[${index}]`, metric, dialect);
  }
  const hasOutsideMetric = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (minReplicas === 0 && !hasOutsideMetric) {
    const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(forbidden(path, text));
  }
}
