import type { Steps, Work } from '../../foundation/index.js';
import type { coreV1 } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { SimulatedPod } from '../objects.js';

/** Returns the labels of a namespace, for the namespace selectors of affinity terms. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

type Term = coreV1.PodAffinityTerm;

/** The pods that a term of affinity or anti-affinity of a pod is about. */
export class TermPods {
  readonly topologyKey: string;
  /** Units of work to compare a pod with the term; about. */
  readonly units: number;
  readonly #selector: LabelSelector;
  readonly #namespaces: ReadonlySet<string | undefined>;
  readonly #namespaceSelector: LabelSelector | undefined;

  private constructor(
    topologyKey: string,
    namespaces: ReadonlySet<string | undefined>,
    selector: LabelSelector,
    namespaceSelector: LabelSelector | undefined,
  ) {
    this.topologyKey = topologyKey;
    this.#namespaces = namespaces;
    this.#selector = selector;
    this.#namespaceSelector = namespaceSelector;
    this.units = 2 + selector.requirements.length + (namespaceSelector?.requirements.length ?? 0);
  }

  /** @param pod the pod that has the term */
  static *of(
    { topologyKey, labelSelector, namespaces = [], namespaceSelector }: Term,
    { metadata }: SimulatedPod,
    work: Work,
  ): Steps<TermPods> {
    const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
    return new TermPods(
      topologyKey,
      new Set(isOwn ? [metadata.namespace] : namespaces),
      yield* LabelSelector.fromObjectSteps(labelSelector, work),
      namespaceSelector && (yield* LabelSelector.fromObjectSteps(namespaceSelector, work)),
    );
  }

  /** Returns whether a pod is meant. */
  includes({ metadata: { namespace = '', labels } }: SimulatedPod, namespaceLabels: NamespaceLabels): boolean {
    const isIn =
      this.#namespaces.has(namespace) || this.#namespaceSelector?.matches(namespaceLabels(namespace) ?? {}) === true;
    return isIn && this.#selector.matches(labels);
  }
}

/** The terms of a pod. */
export interface PodTerms {
  /** The pods beside which the pod must run. */
  readonly wanted: readonly TermPods[];
  /** The pods beside which it must not run. */
  readonly avoided: readonly TermPods[];
}

/** The required affinity and anti-affinity of pods, made ready once for each: others are compared with it again. */
export class KnownTerms {
  readonly #known = new WeakMap<SimulatedPod, PodTerms>();

  *of(pod: SimulatedPod, work: Work): Steps<PodTerms> {
    const known = this.#known.get(pod);
    if (known !== undefined) return known;
    const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
    const wanted = yield* termsOf(podAffinity, pod, work);
    const terms = { wanted, avoided: yield* termsOf(podAntiAffinity, pod, work) };
    this.#known.set(pod, terms);
    return terms;
  }
}

function* termsOf(
  side: coreV1.PodAffinity | coreV1.PodAntiAffinity | undefined,
  pod: SimulatedPod,
  work: Work,
): Steps<TermPods[]> {
  const terms: TermPods[] = [];
  for (const term of side?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    terms.push(yield* TermPods.of(term, pod, work));
  return terms;
}
