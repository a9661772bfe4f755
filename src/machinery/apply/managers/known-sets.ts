import { isJsonObject, type ManagedFieldsEntry } from '../../../foundation/index.js';
import { FieldSetError } from '../fieldpath/element.js';
import { isCanonical } from '../fieldpath/fields-v1.js';
import { equalSets, intersection, isEmpty, sorted, type FieldSet } from '../fieldpath/fieldset.js';
import { reconcileWithType } from '../typed/sets.js';
import type { Type } from '../typed/type.js';
import { UNTRACKED } from '../typed/untracked.js';

/** Number of sets that are shared: those of the entries of a few writers. */
const SHARED = 4;

/**
 * The sets of entries that can be used as they are stored: canonical, in Kubernetes order, matching the type of the
 * kind, not empty, and without fields that have no owner. Sets are never changed in place, so one check is enough. The
 * entries that a write keeps share their sets with the former ones.
 */
export class KnownSets {
  readonly #type: Type;
  readonly #known = new WeakSet<FieldSet>();
  /** The last sets that were shared. */
  readonly #shared: FieldSet[] = [];
  #nextShared = 0;

  constructor(type: Type) {
    this.#type = type;
  }

  /** Returns the set of an entry; undefined when it cannot be used as it is stored. */
  of({ fieldsV1 }: ManagedFieldsEntry): FieldSet | undefined {
    if (!isJsonObject(fieldsV1)) return undefined;
    const set = fieldsV1 as FieldSet;
    if (this.#known.has(set)) return set;
    if (!this.#isUsable(set)) return undefined;
    this.#known.add(set);
    return set;
  }

  /**
   * Returns a set of an entry that changes, in order and as a known one. The set must match the type and have no fields
   * without an owner. Objects that are written in a row mostly have the same fields: when the set equals one of the last
   * ones, that one is returned, and the objects share it.
   */
  shared(set: FieldSet): FieldSet {
    for (const one of this.#shared) if (equalSets(one, set)) return one;
    const known = sorted(set);
    this.#known.add(known);
    this.#shared[this.#nextShared] = known;
    this.#nextShared = (this.#nextShared + 1) % SHARED;
    return known;
  }

  #isUsable(set: FieldSet): boolean {
    try {
      return (
        set['.'] === undefined &&
        !isEmpty(set) &&
        isCanonical(set) &&
        sorted(set) === set &&
        reconcileWithType(set, this.#type) === set &&
        isEmpty(intersection(set, UNTRACKED))
      );
    } catch (error) {
      if (error instanceof FieldSetError) return false;
      throw error;
    }
  }
}
