import {
  equalJson,
  equalSteps,
  UNBOUNDED_WORK,
  type JsonValue,
  type MaybeSteps,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { fromFieldsV1, fromFieldsV1InSteps } from '../fieldpath/fields-v1.js';
import {
  difference,
  equalSets,
  intersection,
  isEmpty,
  isSubset,
  recursiveDifference,
  sorted,
  union,
  unionOf,
  type FieldSet,
} from '../fieldpath/fieldset.js';
import {
  combined,
  DIFFERENCE,
  equalSetsInSteps,
  INTERSECTION,
  isSubsetInSteps,
  RECURSIVE_DIFFERENCE,
  sortedInSteps,
  UNION,
  unionOfInSteps,
} from '../fieldpath/set-steps.js';
import { Walk } from '../fieldpath/walk.js';
import { compare, compareInSteps, excludeFields, excludeInSteps, type Comparison } from '../typed/compare.js';
import { merge, mergeInSteps } from '../typed/merge.js';
import { addedInSteps, toFieldSetInSteps } from '../typed/owned-fields-in-steps.js';
import { addedNode, toFieldSet } from '../typed/owned-fields.js';
import { removeInSteps, removeItems } from '../typed/remove.js';
import { ensureNamedFieldsAreMembers, namedFieldsInSteps, reconcileInSteps, reconcileWithType } from '../typed/sets.js';
import type { Type } from '../typed/type.js';
import { validate, validateInSteps, type ValidationOptions } from '../typed/validate.js';

/** How the stages of a write run: at once for a small object, in steps that can pause for a large one. */
export interface Pace {
  /** Counts work. Returns whether the write should pause. */
  spend(units: number): boolean;
  /** Reserves the memory of elements, or of as many paths or texts of them. @throws ApiError 429 */
  reserve(elements: number): void;
  keysOf(object: object): readonly string[];
  isEmpty(set: FieldSet): boolean;
  union(a: FieldSet, b: FieldSet): MaybeSteps<FieldSet>;
  unionOf(sets: readonly FieldSet[]): MaybeSteps<FieldSet>;
  intersection(a: FieldSet, b: FieldSet): MaybeSteps<FieldSet>;
  difference(a: FieldSet, b: FieldSet): MaybeSteps<FieldSet>;
  recursiveDifference(a: FieldSet, b: FieldSet): MaybeSteps<FieldSet>;
  isSubset(a: FieldSet, b: FieldSet): MaybeSteps<boolean>;
  equalSets(a: FieldSet, b: FieldSet): MaybeSteps<boolean>;
  sorted(set: FieldSet): MaybeSteps<FieldSet>;
  fromFieldsV1(fields: JsonValue): MaybeSteps<FieldSet>;
  toFieldSet(value: JsonValue, type: Type): MaybeSteps<FieldSet>;
  addedNode(value: JsonValue, type: Type): MaybeSteps<FieldSet>;
  ensureNamedFieldsAreMembers(set: FieldSet, type: Type | undefined): MaybeSteps<FieldSet>;
  reconcileWithType(set: FieldSet, type: Type): MaybeSteps<FieldSet>;
  compare(before: JsonValue, after: JsonValue, type: Type): MaybeSteps<Comparison>;
  excludeFields(comparison: Comparison, fields: FieldSet | undefined): MaybeSteps<Comparison>;
  merge(live: JsonValue, config: JsonValue, type: Type): MaybeSteps<JsonValue>;
  removeItems(value: JsonValue, set: FieldSet, type: Type): MaybeSteps<JsonValue>;
  validate(value: JsonValue, type: Type, options: ValidationOptions): MaybeSteps<void>;
  equalJson(a: JsonValue, b: JsonValue): MaybeSteps<boolean>;
  /** Runs steps whose sets are not used afterwards, and releases their memory. */
  temporarily<Result>(steps: Steps<Result>): Steps<Result>;
}

/** Returns how a write runs: at once without a limit of its work. */
export const paceOf = (work: Work): Pace => (work === UNBOUNDED_WORK ? AT_ONCE : new InSteps(work));

const AT_ONCE: Pace = Object.freeze({
  spend: () => false,
  reserve: () => undefined,
  keysOf: (object: object) => Object.keys(object),
  isEmpty,
  union,
  unionOf,
  intersection,
  difference,
  recursiveDifference,
  isSubset,
  equalSets,
  sorted,
  fromFieldsV1,
  toFieldSet,
  addedNode,
  ensureNamedFieldsAreMembers,
  reconcileWithType,
  compare,
  excludeFields,
  merge,
  removeItems,
  validate,
  equalJson,
  temporarily: <Result>(steps: Steps<Result>): Steps<Result> => steps,
});

class InSteps implements Pace {
  readonly #walk: Walk;

  constructor(work: Work) {
    this.#walk = new Walk(work);
  }

  spend(units: number): boolean {
    return this.#walk.spend(units);
  }

  reserve(elements: number): void {
    this.#walk.reserve(elements);
  }

  keysOf(object: object): readonly string[] {
    return this.#walk.keysOf(object);
  }

  isEmpty(set: FieldSet): boolean {
    return this.#walk.keysOf(set).length === 0;
  }

  union(a: FieldSet, b: FieldSet): Steps<FieldSet> {
    return combined(this.#walk, UNION, a, b);
  }

  unionOf(sets: readonly FieldSet[]): Steps<FieldSet> {
    return unionOfInSteps(this.#walk, sets);
  }

  intersection(a: FieldSet, b: FieldSet): Steps<FieldSet> {
    return combined(this.#walk, INTERSECTION, a, b);
  }

  difference(a: FieldSet, b: FieldSet): Steps<FieldSet> {
    return combined(this.#walk, DIFFERENCE, a, b);
  }

  recursiveDifference(a: FieldSet, b: FieldSet): Steps<FieldSet> {
    return combined(this.#walk, RECURSIVE_DIFFERENCE, a, b);
  }

  isSubset(a: FieldSet, b: FieldSet): Steps<boolean> {
    return isSubsetInSteps(this.#walk, a, b);
  }

  equalSets(a: FieldSet, b: FieldSet): Steps<boolean> {
    return equalSetsInSteps(this.#walk, a, b);
  }

  sorted(set: FieldSet): Steps<FieldSet> {
    return sortedInSteps(this.#walk, set);
  }

  fromFieldsV1(fields: JsonValue): Steps<FieldSet> {
    return fromFieldsV1InSteps(this.#walk, fields);
  }

  toFieldSet(value: JsonValue, type: Type): Steps<FieldSet> {
    return toFieldSetInSteps(value, type, this.#walk);
  }

  addedNode(value: JsonValue, type: Type): MaybeSteps<FieldSet> {
    return addedInSteps(value, type, this.#walk);
  }

  ensureNamedFieldsAreMembers(set: FieldSet, type: Type | undefined): Steps<FieldSet> {
    return namedFieldsInSteps(this.#walk, set, type);
  }

  reconcileWithType(set: FieldSet, type: Type): Steps<FieldSet> {
    return reconcileInSteps(this.#walk, set, type);
  }

  compare(before: JsonValue, after: JsonValue, type: Type): Steps<Comparison> {
    return compareInSteps(before, after, type, this.#walk);
  }

  excludeFields(comparison: Comparison, fields: FieldSet | undefined): Steps<Comparison> {
    return excludeInSteps(comparison, fields, this.#walk);
  }

  merge(live: JsonValue, config: JsonValue, type: Type): MaybeSteps<JsonValue> {
    return mergeInSteps(live, config, type, this.#walk);
  }

  removeItems(value: JsonValue, set: FieldSet, type: Type): MaybeSteps<JsonValue> {
    return removeInSteps(value, set, type, this.#walk);
  }

  validate(value: JsonValue, type: Type, options: ValidationOptions): Steps<void> {
    return validateInSteps(value, type, options, this.#walk);
  }

  equalJson(a: JsonValue, b: JsonValue): Steps<boolean> {
    return equalSteps(this.#walk.work, a, b);
  }

  *temporarily<Result>(steps: Steps<Result>): Steps<Result> {
    const { heldBytes } = this.#walk;
    try {
      return yield* steps;
    } finally {
      this.#walk.releaseTo(heldBytes);
    }
  }
}
