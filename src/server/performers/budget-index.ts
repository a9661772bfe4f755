import {
  atOnce,
  LONG_TEXT,
  type MaybeSteps,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import type { PodDisruptionBudget } from '../../kinds/index.js';
import { anchorOf, anchorsOf, LabelSelector, type Labels } from '../../machinery/index.js';
import type { ObjectOf, ResourceStore } from '../../registry/index.js';
import type { StorageIndex, StorageRecord, StorageTerms } from '../../storage/index.js';

/** A disruption budget, as stored. */
export type Budget = ObjectOf<typeof PodDisruptionBudget>;

/** Returns a stored object with the type of its kind, which validation has ensured. */
export function budgetOf(object: StoredObject): Budget;
export function budgetOf(object: StoredObject): StoredObject {
  return object;
}

/** The attribute of the index: the anchor of a budget's selector. */
const ANCHOR = 'anchor';
/** Most labels of a pod for which the index is asked: each adds two values to the query. */
const MAX_LABELS = 2_048;

/** Finds the disruption budgets whose selectors may match a pod, without reading the others. */
export class BudgetIndex {
  readonly #store: ResourceStore;
  readonly #index: StorageIndex | undefined;

  /** @param store the store of budgets */
  constructor(store: ResourceStore) {
    const { storage, selectorIndexes } = store.environment;
    this.#store = store;
    this.#index = storage.index?.(store.info.keyPrefix, (record, work) => this.#termsOf(record, work));
    selectorIndexes.add(this);
  }

  /** Returns the records of the budgets of a namespace that may protect a pod; undefined when the index cannot answer. */
  async find(namespace: string, labels: Labels = {}): Promise<readonly StorageRecord[] | undefined> {
    if (this.#index === undefined) return undefined;
    const keys = Object.keys(labels);
    if (keys.length > MAX_LABELS) return undefined;
    const found = await this.#index.find({
      prefix: this.#store.info.rangePrefix(namespace),
      requirements: [{ attribute: ANCHOR, values: [...anchorsOf(labels, keys)] }],
    });
    return found?.records;
  }

  /** Releases the index. */
  close(): void {
    this.#index?.drop();
    this.#store.environment.selectorIndexes.delete(this);
  }

  #termsOf(record: StorageRecord, work: Work): MaybeSteps<StorageTerms | undefined> {
    const steps = this.#termsSteps(record, work);
    return record.text.length < LONG_TEXT ? atOnce(steps) : steps;
  }

  /** A budget that cannot be read, or has an invalid selector, may match anything. */
  *#termsSteps(record: StorageRecord, work: Work): Steps<StorageTerms | undefined> {
    try {
      const { spec } = budgetOf(yield* this.#store.peekSteps(work, record));
      return { [ANCHOR]: anchorOf(yield* LabelSelector.fromObjectSteps(spec?.selector, work)) };
    } catch {
      return undefined;
    }
  }
}
