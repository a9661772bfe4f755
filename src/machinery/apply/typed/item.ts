import { goJson, goQuote, isArray, type JsonValue } from '../../../foundation/index.js';
import { valueElement, type PathElement } from '../fieldpath/element.js';
import { TypedError } from './errors.js';
import { keyValue } from './item-element-cache.js';
import type { ListType } from './type.js';
import { asMap } from './value.js';

/**
 * Returns the element of an item in a list that is not atomic.
 *
 * @throws TypedError (without a path) when the item cannot be identified: a key has neither value nor default, or an
 * item of a set is not a scalar
 */
export function itemElement(item: JsonValue, list: ListType): PathElement {
  return list.keys.length === 0
    ? setItemElement(item)
    : (list.elementCache?.recall(item, list.keys) ?? keyedItemElement(item, list));
}

function setItemElement(item: JsonValue): PathElement {
  if (typeof item !== 'object') return valueElement(item);
  if (item === null) throw TypedError.of("associative list without keys has an element that's an explicit null");
  throw TypedError.of(
    isArray(item)
      ? 'not supported: associative list with lists as elements'
      : "associative list without keys has an element that's a map type",
  );
}

function keyedItemElement(item: JsonValue, list: ListType): PathElement {
  if (item === null) throw TypedError.of('associative list with keys may not have a null element');
  const map = asMap(item);
  if (map === undefined) throw TypedError.of('associative list with keys may not have non-map elements');
  let text = '';
  let scalars = true;
  for (const key of list.keys) {
    const value = keyValue(map, key);
    if (value === undefined)
      throw TypedError.of(
        `associative list with keys has an element that omits key field ${goQuote(key.name)} (and doesn't have default value)`,
      );
    text += `${text === '' ? '' : ','}${goJson(key.name)}:${goJson(value)}`;
    scalars &&= typeof value !== 'object';
  }
  const element = `k:{${text}}`;
  if (scalars) list.elementCache?.remember(map, list.keys, element);
  return element;
}
