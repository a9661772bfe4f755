import { equalJson } from '../../foundation/index.js';
import { LabelSelector } from '../../machinery/index.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import type { Budget } from './types.js';

interface Membership {
  readonly selector: NonNullable<Budget['spec']>['selector'];
  readonly matches: LabelSelector;
  /** The pods that the selector matches, by key. */
  readonly pods: Map<string, PodObject>;
}

/**
 * The pods of each budget. A change of a pod costs one match for each budget of its namespace; the pods of the namespace
 * are examined only when a selector is new or changes.
 */
export class BudgetPods {
  readonly #byNamespace = new Map<string, Map<string, Membership>>();
  readonly #podsIn: (namespace: string) => readonly PodObject[];

  /** @param podsIn returns the current pods of a namespace */
  constructor(podsIn: (namespace: string) => readonly PodObject[]) {
    this.#podsIn = podsIn;
  }

  /**
   * Takes in the selector of a budget.
   *
   * @throws Error when the selector is invalid
   */
  set(budget: Budget): void {
    const { namespace = '' } = budget.metadata;
    const selector = budget.spec?.selector;
    const budgets = this.#byNamespace.get(namespace) ?? new Map<string, Membership>();
    this.#byNamespace.set(namespace, budgets);
    const key = objectKey(budget);
    const known = budgets.get(key);
    if (known !== undefined && equalJson(known.selector, selector)) return;
    budgets.delete(key);
    const matches = LabelSelector.fromObject(selector);
    const matching = this.#podsIn(namespace).filter(({ metadata }) => matches.matches(metadata.labels));
    budgets.set(key, { selector, matches, pods: new Map(matching.map((pod) => [objectKey(pod), pod])) });
  }

  /** Forgets a budget. */
  delete(budget: Budget): void {
    this.#byNamespace.get(budget.metadata.namespace ?? '')?.delete(objectKey(budget));
  }

  /** Returns the pods of a budget. */
  of(budget: Budget): PodObject[] {
    const { namespace = '' } = budget.metadata;
    return [...(this.#byNamespace.get(namespace)?.get(objectKey(budget))?.pods.values() ?? [])];
  }

  /**
   * Takes in a pod.
   *
   * @returns the keys of the budgets that it matches, and of those that it matched before
   */
  add(pod: PodObject): { readonly matched: readonly string[]; readonly left: readonly string[] } {
    const matched: string[] = [];
    const left: string[] = [];
    const podKey = objectKey(pod);
    for (const [key, { matches, pods }] of this.#byNamespace.get(pod.metadata.namespace ?? '') ?? []) {
      if (matches.matches(pod.metadata.labels)) {
        pods.set(podKey, pod);
        matched.push(key);
      } else if (pods.delete(podKey)) left.push(key);
    }
    return { matched, left };
  }

  /** Forgets a pod. @returns the keys of its budgets */
  remove(pod: PodObject): string[] {
    const podKey = objectKey(pod);
    const budgets = [...(this.#byNamespace.get(pod.metadata.namespace ?? '') ?? [])];
    return budgets.flatMap(([key, { pods }]) => (pods.delete(podKey) ? [key] : []));
  }
}
