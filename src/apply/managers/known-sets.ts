import { isJsonObject } from '../../meta/json.js';
import type { ManagedFieldsEntry } from '../../meta/object.js';
import { FieldSetError } from '../fieldpath/element.js';
import { isCanonical } from '../fieldpath/fields-v1.js';
import { equalSets, intersection, isEmpty, sorted, type FieldSet } from '../fieldpath/fieldset.js';
import { reconcileWithType } from '../typed/sets.js';
import type { Type } from '../typed/type.js';
import { UNTRACKED } from '../typed/untracked.js';

/**
 * The sets of entries that can be used as they are stored: canonical, in Kubernetes order, matching the type of the
 * kind, not empty, and without fields that have no owner. Sets are never changed in place, so one check is enough. The
 * entries that a write keeps share their sets with the former ones.
 */
export class KnownSets {
  readonly #type: Type;
  readonly #known = new WeakSet<FieldSet>();
  /** The last set that was shared. */
  #last: FieldSet | undefined;

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

  /** Returns the set in order, as a known one. The set must match the type and have no fields without an owner. */
  ordered(set: FieldSet): FieldSet {
    const known = sorted(set);
    this.#known.add(known);
    return known;
  }

  /**
   * Returns a set of an entry that is new, as {@link ordered} does. Objects that are written in a row mostly have the same
   * fields: when the set equals that of the new entry before, that one is returned, and the objects share it.
   */
  shared(set: FieldSet): FieldSet {
    if (this.#last !== undefined && equalSets(this.#last, set)) return this.#last;
    return (this.#last = this.ordered(set));
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
