import {
  atOnce,
  equalJson,
  goValue,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import { internalFailure } from '../patch-error.js';
import type { Differ } from './diff.js';
import { deletion } from './directives.js';
import type { FieldFacts } from './facts.js';
import { asMap, haveMaps, keyOfMap, NO_ITEMS, positionsIn, type List } from './items.js';

/** The difference of two merged lists. */
export interface ListDifference {
  /** New and changed items, and items that delete others. */
  readonly changes: List;
  /** Removed scalars. */
  readonly deleted: List;
  /** For `$setElementOrder`: keys of all items, or all scalars. */
  readonly order: List;
}

const SAME: ListDifference = { changes: NO_ITEMS, deleted: NO_ITEMS, order: NO_ITEMS };

/** An item with the text by which Kubernetes sorts and compares it. */
interface Keyed<Item> {
  readonly item: Item;
  readonly text: string;
}

/** Returns the difference of two merged lists, by key or by value. */
export function diffList(original: List, modified: List, facts: FieldFacts, differ: Differ): ListDifference {
  if (original.length === 0)
    return modified.length === 0 || differ.options.onlyDeletions ? SAME : { ...SAME, changes: modified };
  if (!atOnce(haveMaps(UNBOUNDED_WORK, original, modified))) return diffScalars(original, modified, differ);
  if (facts.mergeKey === '')
    throw internalFailure(
      `cannot merge lists without merge key for ${facts.schema.items?.properties === undefined ? 'map' : 'struct'}`,
    );
  return diffMaps(original.map(asMap), modified.map(asMap), facts, differ);
}

function diffScalars(original: List, modified: List, { options }: Differ): ListDifference {
  const changes: JsonValue[] = [];
  const deleted = new Set<JsonValue>();
  pair(original, modified, goValue, (before, after) => {
    if (before === undefined && after !== undefined && !options.onlyDeletions) changes.push(after);
    if (after === undefined && before !== undefined && !options.ignoresDeletions) deleted.add(before);
  });
  const hasOrder = deleted.size > 0 || (!options.onlyDeletions && !equalJson(original, modified));
  return {
    changes: inOrderOf(changes, modified, '', false),
    deleted: [...deleted],
    order: options.setsOrder && hasOrder ? modified : NO_ITEMS,
  };
}

function diffMaps(
  original: readonly JsonObject[],
  modified: readonly JsonObject[],
  facts: FieldFacts,
  differ: Differ,
): ListDifference {
  const { mergeKey, schema } = facts;
  const { options } = differ;
  const changes: JsonValue[] = [];
  const deletions: JsonValue[] = [];
  pair(
    original,
    modified,
    (item) => goValue(keyOfMap(item, mergeKey)),
    (before, after) => {
      if (before === undefined) {
        if (after !== undefined && !options.onlyDeletions) changes.push(after);
      } else if (after === undefined) {
        if (!options.ignoresDeletions) deletions.push(deletion(mergeKey, keyOfMap(before, mergeKey)));
      } else {
        const inner = differ.diffMap(before, after, schema.items, facts.retainsKeys);
        if (Object.keys(inner).length > 0) changes.push({ [mergeKey]: keyOfMap(after, mergeKey), ...inner });
      }
    },
  );
  const all = [...inOrderOf(changes, modified, mergeKey, true), ...deletions];
  const hasOrder = all.length > 0 || (!options.onlyDeletions && !sameKeys(original, modified, mergeKey));
  const order =
    options.setsOrder && hasOrder ? modified.map((item) => ({ [mergeKey]: keyOfMap(item, mergeKey) })) : NO_ITEMS;
  return { changes: all, deleted: NO_ITEMS, order };
}

function sameKeys(a: readonly JsonObject[], b: readonly JsonObject[], mergeKey: string): boolean {
  return (
    a.length === b.length &&
    a.every((item, index) => equalJson(keyOfMap(item, mergeKey), keyOfMap(b[index] as JsonObject, mergeKey)))
  );
}

/**
 * Calls `visit` with each item of either list and the item of the other list with the same key, in the order of the
 * keys.
 */
function pair<Item>(
  original: readonly Item[],
  modified: readonly Item[],
  textOf: (item: Item) => string,
  visit: (before: Item | undefined, after: Item | undefined) => void,
): void {
  const before = byText(original, textOf);
  const after = byText(modified, textOf);
  let at = 0;
  for (const { item, text } of after) {
    for (let left = before[at]; left !== undefined && left.text < text; left = before[at]) {
      visit(left.item, undefined);
      at += 1;
    }
    const left = before[at];
    const matches = left !== undefined && left.text === text;
    visit(matches ? left.item : undefined, item);
    if (matches) at += 1;
  }
  for (; at < before.length; at += 1) visit((before[at] as Keyed<Item>).item, undefined);
}

function byText<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Keyed<Item>[] {
  const keyed = items.map((item) => ({ item, text: textOf(item) }));
  return keyed.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}

function inOrderOf(items: JsonValue[], order: List, mergeKey: string, maps: boolean): List {
  const positions = atOnce(positionsIn(UNBOUNDED_WORK, order, mergeKey, maps));
  const place = (item: JsonValue): number =>
    positions.get(maps ? keyOfMap(asMap(item), mergeKey) : item) ?? order.length;
  return items.sort((a, b) => place(a) - place(b));
}
