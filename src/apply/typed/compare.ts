import { equalJson, type JsonObject, type JsonValue } from '../../meta/json.js';
import { fieldElement, type PathElement } from '../fieldpath/element.js';
import { isEmpty, LEAF, recursiveDifference, type FieldSet, type MutableFieldSet } from '../fieldpath/fieldset.js';
import { insertNode } from '../fieldpath/paths.js';
import { undeclaredField } from './errors.js';
import { itemElement } from './item.js';
import { addedNode } from './owned.js';
import { shapeOf, type ListType, type MapType, type Shape, type Type } from './type.js';
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
 * Compares two states of a whole object like {@link compare}, but for the fields that have no owner. The fields that
 * are added or modified are one set, which both members have.
 *
 * @throws TypedError like {@link compare}
 */
export function compareOwned(before: JsonObject, after: JsonObject, type: Type): Comparison {
  const comparer = new Comparer(true);
  comparer.compare(before, after, type);
  return comparer;
}

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
    const field = type.fields.get(name);
    const memberType = field?.type ?? type.element ?? undeclaredField(name, this.#path);
    this.#compareChild(field?.element ?? fieldElement(name), before, after, memberType);
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
}

function itemsByElement(list: readonly JsonValue[], type: ListType): Map<PathElement, JsonValue[]> {
  const items = new Map<PathElement, JsonValue[]>();
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as JsonValue;
    const element = itemElement(item, type);
    const others = items.get(element);
    if (others === undefined) items.set(element, [item]);
    else others.push(item);
  }
  return items;
}
