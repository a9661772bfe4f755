import {
  equalJson,
  equalSteps,
  isSteps,
  resultOf,
  type JsonObject,
  type JsonValue,
  type MaybeSteps,
  type Steps,
} from '../../../foundation/index.js';
import { fieldElement, type PathElement } from '../fieldpath/element.js';
import { isEmpty, LEAF, recursiveDifference, type FieldSet, type MutableFieldSet } from '../fieldpath/fieldset.js';
import { insertNode } from '../fieldpath/paths.js';
import { combined, RECURSIVE_DIFFERENCE } from '../fieldpath/set-steps.js';
import type { Walk } from '../fieldpath/walk.js';
import { undeclaredField } from './errors.js';
import { itemElement } from './item.js';
import { addedInSteps } from './owned-fields-in-steps.js';
import { addedNode } from './owned-fields.js';
import { shapeOf, type Field, type ListType, type MapType, type Shape, type Type } from './type.js';
import { isUntracked } from './untracked.js';
import { asList, asMap, isEmptyMap, member } from './value.js';

/**
 * The differences between two states of an object. Containers count: a map that is created with its first key is added
 * too.
 */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Returns true when nothing differs. */
export function isSame(comparison: Comparison): boolean {
  return isEmpty(comparison.added) && isEmpty(comparison.modified) && isEmpty(comparison.removed);
}

/** Returns the differences without those in some fields. */
export function excludeFields(comparison: Comparison, fields: FieldSet | undefined): Comparison {
  if (fields === undefined || isEmpty(fields)) return comparison;
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}

/**
 * Compares two states of an object. Duplicate items of a list are compared together, as one leaf.
 *
 * @throws TypedError when a part that differs has undeclared fields, or items without valid keys or values
 */
export function compare(before: JsonValue, after: JsonValue, type: Type): Comparison {
  const comparer = new Comparer(false);
  comparer.compare(before, after, type);
  return comparer;
}

/**
 * Compares two states of a whole object like {@link compare}, except the fields that have no owner. The fields that
 * are added or modified are one set, which both members have.
 *
 * @throws TypedError like {@link compare}
 */
export function compareOwned(before: JsonObject, after: JsonObject, type: Type): Comparison {
  const comparer = new Comparer(true);
  comparer.compare(before, after, type);
  return comparer;
}

/** Does the same as {@link compare}, in steps. */
export function* compareInSteps(before: JsonValue, after: JsonValue, type: Type, walk: Walk): Steps<Comparison> {
  const comparer = new Comparer(false);
  const steps = comparer.compareInSteps(before, after, type, walk);
  if (isSteps(steps)) yield* steps;
  return comparer;
}

/** Does the same as {@link excludeFields}, in steps. */
export function* excludeInSteps(comparison: Comparison, fields: FieldSet | undefined, walk: Walk): Steps<Comparison> {
  if (fields === undefined || isEmpty(fields)) return comparison;
  return {
    added: yield* combined(walk, RECURSIVE_DIFFERENCE, comparison.added, fields),
    modified: yield* combined(walk, RECURSIVE_DIFFERENCE, comparison.modified, fields),
    removed: yield* combined(walk, RECURSIVE_DIFFERENCE, comparison.removed, fields),
  };
}

/** Units of work to compare a member, and to find the element of an item. */
const MEMBER_UNITS = 6;
const ITEM_UNITS = 12;

class Comparer implements Comparison {
  readonly added: MutableFieldSet = {};
  readonly modified: MutableFieldSet;
  readonly removed: MutableFieldSet = {};
  readonly #path: PathElement[] = [];
  readonly #onlyOwned: boolean;

  constructor(onlyOwned: boolean) {
    this.#onlyOwned = onlyOwned;
    this.modified = onlyOwned ? this.added : {};
  }

  compare(before: JsonValue, after: JsonValue, type: Type): void {
    if (before === after) return;
    const shapeBefore = shapeOf(type, before);
    const shapeAfter = shapeOf(type, after);
    this.#compareAs(shapeBefore, before, after, type);
    if (shapeAfter !== shapeBefore) this.#compareAs(shapeAfter, before, after, type);
  }

