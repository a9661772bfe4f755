import { equalSteps, type Steps, type Work } from '../../foundation/index.js';
import { LabelSelector } from '../../machinery/index.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import type { Budget } from './types.js';

/** Name of the index of pods by their namespace. */
export const BY_NAMESPACE = 'byNamespace';

/** Units of work to look at a budget or a pod, besides the requirements of a selector. */
const LOOK_UNITS = 4;

/** The pods that a budget selects. */
interface Membership {
  readonly selector: NonNullable<Budget['spec']>['selector'];
  readonly matches: LabelSelector;
  readonly pods: Set<string>;
  /** Pods that have changed while the pods of the namespace are examined; undefined once they have been. */
  changed: Set<string> | undefined;
}

/**
 * The pods of each budget. A change of the labels of a pod costs a match for each budget of its namespace; the pods of
 * the namespace are examined only when a selector is new or changes. A selector may have tens of thousands of
 * requirements, and a namespace as many pods, so both are done in steps.
 */
export class BudgetPods {
  readonly #pods: Informer<PodObject>;
  /** The budgets by namespace, then by key. */
  readonly #budgets = new Map<string, Map<string, Membership>>();
  /** The keys of the budgets that select a pod, by its key. */
  readonly #byPod = new Map<string, Set<string>>();

  /** @param pods has the index {@link BY_NAMESPACE} */
  constructor(pods: Informer<PodObject>) {
    this.#pods = pods;
  }

  /**
   * Takes in the selector of a budget, unless it is known. Not to be called twice at a time for one budget.
   *
   * @throws ApiError when the selector is invalid: the budget has no pods then
   */
  *set(budget: Budget, work: Work): Steps<void> {
    const { namespace = '' } = budget.metadata;
    const key = objectKey(budget);
    const selector = budget.spec?.selector;
    const known = this.#budgets.get(namespace)?.get(key);
    if (known !== undefined && (yield* equalSteps(work, known.selector, selector))) return;
    this.delete(key);
    const matches = yield* LabelSelector.fromObjectSteps(selector, work);
    const changed = new Set(this.#pods.findKeys(BY_NAMESPACE, namespace));
    const membership: Membership = { selector, matches, pods: new Set(), changed };
    const budgets = this.#budgets.get(namespace) ?? new Map<string, Membership>();
    this.#budgets.set(namespace, budgets.set(key, membership));
    // Pods that change meanwhile come to the end.
    for (const pod of changed) {
      changed.delete(pod);
      this.#examine(key, membership, pod);
      if (work.spend(LOOK_UNITS + matches.requirements.length)) yield;
    }
    membership.changed = undefined;
  }

  /** Forgets a budget. */
  delete(key: string): void {
    const budgets = this.#budgets.get(namespaceOf(key));
    const membership = budgets?.get(key);
    budgets?.delete(key);
    for (const pod of membership?.pods ?? []) this.#leave(key, pod);
  }

  /** Returns the pods of a budget. */
  of(budget: Budget): PodObject[] {
    const membership = this.#budgets.get(budget.metadata.namespace ?? '')?.get(objectKey(budget));
    const pods: PodObject[] = [];
    for (const key of membership?.pods ?? []) {
      const pod = this.#pods.get(key);
      if (pod !== undefined) pods.push(pod);
    }
    return pods;
  }

  /**
   * Takes in a pod that is new, has changed, or is gone.
   *
   * @param old the pod as it was taken in last; undefined for a new one
   * @returns the keys of the budgets that select it, and of those that selected it before
   */
  *update(pod: PodObject, old: PodObject | undefined, work: Work): Steps<PodBudgets> {
    const key = objectKey(pod);
    const before = new Set(this.#byPod.get(key));
    const isSame =
      old !== undefined && pod !== old && (yield* equalSteps(work, old.metadata.labels, pod.metadata.labels));
    if (!isSame) yield* this.#examineAll(key, work);
    return { before, now: new Set(this.#byPod.get(key)) };
  }

  *#examineAll(pod: string, work: Work): Steps<void> {
    for (const [key, membership] of this.#budgets.get(namespaceOf(pod)) ?? []) {
      if (membership.changed === undefined) this.#examine(key, membership, pod);
      else membership.changed.add(pod);
      if (work.spend(LOOK_UNITS + membership.matches.requirements.length)) yield;
    }
  }

  #examine(key: string, { matches, pods }: Membership, pod: string): void {
    const object = this.#pods.get(pod);
    if (object !== undefined && matches.matches(object.metadata.labels)) {
      pods.add(pod);
      const budgets = this.#byPod.get(pod);
      if (budgets === undefined) this.#byPod.set(pod, new Set([key]));
      else budgets.add(key);
    } else if (pods.delete(pod)) this.#leave(key, pod);
  }

  #leave(key: string, pod: string): void {
    const budgets = this.#byPod.get(pod);
    if (budgets?.delete(key) === true && budgets.size === 0) this.#byPod.delete(pod);
  }
}

/** The budgets of a pod, before and after a change, by their keys. */
export interface PodBudgets {
  readonly before: ReadonlySet<string>;
  readonly now: ReadonlySet<string>;
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));
