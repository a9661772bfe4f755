import {
  compareQuantity,
  dnsLabelErrors,
  forbidden,
  invalid,
  notSupported,
  pathSegment,
  required,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import type { autoscalingV2 } from '../../../types/index.js';
import { containerResourceNameErrors } from '../../core/pod/validate/validate-resources.js';
import { goQuantity } from '../../shared/go/go-quantity.js';
import { nameErrors } from '../../shared/validate.js';

/** Requires a kind and a name, which fit into a path. */
export function referenceErrors(
  errors: FieldError[],
  path: string,
  { kind, name }: autoscalingV2.CrossVersionObjectReference,
): void {
  for (const [field, value] of Object.entries({ kind, name })) {
    if (value === '') errors.push(required(`${path}.${field}`));
    else nameErrors(errors, `${path}.${field}`, value, pathSegment(value, false));
  }
}

function identifierErrors(errors: FieldError[], path: string, { name }: autoscalingV2.MetricIdentifier): void {
  if (name === '') errors.push(required(`${path}.name`, 'must specify a metric name'));
  else nameErrors(errors, `${path}.name`, name, pathSegment(name, false));
}

const TARGET_TYPES = new Set(['Utilization', 'Value', 'AverageValue']);

function positive(errors: FieldError[], path: string, quantity: string | undefined): void {
  if (quantity !== undefined && (compareQuantity(quantity, '0') ?? 0) <= 0)
    errors.push(invalid(path, goQuantity(quantity), 'must be positive'));
}

function targetErrors(
  errors: FieldError[],
  path: string,
  { type, value, averageValue, averageUtilization }: autoscalingV2.MetricTarget,
): void {
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.has(type))
    errors.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  positive(errors, `${path}.value`, value);
  positive(errors, `${path}.averageValue`, averageValue);
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0'));
}

/** Requires a value or a share of the requested resource, not both. */
function resourceTargetErrors(errors: FieldError[], path: string, target: autoscalingV2.MetricTarget): void {
  const { averageValue, averageUtilization } = target;
  targetErrors(errors, path, target);
  if (averageUtilization === undefined && averageValue === undefined) {
    const text = 'must set either a target raw value or a target utilization';
    errors.push(required(`${path}.averageUtilization`, text));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const text = 'may not set both a target raw value and a target utilization';
    errors.push(forbidden(`${path}.averageValue`, text));
  }
}

type Check<Source> = (errors: FieldError[], path: string, source: Source, dialect: Dialect) => void;

const objectErrors: Check<autoscalingV2.ObjectMetricSource> = (errors, path, { describedObject, metric, target }) => {
  referenceErrors(errors, `${path}.describedObject`, describedObject);
  identifierErrors(errors, `${path}.metric`, metric);
  targetErrors(errors, `${path}.target`, target);
  if (target.value === undefined && target.averageValue === undefined)
    errors.push(required(`${path}.target.averageValue`, 'must set either a target value or averageValue'));
};

const externalErrors: Check<autoscalingV2.ExternalMetricSource> = (errors, path, { metric, target }) => {
  const { value, averageValue } = target;
  identifierErrors(errors, `${path}.metric`, metric);
  targetErrors(errors, `${path}.target`, target);
  if (value === undefined && averageValue === undefined) {
    const text = 'must set either a target value for metric or a per-pod target';
    errors.push(required(`${path}.target.averageValue`, text));
  }
  if (value !== undefined && averageValue !== undefined) {
    const text = 'may not set both a target value for metric and a per-pod target';
    errors.push(forbidden(`${path}.target.value`, text));
  }
};

const podsErrors: Check<autoscalingV2.PodsMetricSource> = (errors, path, { metric, target }) => {
  identifierErrors(errors, `${path}.metric`, metric);
  targetErrors(errors, `${path}.target`, target);
  if (target.averageValue === undefined)
    errors.push(required(`${path}.target.averageValue`, 'must specify a positive target averageValue'));
};

const resourceErrors: Check<autoscalingV2.ResourceMetricSource> = (errors, path, { name, target }) => {
  if (name === '') errors.push(required(`${path}.name`, 'must specify a resource name'));
  resourceTargetErrors(errors, `${path}.target`, target);
};

const containerErrors: Check<autoscalingV2.ContainerResourceMetricSource> = (errors, path, source, dialect) => {
  const { name, container, target } = source;
  if (name === '') errors.push(required(`${path}.name`, 'must specify a resource name'));
  else containerResourceNameErrors(errors, `${path}.name`, name, dialect);
  if (container === '') errors.push(required(`${path}.container`, 'must specify a container'));
  else nameErrors(errors, `${path}.container`, container, dnsLabelErrors(container));
  resourceTargetErrors(errors, `${path}.target`, target);
};

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
  const source = <Source>(name: string, value: Source | undefined, check: Check<Source>) =>
    value === undefined
      ? []
      : [{ name, check: (errors: FieldError[], path: string) => check(errors, path, value, dialect) }];
  return [
    ...source('object', object, objectErrors),
    ...source('external', external, externalErrors),
    ...source('pods', pods, podsErrors),
    ...source('resource', resource, resourceErrors),
    ...source('containerResource', containerResource, containerErrors),
  ];
}

function metricErrors(errors: FieldError[], path: string, metric: autoscalingV2.MetricSpec, dialect: Dialect): void {
  const { type } = metric;
  const expected = SOURCES.get(type);
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'));
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  const present = presentSources(metric, dialect);
  // Only the first source is looked at.
  present[0]?.check(errors, `${path}.${present[0].name}`);
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
    metricErrors(errors, `${path}[${index}]`, metric, dialect);
  }
  const hasOutsideMetric = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (minReplicas === 0 && !hasOutsideMetric) {
    const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(forbidden(path, text));
  }
}
