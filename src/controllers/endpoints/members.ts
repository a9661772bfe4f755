/**
 * Which pods are endpoints of which services. Both sides are indexed by namespace and label, so that a change of one
 * object looks only at objects that have a label in common with it.
 *
 * @module
 */
import { compareText, type Steps, type Work } from '../../foundation/index.js';
import { byNamespace, objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { PodObject, ServiceObject } from './objects.js';

const INDEX = 'byNamespaceAndLabel';
const BY_NAMESPACE = 'byNamespace';

/** Number of labels up to which a pod is indexed by each of them. */
const MANY_LABELS = 256;

type Labels = Readonly<Record<string, string>>;
type SelectedLabels = readonly (readonly [key: string, value: string])[];

const indexKey = (namespace = '', key: string, value: string): string => `${namespace} ${key}=${value}`;
/** The key of the pods with so many labels that they are not indexed by them. */
const manyKey = (namespace = ''): string => `${namespace} `;

/** Index function: each label of a pod, with its namespace. */
const labelsOfPod = ({ metadata: { namespace, labels = {} } }: PodObject): string[] => {
  const entries = Object.entries(labels);
  if (entries.length > MANY_LABELS) return [manyKey(namespace)];
  return entries.map(([key, value]) => indexKey(namespace, key, value));
};

/** Index function: the first label that a service selects, with its namespace. */
const firstSelected = ({ metadata: { namespace }, spec }: ServiceObject): string[] => {
  const first = firstLabel(Object.entries(spec?.selector ?? {}));
  return first === undefined ? [] : [indexKey(namespace, ...first)];
};

/** Returns the label whose key comes first. */
function firstLabel(selector: SelectedLabels): readonly [string, string] | undefined {
  let first: readonly [string, string] | undefined;
  for (const label of selector) if (first === undefined || compareText(label[0], first[0]) < 0) first = label;
  return first;
}

/** Returns whether a pod has all labels that a service selects. */
const matches = (selector: SelectedLabels, labels: Labels = {}): boolean =>
  selector.every(([key, value]) => labels[key] === value);

/** Units of work to look at a pod, besides the labels that are compared. */
const POD_UNITS = 6;

/** The pods of services, and the services of pods. */
export class Members {
  readonly #pods: Informer<PodObject>;
  readonly #services: Informer<ServiceObject>;
  /** The selectors of the current versions of services. */
  readonly #selectors = new WeakMap<object, SelectedLabels>();

  constructor(pods: Informer<PodObject>, services: Informer<ServiceObject>) {
    this.#pods = pods;
    this.#services = services;
    pods.addIndex(INDEX, labelsOfPod);
    pods.addIndex(BY_NAMESPACE, byNamespace);
    services.addIndex(INDEX, firstSelected);
    services.addIndex(BY_NAMESPACE, byNamespace);
  }

  /** Returns the pods that a service selects. An empty selector selects all pods of the namespace. */
  *podsOf(service: ServiceObject, work: Work): Steps<PodObject[]> {
    const { namespace = '' } = service.metadata;
    const selector = this.#selectorOf(service);
    const first = firstLabel(selector);
    const keys =
      first === undefined
        ? [...this.#pods.findKeys(BY_NAMESPACE, namespace)]
        : [
            ...this.#pods.findKeys(INDEX, indexKey(namespace, ...first)),
            ...this.#pods.findKeys(INDEX, manyKey(namespace)),
          ];
    const found: PodObject[] = [];
    for (const key of keys) {
      if (work.spend(POD_UNITS + selector.length)) yield;
      const pod = this.#pods.get(key);
      if (pod !== undefined && matches(selector, pod.metadata.labels)) found.push(pod);
    }
    return found;
  }

  /** Returns the keys of the services that select a pod. */
  *servicesOf({ metadata: { namespace = '', labels = {} } }: PodObject, work: Work): Steps<string[]> {
    const found: string[] = [];
    for (const service of this.#candidates(namespace, Object.entries(labels))) {
      const selector = this.#selectorOf(service);
      if (work.spend(POD_UNITS + selector.length)) yield;
      if (selector.length > 0 && matches(selector, labels)) found.push(objectKey(service));
    }
    return found;
  }

  /** Yields the services that may select a pod. */
  *#candidates(namespace: string, labels: SelectedLabels): Generator<ServiceObject> {
    if (labels.length > MANY_LABELS) yield* this.#services.find(BY_NAMESPACE, namespace);
    else for (const [key, value] of labels) yield* this.#services.find(INDEX, indexKey(namespace, key, value));
  }

  #selectorOf({ spec }: ServiceObject): SelectedLabels {
    if (spec === undefined) return [];
    const known = this.#selectors.get(spec);
    if (known !== undefined) return known;
    const selector = Object.entries(spec.selector ?? {});
    this.#selectors.set(spec, selector);
    return selector;
  }
}
