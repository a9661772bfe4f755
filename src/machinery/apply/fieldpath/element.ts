import {
  afterString,
  compareText,
  goJson,
  goQuote,
  isArray,
  isJsonObject,
  jsonValue,
  ownMember,
  quotedText,
  shownText,
  sortedKeys,
  sortedSteps,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';

/**
 * One step of a path, as FieldsV1 writes it: `f:name` is a field, `k:{"name":"x"}` the list item with these keys,
 * `v:"x"` the set item with this value, `i:0` the list item at this index. The form is canonical (sorted keys, compact
 * JSON): equal steps are equal strings.
 */
export type PathElement = string;

/** The element of the node itself, in the serialised form. */
export const SELF = '.';

/** Thrown for a serialised field set that cannot be read. */
export class FieldSetError extends Error {
  override readonly name = 'FieldSetError';
}

/** The step into a field. */
export const fieldElement = (name: string): PathElement => `f:${name}`;
/** The step to the set item with a value. */
export const valueElement = (value: JsonValue): PathElement => `v:${goJson(value)}`;
/** The step to the list item with these keys. */
export const keyElement = (keys: { readonly [name: string]: JsonValue }): PathElement => `k:${goJson(keys)}`;
/** The step to the list item at an index. */
export const indexElement = (index: number): PathElement => `i:${index}`;

/**
 * Parses a serialised element and returns its canonical form.
 *
 * @returns undefined for an unknown kind of element, which callers skip: a later version may define it
 * @throws FieldSetError when the text is not an element
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new FieldSetError('key must be 2 characters long:');
  if (text.charCodeAt(1) !== 0x3a) throw new FieldSetError(`missing colon: ${shownText(text)}`);
  switch (text.charCodeAt(0)) {
    case 0x66:
      return text;
    case 0x6b:
      return keyElement(parseKeys(text));
    case 0x76:
      return valueElement(parseJson(text));
    case 0x69:
      if (!/^[+-]?[0-9]+$/.test(text.slice(2)))
        throw new FieldSetError(`strconv.ParseInt: parsing ${quotedText(text.slice(2))}: invalid syntax`);
      return indexElement(Number(text.slice(2)));
    default:
      return undefined;
  }
}

/**
 * Most values in an element. The items of a list have a few keys, and those of a set are scalars. An element is parsed,
 * written and compared in one piece.
 */
const MAX_VALUES = 100;

function parseJson(text: string): JsonValue {
  if (hasManyValues(text)) throw new FieldSetError(`cannot read a path element of more than ${MAX_VALUES} values`);
  try {
    return jsonValue(text.slice(2));
  } catch (error) {
    throw new FieldSetError(`cannot read ${quotedText(text)} as a path element`, { cause: error });
  }
}

/** Returns whether an element has more than {@link MAX_VALUES} values, in all depths. Does not parse it. */
function hasManyValues(text: string): boolean {
  // A shorter text cannot have more.
  if (text.length <= MAX_VALUES) return false;
  let values = 1;
  for (let at = 2; at < text.length && values <= MAX_VALUES;) {
    const character = text.charAt(at);
    if (character === ',' || character === '[' || character === '{') values += 1;
    at = character === '"' ? afterString(text, at + 1) : at + 1;
  }
  return values > MAX_VALUES;
}

function parseKeys(text: string): { readonly [name: string]: JsonValue } {
  const keys = parseJson(text);
  if (!isJsonObject(keys))
    throw new FieldSetError(`cannot read ${quotedText(text)} as a path element: expected an object of keys`);
  return keys as { readonly [name: string]: JsonValue };
}

/** Order of the kinds of elements, by their first character. */
const KIND_RANK: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

/** Compares in Kubernetes order: the node itself, fields by name, items by keys, items by value, items by index. */
export function compareElements(a: PathElement, b: PathElement): number {
  return compareParsed(a, itemValue(a), b, itemValue(b));
}

/** A value with the members of its objects in order, so that comparing it with many others sorts them once. */
type OrderedValue = null | boolean | number | bigint | string | readonly OrderedValue[] | OrderedMembers;

/** The members of an object, by their names. */
class OrderedMembers {
  readonly names: readonly string[];
  readonly values: readonly OrderedValue[];

  constructor(object: JsonObject) {
    this.names = sortedKeys(object);
    this.values = this.names.map((name) => orderedValue(object[name] ?? null));
  }
}

function orderedValue(value: JsonValue): OrderedValue {
  if (isJsonObject(value)) return new OrderedMembers(value);
  return isArray(value) ? value.map(orderedValue) : value;
}

/** The keys, value or index in the element of an item; undefined for a field and for the node itself. */
function itemValue(element: PathElement): OrderedValue | undefined {
  return element === SELF || element.charCodeAt(0) === 0x66 ? undefined : orderedValue(jsonValue(element.slice(2)));
}

function compareParsed(
  a: PathElement,
  left: OrderedValue | undefined,
  b: PathElement,
  right: OrderedValue | undefined,
): number {
  if (a === b) return 0;
  const kind = a.charAt(0);
  if (kind !== b.charAt(0)) return (ownMember(KIND_RANK, kind) ?? 5) - (ownMember(KIND_RANK, b.charAt(0)) ?? 5);
  if (left === undefined || right === undefined) return compareText(a, b);
  return compareValues(left, right);
}

/** Sorts elements in place by {@link compareElements}. Parses the element of each item once. */
export function sortElements(elements: PathElement[]): PathElement[] {
  const values = new Map<PathElement, OrderedValue | undefined>();
  for (const element of elements) values.set(element, itemValue(element));
  return elements.sort((a, b) => compareParsed(a, values.get(a), b, values.get(b)));
}

/** Units of work to parse the element of an item, and to look at one that is a field. */
const ELEMENT_UNITS = 8;
const FIELD_UNITS = 1;
/** Characters of an element that take a unit. */
const CHARACTERS_PER_UNIT = 8;

/** Units of work to parse the element of an item. */
export const elementUnits = (element: string): number =>
  ELEMENT_UNITS + Math.ceil(element.length / CHARACTERS_PER_UNIT);

/** Returns elements in the order of {@link sortElements}, in steps. The list may be sorted in place. */
export function* sortElementsInSteps(elements: PathElement[], work: Work): Steps<readonly PathElement[]> {
  const values = new Map<PathElement, OrderedValue | undefined>();
  let isPlain = true;
  for (const element of elements) {
    const value = itemValue(element);
    isPlain &&= isPlainField(element);
    if (work.spend(value === undefined ? FIELD_UNITS : elementUnits(element))) yield;
    if (value !== undefined) values.set(element, value);
  }
  if (isPlain) return yield* sortedSteps(elements, compareUnits, work);
  return yield* sortedSteps(elements, (a, b) => compareParsed(a, values.get(a), b, values.get(b)), work);
}

/** The engine's order of strings, which is that of {@link compareElements} for plain fields. */
const compareUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns true for a field or `.` without surrogates: such text sorts the same in bytes and in UTF-16. */
export function isPlainField(element: PathElement): boolean {
  if (element.charCodeAt(0) !== 0x66 && element !== SELF) return false;
  for (let index = 2; index < element.length; index += 1) if (element.charCodeAt(index) >= 0xd800) return false;
  return true;
}

/** Returns true when elements are in the order of {@link compareElements}, in steps. */
export function* areInOrderInSteps(elements: readonly PathElement[], work: Work): Steps<boolean> {
  for (let index = 1; index < elements.length; index += 1) {
    const [previous, element] = [elements[index - 1] as PathElement, elements[index] as PathElement];
    const isItem = element.charCodeAt(0) !== 0x66;
    if (work.spend(isItem ? elementUnits(previous) + elementUnits(element) : FIELD_UNITS)) yield;
    if ((isItem ? compareElements(previous, element) : compareParsed(previous, undefined, element, undefined)) > 0)
      return false;
  }
  return true;
}

/** Returns true when the members of a set are in the order of {@link compareElements}. Parses only items in a row. */
export function areInOrder(set: { readonly [element: PathElement]: unknown }): boolean {
  let previous: PathElement | undefined;
  let read: OrderedValue | undefined;
  for (const element in set) {
    let value: OrderedValue | undefined;
    if (previous !== undefined) {
      if (previous.charCodeAt(0) === element.charCodeAt(0)) {
        read ??= itemValue(previous);
        value = itemValue(element);
      }
      if (compareParsed(previous, read, element, value) > 0) return false;
    }
    previous = element;
    read = value;
  }
  return true;
}

/** Order of values of different types. */
function typeRank(value: OrderedValue): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (value === null) return 5;
  return value instanceof OrderedMembers ? 4 : 3;
}

