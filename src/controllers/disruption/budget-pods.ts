import { addMember, equalSteps, removeMember, type Steps, type Work } from '../../foundation/index.js';
import { anchorsOf, LabelSelector, SelectorByKey } from '../../machinery/index.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import type { Budget } from './types.js';

/** Name of the index of pods by their namespace. */
export const BY_NAMESPACE = 'byNamespace';

/** Units of work to look at a budget or a pod, besides the requirements of a selector. */
const LOOK_UNITS = 4;

/** The part of the informer of pods that is used. */
export type KnownPods = Pick<Informer<PodObject>, 'findKeys' | 'get'>;

/** The pods that a budget selects. */
interface Membership {
  readonly selector: NonNullable<Budget['spec']>['selector'];
  readonly matches: SelectorByKey;
  readonly pods: Set<string>;
  /** Pods that have changed while the pods of the namespace are examined; undefined once they have been. */
  changed: Set<string> | undefined;
}

/**
 * The pods of each budget. A change of the labels of a pod costs a match for each budget that selects it, or requires one
 * of its labels; the pods of the namespace are examined only when a selector is new or changes. A selector may have tens
 * of thousands of requirements, and a namespace as many pods, so both are done in steps.
 */
export class BudgetPods {
  readonly #pods: KnownPods;
  readonly #budgets = new Map<string, Membership>();
  /** The keys of the budgets by their namespace and the anchor of their selector. */
  readonly #byAnchor = new Map<string, Set<string>>();
  /** The keys of the budgets that select a pod, by its key. */
  readonly #byPod = new Map<string, Set<string>>();
  /** The keys of the labels of the current versions of pods. */
  readonly #labelKeys = new WeakMap<PodObject, readonly string[]>();

  /** @param pods has the index {@link BY_NAMESPACE} */
  constructor(pods: KnownPods) {
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
    const known = this.#budgets.get(key);
    if (known !== undefined && (yield* equalSteps(work, known.selector, selector))) return;
    this.delete(key);
    const matches = yield* SelectorByKey.of(yield* LabelSelector.fromObjectSteps(selector, work), work);
    const changed = new Set(this.#pods.findKeys(BY_NAMESPACE, namespace));
    const membership: Membership = { selector, matches, pods: new Set(), changed };
    this.#budgets.set(key, membership);
    addMember(this.#byAnchor, anchorKey(namespace, matches.anchor), key);
    // Pods that change meanwhile come to the end.
    for (const pod of changed) {
      if (this.#budgets.get(key) !== membership) return;
      changed.delete(pod);
      if (work.spend(this.#examine(key, membership, pod))) yield;
    }
    membership.changed = undefined;
  }

  /** Forgets a budget. */
  delete(key: string): void {
    const membership = this.#budgets.get(key);
    if (membership === undefined) return;
    this.#budgets.delete(key);
    removeMember(this.#byAnchor, anchorKey(namespaceOf(key), membership.matches.anchor), key);
    for (const pod of membership.pods) removeMember(this.#byPod, pod, key);
  }

  /** Returns the pods of a budget. */
  of(budget: Budget): PodObject[] {
    const membership = this.#budgets.get(objectKey(budget));
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
    if (!isSame) yield* this.#examineAll(key, before, work);
    return { before, now: new Set(this.#byPod.get(key)) };
  }

  /** Compares a pod with the budgets that have selected it, and with those that may. */
  *#examineAll(pod: string, before: ReadonlySet<string>, work: Work): Steps<void> {
    for (const key of before) if (work.spend(this.#examineFor(key, pod))) yield;
    const object = this.#pods.get(pod);
    if (object === undefined) return;
    const { labels } = object.metadata;
    for (const anchor of anchorsOf(labels, this.#labelKeysOf(object))) {
      if (work.spend(1)) yield;
      for (const key of this.#byAnchor.get(anchorKey(namespaceOf(pod), anchor)) ?? [])
        if (!before.has(key) && work.spend(this.#examineFor(key, pod))) yield;
    }
  }

  /** Returns the units of the comparison. */
  #examineFor(key: string, pod: string): number {
    const membership = this.#budgets.get(key);
    if (membership === undefined) return LOOK_UNITS;
    if (membership.changed === undefined) return this.#examine(key, membership, pod);
    membership.changed.add(pod);
    return LOOK_UNITS;
  }

  /** Returns the units of the comparison. */
  #examine(key: string, { matches, pods }: Membership, pod: string): number {
    const object = this.#pods.get(pod);
    const keys = object === undefined ? [] : this.#labelKeysOf(object);
    if (object !== undefined && matches.matches(object.metadata.labels, keys)) {
      pods.add(pod);
      addMember(this.#byPod, pod, key);
    } else if (pods.delete(pod)) removeMember(this.#byPod, pod, key);
    return LOOK_UNITS + matches.units(keys);
  }

  #labelKeysOf(pod: PodObject): readonly string[] {
    const known = this.#labelKeys.get(pod);
    if (known !== undefined) return known;
    const keys = Object.keys(pod.metadata.labels ?? {});
    this.#labelKeys.set(pod, keys);
    return keys;
  }
}

/** The budgets of a pod, before and after a change, by their keys. */
export interface PodBudgets {
  readonly before: ReadonlySet<string>;
  readonly now: ReadonlySet<string>;
}

/** Returns the key of an anchor in a namespace, after a space, which no namespace contains. */
const anchorKey = (namespace: string, anchor: string): string => `${namespace} ${anchor}`;

const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));
