import {
  atOnce,
  equalJson,
  equalSteps,
  isSteps,
  UNBOUNDED_WORK,
  type JsonValue,
  type MaybeSteps,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { pathText, type PathElement } from '../fieldpath/element.js';
import type { Walk } from '../fieldpath/walk.js';
import { TypedError } from './errors.js';
import { itemElement } from './item.js';
import type { ListType, Type } from './type.js';
import { asList } from './value.js';

/**
 * Merges two values of a type. A parameter of the list merge, because values contain lists and lists contain values.
 */
type MergeValues = (live: JsonValue, config: JsonValue, type: Type) => JsonValue;

/**
 * Merges lists item by item. The result has the applied items in the applied order. Items that only the live list has
 * stay before the item that follows them there, as far as the two orders agree.
 *
 * @throws TypedError when an applied item occurs twice, or an item has no valid keys or value
 */
export function mergeLists(live: JsonValue, config: JsonValue, type: ListType, mergeValues: MergeValues): JsonValue {
  const left = asList(live);
  const right = asList(config);
  if (type.atomic || ((left?.length ?? 0) === 0 && (right?.length ?? 0) === 0))
    return equalJson(live, config) ? live : config;
  if (left !== undefined && right !== undefined && haveSameItems(left, right, type))
    return mergeInPlace(left, right, type, mergeValues);
  const merged: JsonValue[] = [];
  for (const { live: before, config: applied } of atOnce(mergedItems(left ?? [], right ?? [], type, UNBOUNDED_WORK)))
    merged.push(mergedItem(before, applied) ?? mergeValues(before as JsonValue, applied as JsonValue, type.element));
  return left === undefined || right === undefined ? merged : sharedList(left, merged);
}

/** Merges two values of a type, in steps. */
type MergeInSteps = (live: JsonValue, config: JsonValue, type: Type, walk: Walk) => MaybeSteps<JsonValue>;

/** Does the same as {@link mergeLists}, in steps. */
export function* mergeListsInSteps(
  live: JsonValue,
  config: JsonValue,
  type: ListType,
  mergeValues: MergeInSteps,
  walk: Walk,
): Steps<JsonValue> {
  const left = asList(live);
  const right = asList(config);
  if (type.atomic || ((left?.length ?? 0) === 0 && (right?.length ?? 0) === 0))
    return (yield* equalSteps(walk.work, live, config)) ? live : config;
  walk.reserve(((left?.length ?? 0) + (right?.length ?? 0)) * INDEXED_ITEM);
  const merged: JsonValue[] = [];
  for (const { live: before, config: applied } of yield* mergedItems(left ?? [], right ?? [], type, walk)) {
    if (walk.spend(ITEM_UNITS)) yield;
    const item = mergedItem(before, applied);
    const made = item ?? mergeValues(before as JsonValue, applied as JsonValue, type.element, walk);
    merged.push(isSteps(made) ? yield* made : made);
  }
  return left === undefined || right === undefined ? merged : sharedList(left, merged);
}

/** Units of work to find the element of an item, and to take an item. */
const ELEMENT_UNITS = 12;
const ITEM_UNITS = 2;
/** Places of an item in the maps and lists of a merge. */
const INDEXED_ITEM = 4;

/** Returns the item that only one list has; undefined for an item of both, which is merged. */
const mergedItem = (live: JsonValue | undefined, config: JsonValue | undefined): JsonValue | undefined =>
  live === undefined ? config : config === undefined ? live : undefined;

/** Maximum length of lists that are searched for duplicates item by item. */
const SHORT = 16;

/**
 * Returns true when the two lists have the same items in the same order, each once. Returns false for long lists, which
 * take the general path.
 */
function haveSameItems(live: readonly JsonValue[], config: readonly JsonValue[], type: ListType): boolean {
  if (live.length !== config.length || live.length > SHORT) return false;
  const elements: PathElement[] = [];
  for (let index = 0; index < live.length; index += 1) {
    const element = itemElement(config[index] as JsonValue, type);
    if (elements.includes(element) || itemElement(live[index] as JsonValue, type) !== element) return false;
    elements.push(element);
  }
  return true;
}

function mergeInPlace(
  live: readonly JsonValue[],
  config: readonly JsonValue[],
  type: ListType,
  mergeValues: MergeValues,
): JsonValue {
  let out: JsonValue[] | undefined;
  for (let index = 0; index < live.length; index += 1) {
    const before = live[index] as JsonValue;
    const merged = mergeValues(before, config[index] as JsonValue, type.element);
    if (merged !== before) (out ??= [...live])[index] = merged;
  }
  return out ?? live;
}

/** Returns the live list when the merged list has identical items. */
function sharedList(live: readonly JsonValue[], merged: readonly JsonValue[]): readonly JsonValue[] {
  return merged.length === live.length && merged.every((item, index) => item === live[index]) ? live : merged;
}

/** An item of a merged list. One that both lists have is merged of both. */
interface MergedItem {
  readonly live: JsonValue | undefined;
  readonly config: JsonValue | undefined;
}

/** Returns the items of a merged list, in steps. @throws TypedError like {@link mergeLists} */
function* mergedItems(
  live: readonly JsonValue[],
  config: readonly JsonValue[],
  type: ListType,
  work: Pick<Work, 'spend'>,
): Steps<readonly MergedItem[]> {
  const left = yield* indexed(live, type, true, work);
  const right = yield* indexed(config, type, false, work);
  return yield* new ListMerger(live, left, right).steps(work);
}

/** The items of a list. */
interface Indexed {
  readonly elements: readonly PathElement[];
  /** Items by element; the value undefined marks duplicates, which are not merged. */
  readonly items: ReadonlyMap<PathElement, JsonValue | undefined>;
}

class ListMerger {
  readonly #live: readonly JsonValue[];
  readonly #left: Indexed;
  readonly #right: Indexed;
  /** Elements of both lists in the applied order; {@link #sharedDone} counts those that are done. */
  readonly #shared: readonly PathElement[];
  #sharedDone = 0;
  readonly #merged = new Set<PathElement>();
  readonly #out: MergedItem[] = [];

  constructor(live: readonly JsonValue[], left: Indexed, right: Indexed) {
    this.#live = live;
    this.#left = left;
    this.#right = right;
    this.#shared = right.elements.filter((element) => left.items.has(element));
  }

  /** Walks both lists in parallel, with one cursor each. */
  *steps(work: Pick<Work, 'spend'>): Steps<readonly MergedItem[]> {
    const { elements } = this.#left;
    const wantedElements = this.#right.elements;
    let at = 0;
    let applied = 0;
    while (at < elements.length || applied < wantedElements.length) {
      if (work.spend(ITEM_UNITS)) yield;
      const element = elements[at];
      const wanted = wantedElements[applied];
      if (element !== undefined && element === wanted) {
        this.#takeApplied(element);
        this.#sharedDone += 1;
        at += 1;
        applied += 1;
        continue;
      }
      if (element !== undefined && wanted !== undefined && this.#isSharedButLater(element)) {
        at += 1;
        continue;
      }
      if (element !== undefined) {
        if (!this.#right.items.has(element)) {
          this.#out.push({ live: this.#live[at], config: undefined });
          at += 1;
          continue;
        }
        // The item is already merged, in the applied order.
        if (this.#merged.has(element)) at += 1;
      }
      if (wanted !== undefined) {
        this.#takeApplied(wanted);
        if (this.#shared[this.#sharedDone] === wanted) this.#sharedDone += 1;
        applied += 1;
      }
    }
    return this.#out;
  }

  /** Returns true when the applied list also has the live item, but another shared item comes first. */
  #isSharedButLater(element: PathElement): boolean {
    const next = this.#shared[this.#sharedDone];
    return next !== undefined && next !== element && this.#right.items.has(element);
  }

  #takeApplied(element: PathElement): void {
    this.#merged.add(element);
    this.#out.push({ live: this.#left.items.get(element), config: this.#right.items.get(element) });
  }
}

function* indexed(
  list: readonly JsonValue[],
  type: ListType,
  allowDuplicates: boolean,
  work: Pick<Work, 'spend'>,
): Steps<Indexed> {
  const elements: PathElement[] = [];
  const items = new Map<PathElement, JsonValue | undefined>();
  for (const item of list) {
    if (work.spend(ELEMENT_UNITS)) yield;
    const element = itemElement(item, type);
    if (!items.has(element)) items.set(element, item);
    else if (allowDuplicates) items.set(element, undefined);
    else throw TypedError.of(`duplicate entries for key ${pathText([element])}`);
    elements.push(element);
  }
  return { elements, items };
}
