/**
 * Which pods are endpoints of which services. Both sides are indexed by namespace and label, so that a change of one
 * object looks only at objects that have a label in common with it.
 *
 * @module
 */
import { compareText } from '../../foundation/index.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { PodObject, ServiceObject } from './objects.js';

const INDEX = 'byNamespaceAndLabel';

type Labels = Readonly<Record<string, string>>;

const indexKey = (namespace = '', key: string, value: string): string => `${namespace} ${key}=${value}`;

/** Index function: each label of a pod, with its namespace. */
const labelsOfPod = ({ metadata: { namespace, labels = {} } }: PodObject): string[] =>
  Object.entries(labels).map(([key, value]) => indexKey(namespace, key, value));

/** Index function: the first label that a service selects, with its namespace. */
const firstSelected = ({ metadata: { namespace }, spec }: ServiceObject): string[] => {
  const first = firstLabel(spec?.selector);
  return first === undefined ? [] : [indexKey(namespace, ...first)];
};

function firstLabel(selector: Labels = {}): [key: string, value: string] | undefined {
  const [key] = Object.keys(selector).sort(compareText);
  return key === undefined ? undefined : [key, selector[key] ?? ''];
}

const matches = (selector: Labels, labels: Labels = {}): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

/** The pods of services, and the services of pods. */
export class Members {
  readonly #pods: Informer<PodObject>;
  readonly #services: Informer<ServiceObject>;

  constructor(pods: Informer<PodObject>, services: Informer<ServiceObject>) {
    this.#pods = pods;
    this.#services = services;
    pods.addIndex(INDEX, labelsOfPod);
    services.addIndex(INDEX, firstSelected);
  }

  /** Returns the pods that a service selects. An empty selector selects all pods of the namespace. */
  podsOf({ metadata: { namespace = '' }, spec }: ServiceObject): PodObject[] {
    const selector = spec?.selector ?? {};
    const first = firstLabel(selector);
    const candidates =
      first === undefined ? this.#pods.values() : this.#pods.find(INDEX, indexKey(namespace, ...first));
    return [...candidates].filter(
      ({ metadata }) => metadata.namespace === namespace && matches(selector, metadata.labels),
    );
  }

  /** Returns the keys of the services that select a pod. */
  servicesOf({ metadata: { namespace, labels = {} } }: PodObject): string[] {
    return Object.entries(labels)
      .flatMap(([key, value]) => this.#services.find(INDEX, indexKey(namespace, key, value)))
      .filter(({ spec }) => matches(spec?.selector ?? {}, labels))
      .map(objectKey);
  }
}
