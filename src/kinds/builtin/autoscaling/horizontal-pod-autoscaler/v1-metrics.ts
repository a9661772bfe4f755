/**
 * Metrics of autoscalers in the form of version v1, which only annotations have.
 *
 * @module
 */
import { definedOnly, type JsonObject } from '../../../../foundation/index.js';
import type { autoscalingV2, metaV1 } from '../../../types/index.js';
import type { AnnotationObject } from './annotation-json.js';
import { readSelector } from './v1-selector.js';

type MetricSpec = autoscalingV2.MetricSpec;
type MetricStatus = autoscalingV2.MetricStatus;
type Reference = autoscalingV2.CrossVersionObjectReference;

/** Go's form of a quantity that is not set. */
const NO_QUANTITY = '0';

const referenceOf = ({ kind, name, apiVersion }: Reference): JsonObject => ({
  kind,
  name,
  ...(apiVersion ? { apiVersion } : {}),
});

/** Returns a metric in the form of version v1. */
export function metricToV1(metric: MetricSpec): JsonObject {
  const { type, object, pods, resource, containerResource, external } = metric;
  return definedOnly({
    type,
    object: object && {
      target: referenceOf(object.describedObject),
      metricName: object.metric.name,
      targetValue: object.target.value ?? NO_QUANTITY,
      ...definedOnly({ selector: object.metric.selector, averageValue: object.target.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? NO_QUANTITY,
      ...definedOnly({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...resourceTargetToV1(resource.target) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...resourceTargetToV1(containerResource.target),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      ...definedOnly({
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
    },
  });
}

const resourceTargetToV1 = ({ averageUtilization, averageValue }: autoscalingV2.MetricTarget): JsonObject =>
  definedOnly({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });

/** Returns a state of a metric in the form of version v1. */
export function metricStatusToV1(status: MetricStatus): JsonObject {
  const { type, object, pods, resource, containerResource, external } = status;
  return definedOnly({
    type,
    object: object && {
      target: referenceOf(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? NO_QUANTITY,
      ...definedOnly({ selector: object.metric.selector, averageValue: object.current.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? NO_QUANTITY,
      ...definedOnly({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...resourceValueToV1(resource.current) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...resourceValueToV1(containerResource.current),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      ...definedOnly({ metricSelector: external.metric.selector }),
      currentValue: external.current.value ?? NO_QUANTITY,
      ...definedOnly({ currentAverageValue: external.current.averageValue }),
    },
  });
}

const resourceValueToV1 = ({ averageUtilization, averageValue }: autoscalingV2.MetricValueStatus): JsonObject => ({
  ...definedOnly({ currentAverageUtilization: averageUtilization }),
  currentAverageValue: averageValue ?? NO_QUANTITY,
});

function readReference(object: AnnotationObject | undefined): Reference {
  const apiVersion = object?.text('apiVersion');
  return { kind: object?.text('kind') ?? '', name: object?.text('name') ?? '', ...(apiVersion ? { apiVersion } : {}) };
}

function readIdentifier(source: AnnotationObject, selectorField: string): autoscalingV2.MetricIdentifier {
  const selector: metaV1.LabelSelector | undefined = readSelector(source.object(selectorField));
  return { name: source.text('metricName'), ...definedOnly({ selector }) };
}

function readResourceTarget(source: AnnotationObject): autoscalingV2.MetricTarget {
  const averageUtilization = source.integer('targetAverageUtilization');
  const averageValue = source.quantity('targetAverageValue');
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
  return { type, ...definedOnly({ averageValue, averageUtilization }) };
}

/** Reads a metric in the form of version v1. @throws FormProblem for another value */
export function readMetric(metric: AnnotationObject): MetricSpec {
  const object = metric.object('object');
  const pods = metric.object('pods');
  const resource = metric.object('resource');
  const container = metric.object('containerResource');
  const external = metric.object('external');
  return definedOnly({
    type: metric.text('type'),
    object: object && {
      describedObject: readReference(object.object('target')),
      target: readObjectTarget(object),
      metric: readIdentifier(object, 'selector'),
    },
    pods: pods && {
      metric: readIdentifier(pods, 'selector'),
      target: { type: 'AverageValue', averageValue: pods.quantity('targetAverageValue') ?? NO_QUANTITY },
    },
    resource: resource && { name: resource.text('name'), target: readResourceTarget(resource) },
    containerResource: container && {
      name: container.text('name'),
      target: readResourceTarget(container),
      container: container.text('container'),
    },
    external: external && {
      metric: readIdentifier(external, 'metricSelector'),
      target: readExternalTarget(external),
    },
  });
}

function readObjectTarget(object: AnnotationObject): autoscalingV2.MetricTarget {
  const averageValue = object.quantity('averageValue');
  return {
    type: averageValue === undefined ? 'Value' : 'AverageValue',
    value: object.quantity('targetValue') ?? NO_QUANTITY,
    ...definedOnly({ averageValue }),
  };
}

function readExternalTarget(external: AnnotationObject): autoscalingV2.MetricTarget {
  const value = external.quantity('targetValue');
  const averageValue = external.quantity('targetAverageValue');
  return { type: value === undefined ? 'AverageValue' : 'Value', ...definedOnly({ value, averageValue }) };
}

function readResourceValue(source: AnnotationObject): autoscalingV2.MetricValueStatus {
  const averageUtilization = source.integer('currentAverageUtilization');
  return {
    averageValue: source.quantity('currentAverageValue') ?? NO_QUANTITY,
    ...definedOnly({ averageUtilization }),
  };
}

/** Reads a state of a metric in the form of version v1. @throws FormProblem for another value */
export function readMetricStatus(status: AnnotationObject): MetricStatus {
  const object = status.object('object');
  const pods = status.object('pods');
  const resource = status.object('resource');
  const container = status.object('containerResource');
  const external = status.object('external');
  const current = (source: AnnotationObject, average: string): autoscalingV2.MetricValueStatus => ({
    value: source.quantity('currentValue') ?? NO_QUANTITY,
    ...definedOnly({ averageValue: source.quantity(average) }),
  });
  return definedOnly({
    type: status.text('type'),
    object: object && {
      metric: readIdentifier(object, 'selector'),
      current: current(object, 'averageValue'),
      describedObject: readReference(object.object('target')),
    },
    pods: pods && {
      metric: readIdentifier(pods, 'selector'),
      current: { averageValue: pods.quantity('currentAverageValue') ?? NO_QUANTITY },
    },
    resource: resource && { name: resource.text('name'), current: readResourceValue(resource) },
    containerResource: container && {
      name: container.text('name'),
      current: readResourceValue(container),
      container: container.text('container'),
    },
    external: external && {
      metric: readIdentifier(external, 'metricSelector'),
      current: current(external, 'currentAverageValue'),
    },
  });
}