function compareValues(a: OrderedValue, b: OrderedValue): number {
  const rank = typeRank(a) - typeRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'string') return compareText(a, b as string);
  if (typeof a === 'number' || typeof a === 'bigint') return compareNumbers(a, b as number | bigint);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (a instanceof OrderedMembers) return compareMembers(a, b as OrderedMembers);
  return a === null ? 0 : compareLists(a, b as readonly OrderedValue[]);
}

const compareNumbers = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function compareLists(a: readonly OrderedValue[], b: readonly OrderedValue[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const order = compareValues(a[index] as OrderedValue, b[index] as OrderedValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareMembers(a: OrderedMembers, b: OrderedMembers): number {
  for (let index = 0; index < Math.min(a.names.length, b.names.length); index += 1) {
    const order =
      compareText(a.names[index] as string, b.names[index] as string) ||
      compareValues(a.values[index] as OrderedValue, b.values[index] as OrderedValue);
    if (order !== 0) return order;
  }
  return a.names.length - b.names.length;
}

/**
 * Formats an element for messages: `.name`, `[port=80,protocol="TCP"]`, `[="x"]`, `[0]`. Of one with many values, which a
 * list of the wrong type may have, it shows the beginning as it is.
 */
export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  if (element.charAt(0) !== 'f' && hasManyValues(element)) return `[${shownText(rest)}]`;
  switch (element.charAt(0)) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = parseKeys(element);
      return `[${sortedKeys(keys)
        .map((name) => `${name}=${valueText(keys[name] ?? null)}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${valueText(parseJson(element))}]`;
    default:
      return `[${rest}]`;
  }
}

function valueText(value: JsonValue): string {
  if (typeof value === 'string') return goQuote(value);
  if (isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (isJsonObject(value))
    return `{${sortedKeys(value)
      .map((name) => `${name}=${valueText(value[name] ?? null)}`)
      .join(';')}}`;
  return String(value);
}

/** Formats a path for messages: `.spec.containers[name="app"].image`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}
