import { duplicate, resultOf, type FieldErrorList, type MaybeSteps, type Steps } from '../../../foundation/index.js';
import { longerThan } from './limits.js';

/** Adds the errors of one item. */
export type ItemRule<Item> = (errors: FieldErrorList, path: string, item: Item) => MaybeSteps<void>;

/** Adds the errors of the items of a list, and of its length. */
export function* validateList<Item>(
  errors: FieldErrorList,
  path: string,
  items: readonly Item[],
  max: number,
  rule: ItemRule<Item>,
): Steps<void> {
  for (const [index, item] of items.entries()) {
    if (errors.spend()) yield;
    yield* resultOf(rule(errors, `${path}[${index}]`, item));
  }
  if (items.length > max) errors.push(longerThan(path, max));
}

/**
 * Adds the errors of a list whose items differ by a key.
 *
 * @param field name of the field with the key; undefined when the item itself is the key
 */
export function* validateSet<Item>(
  errors: FieldErrorList,
  path: string,
  items: readonly Item[],
  max: number,
  rule: ItemRule<Item>,
  keyOf: (item: Item) => string,
  field?: string,
): Steps<void> {
  yield* validateList(errors, path, items, max, rule);
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (errors.spend()) yield;
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(`${path}[${index}]${field === undefined ? '' : `.${field}`}`, key));
    seen.add(key);
  }
}
