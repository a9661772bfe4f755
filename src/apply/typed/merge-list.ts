import { equalJson, type JsonValue } from '../../meta/json.js';
import { pathText, type PathElement } from '../fieldpath/element.js';
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
  if (left === undefined || right === undefined)
    return new ListMerger(left ?? [], right ?? [], type, mergeValues).run();
  if (haveSameItems(left, right, type)) return mergeInPlace(left, right, type, mergeValues);
  return sharedList(left, new ListMerger(left, right, type, mergeValues).run());
}

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

class ListMerger {
  readonly #live: readonly JsonValue[];
  readonly #liveElements: readonly PathElement[];
  readonly #configElements: readonly PathElement[];
  /** Items by element; the value undefined marks duplicates, which are not merged. */
  readonly #liveItems: ReadonlyMap<PathElement, JsonValue | undefined>;
  readonly #configItems: ReadonlyMap<PathElement, JsonValue | undefined>;
  /** Elements of both lists in the applied order; {@link #sharedDone} counts those that are done. */
  readonly #shared: readonly PathElement[];
  #sharedDone = 0;
  readonly #merged = new Set<PathElement>();
  readonly #out: JsonValue[] = [];
  readonly #type: Type;
  readonly #mergeValues: MergeValues;

  constructor(live: readonly JsonValue[], config: readonly JsonValue[], type: ListType, mergeValues: MergeValues) {
    const left = index(live, type, true);
    const right = index(config, type, false);
    this.#live = live;
    this.#liveElements = left.elements;
    this.#liveItems = left.items;
    this.#configElements = right.elements;
    this.#configItems = right.items;
    this.#shared = right.elements.filter((element) => left.items.has(element));
    this.#type = type.element;
    this.#mergeValues = mergeValues;
  }

  /** Walks both lists in parallel, with one cursor each. */
  run(): JsonValue[] {
    let at = 0;
    let applied = 0;
    while (at < this.#liveElements.length || applied < this.#configElements.length) {
      const element = this.#liveElements[at];
      const wanted = this.#configElements[applied];
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
        if (!this.#configItems.has(element)) {
          this.#out.push(this.#live[at] as JsonValue);
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
    return next !== undefined && next !== element && this.#configItems.has(element);
  }

  #takeApplied(element: PathElement): void {
    this.#merged.add(element);
    const live = this.#liveItems.get(element);
    const config = this.#configItems.get(element) as JsonValue;
    this.#out.push(live === undefined ? config : this.#mergeValues(live, config, this.#type));
  }
}

function index(
  list: readonly JsonValue[],
  type: ListType,
  allowDuplicates: boolean,
): { elements: PathElement[]; items: Map<PathElement, JsonValue | undefined> } {
  const elements: PathElement[] = [];
  const items = new Map<PathElement, JsonValue | undefined>();
  for (const item of list) {
    const element = itemElement(item, type);
    if (!items.has(element)) items.set(element, item);
    else if (allowDuplicates) items.set(element, undefined);
    else throw TypedError.of(`duplicate entries for key ${pathText([element])}`);
    elements.push(element);
  }
  return { elements, items };
}