  #compareAs(shape: Shape, before: JsonValue, after: JsonValue, type: Type): void {
    if (shape === 'scalar') this.#compareLeaf(before, after);
    else if (shape === 'map') this.#compareMaps(before, after, type.map as MapType);
    else this.#compareLists(before, after, type.list as ListType);
  }

  #compareLeaf(before: JsonValue, after: JsonValue): void {
    if (!equalJson(before, after)) insertNode(this.modified, this.#path, LEAF);
  }

  #compareMaps(before: JsonValue, after: JsonValue, type: MapType): void {
    const left = asMap(before);
    const right = asMap(after);
    // Null and empty differ: they are compared as leaves.
    if (type.atomic || (isEmptyMap(left) && isEmptyMap(right))) return this.#compareLeaf(before, after);
    for (const name in right) this.#compareMember(name, left && member(left, name), member(right, name), type);
    for (const name in left) {
      if (right === undefined || member(right, name) === undefined)
        this.#compareMember(name, member(left, name), undefined, type);
    }
  }

  #compareMember(name: string, before: JsonValue | undefined, after: JsonValue | undefined, type: MapType): void {
    if (before === after || (this.#onlyOwned && isUntracked(this.#path, name))) return;
    const { element, type: memberType } = this.#fieldOf(name, type);
    this.#compareChild(element, before, after, memberType);
  }

  /** Returns the element and the type of a member. */
  #fieldOf(name: string, type: MapType): Pick<Field, 'element' | 'type'> {
    const field = type.fields.get(name);
    if (field !== undefined) return field;
    return { element: fieldElement(name), type: type.element ?? undeclaredField(name, this.#path) };
  }

  #compareChild(element: PathElement, before: JsonValue | undefined, after: JsonValue | undefined, type: Type): void {
    this.#path.push(element);
    if (before === undefined) {
      if (after !== undefined) insertNode(this.added, this.#path, addedNode(after, type));
    } else if (after === undefined) insertNode(this.removed, this.#path, addedNode(before, type));
    else this.compare(before, after, type);
    this.#path.pop();
  }

  #compareLists(before: JsonValue, after: JsonValue, type: ListType): void {
    const left = asList(before) ?? [];
    const right = asList(after) ?? [];
    if (type.atomic || (left.length === 0 && right.length === 0)) return this.#compareLeaf(before, after);
    if (this.#compareInPlace(left, right, type)) return;
    const itemsBefore = itemsByElement(left, type);
    const itemsAfter = itemsByElement(right, type);
    for (const [element, items] of itemsBefore)
      this.#compareItems(element, items, itemsAfter.get(element) ?? [], type.element);
    for (const [element, items] of itemsAfter)
      if (!itemsBefore.has(element)) this.#compareItems(element, [], items, type.element);
  }

  /**
   * The fast path of lists that share most items: returns true when at most one item differs and it is the same item.
   */
  #compareInPlace(before: readonly JsonValue[], after: readonly JsonValue[], type: ListType): boolean {
    if (before.length !== after.length) return false;
    let differing = -1;
    for (let index = 0; index < before.length; index += 1) {
      if (before[index] === after[index]) continue;
      if (differing >= 0) return false;
      differing = index;
    }
    if (differing < 0) return true;
    const itemBefore = before[differing] as JsonValue;
    const itemAfter = after[differing] as JsonValue;
    const element = itemElement(itemBefore, type);
    if (itemElement(itemAfter, type) !== element) return false;
    for (let index = 0; index < before.length; index += 1) {
      // Duplicates are compared together.
      if (index !== differing && itemElement(before[index] as JsonValue, type) === element) return false;
    }
    this.#compareChild(element, itemBefore, itemAfter, type.element);
    return true;
  }

  /** Compares the items of one element. Several items on one side are duplicates and count as one leaf. */
  #compareItems(element: PathElement, before: readonly JsonValue[], after: readonly JsonValue[], type: Type): void {
    if (before.length <= 1 && after.length <= 1) return this.#compareChild(element, before[0], after[0], type);
    if (before.length >= 2 && after.length >= 2) {
      if (!equalJson(before, after)) insertNode(this.modified, [...this.#path, element], LEAF);
      return;
    }
    if (before.length >= 2) {
      this.#compareChild(element, undefined, after[0], type);
      insertNode(this.removed, [...this.#path, element], LEAF);
      return;
    }
    this.#compareChild(element, before[0], undefined, type);
    insertNode(this.added, [...this.#path, element], LEAF);
  }

  /**
   * Does the same as {@link compare}, in steps. Values are within each other up to the depth of a body, so each level takes
   * as few generators as it can: all of them are on the stack at each step.
   */
  compareInSteps(before: JsonValue, after: JsonValue, type: Type, walk: Walk): MaybeSteps<void> {
    if (before === after) return;
    const shapeBefore = shapeOf(type, before);
    const shapeAfter = shapeOf(type, after);
    const steps = this.#compareAsInSteps(shapeBefore, before, after, type, walk);
    return shapeAfter === shapeBefore
      ? steps
      : inTurn(steps, this.#compareAsInSteps(shapeAfter, before, after, type, walk));
  }

  #compareAsInSteps(shape: Shape, before: JsonValue, after: JsonValue, type: Type, walk: Walk): Steps<void> {
    if (shape === 'scalar') return this.#compareLeafInSteps(before, after, walk);
    if (shape === 'map') return this.#compareMapsInSteps(before, after, type.map as MapType, walk);
    return this.#compareListsInSteps(before, after, type.list as ListType, walk);
  }

  *#compareLeafInSteps(before: JsonValue, after: JsonValue, walk: Walk): Steps<void> {
    if (yield* equalSteps(walk.work, before, after)) return;
    walk.reserve(1);
    insertNode(this.modified, this.#path, LEAF);
  }

  *#compareMapsInSteps(before: JsonValue, after: JsonValue, type: MapType, walk: Walk): Steps<void> {
    const left = asMap(before);
    const right = asMap(after);
    if (walk.lists(left)) yield;
    if (walk.lists(right)) yield;
    if (type.atomic || (walk.isEmptyMap(left) && walk.isEmptyMap(right)))
      return yield* this.#compareLeafInSteps(before, after, walk);
    for (const name of right === undefined ? [] : walk.keysOf(right)) {
      if (walk.spend(MEMBER_UNITS)) yield;
      const steps = this.#memberInSteps(name, left && member(left, name), right && member(right, name), type, walk);
      if (steps !== undefined) yield* steps;
    }
    for (const name of left === undefined ? [] : walk.keysOf(left)) {
      if (walk.spend(MEMBER_UNITS)) yield;
      if (right !== undefined && member(right, name) !== undefined) continue;
      const steps = this.#memberInSteps(name, left && member(left, name), undefined, type, walk);
      if (steps !== undefined) yield* steps;
    }
  }

  /** Returns the steps of a member that takes any. */
  #memberInSteps(
    name: string,
    before: JsonValue | undefined,
    after: JsonValue | undefined,
    type: MapType,
    walk: Walk,
  ): Steps<void> | undefined {
    if (before === after) return undefined;
    const { element, type: memberType } = this.#fieldOf(name, type);
    if (isScalar(before) && isScalar(after)) {
      walk.reserve(1);
      this.#compareChild(element, before, after, memberType);
      return undefined;
    }
    return this.#childInSteps(element, before, after, memberType, walk);
  }

  *#childInSteps(
    element: PathElement,
    before: JsonValue | undefined,
    after: JsonValue | undefined,
    type: Type,
    walk: Walk,
  ): Steps<void> {
    this.#path.push(element);
    if (before === undefined) {
      if (after !== undefined) insertNode(this.added, this.#path, yield* resultOf(addedInSteps(after, type, walk)));
    } else if (after === undefined)
      insertNode(this.removed, this.#path, yield* resultOf(addedInSteps(before, type, walk)));
    else {
      const steps = this.compareInSteps(before, after, type, walk);
      if (isSteps(steps)) yield* steps;
    }
    this.#path.pop();
  }

  *#compareListsInSteps(before: JsonValue, after: JsonValue, type: ListType, walk: Walk): Steps<void> {
    const left = asList(before) ?? [];
    const right = asList(after) ?? [];
    if (type.atomic || (left.length === 0 && right.length === 0))
      return yield* this.#compareLeafInSteps(before, after, walk);
    const itemsBefore = yield* itemsInSteps(left, type, walk);
    const itemsAfter = yield* itemsInSteps(right, type, walk);
    for (const [element, items] of itemsBefore) {
      if (walk.spend(MEMBER_UNITS)) yield;
      yield* this.#itemsInSteps(element, items, itemsAfter.get(element) ?? [], type.element, walk);
    }
    for (const [element, items] of itemsAfter) {
      if (walk.spend(MEMBER_UNITS)) yield;
      if (!itemsBefore.has(element)) yield* this.#itemsInSteps(element, [], items, type.element, walk);
    }
  }

  *#itemsInSteps(
    element: PathElement,
    before: readonly JsonValue[],
    after: readonly JsonValue[],
    type: Type,
    walk: Walk,
  ): Steps<void> {
    // One of them is the only one, or it is as if there were none of a side: duplicates count as one leaf.
    const [first, second] = [before.length >= 2 ? undefined : before[0], after.length >= 2 ? undefined : after[0]];
    if (first !== second) yield* this.#childInSteps(element, first, second, type, walk);
    if (before.length < 2 && after.length < 2) return;
    if (before.length >= 2 && after.length >= 2 && (yield* equalSteps(walk.work, before, after))) return;
    const changed = before.length < 2 ? this.added : after.length < 2 ? this.removed : this.modified;
    walk.reserve(1);
    insertNode(changed, [...this.#path, element], LEAF);
  }
}

const isScalar = (value: JsonValue | undefined): boolean => typeof value !== 'object' || value === null;

function* inTurn(first: Steps<void>, second: Steps<void>): Steps<void> {
  yield* first;
  yield* second;
}

function* itemsInSteps(list: readonly JsonValue[], type: ListType, walk: Walk): Steps<Map<PathElement, JsonValue[]>> {
  const items = new Map<PathElement, JsonValue[]>();
  walk.reserve(list.length * INDEXED_ITEM);
  for (const item of list) {
    if (walk.spend(ITEM_UNITS)) yield;
    addItem(items, itemElement(item, type), item);
  }
  return items;
}

/** Places of an item in a map of lists, with its element. */
const INDEXED_ITEM = 4;

function itemsByElement(list: readonly JsonValue[], type: ListType): Map<PathElement, JsonValue[]> {
  const items = new Map<PathElement, JsonValue[]>();
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as JsonValue;
    addItem(items, itemElement(item, type), item);
  }
  return items;
}

function addItem(items: Map<PathElement, JsonValue[]>, element: PathElement, item: JsonValue): void {
  const others = items.get(element);
  if (others === undefined) items.set(element, [item]);
  else others.push(item);
}
