import {
  atOnce,
  shownGoSyntax,
  goTypeName,
  shownGoValue,
  isArray,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../../foundation/index.js';
import { fieldElement, indexElement, pathText, type PathElement } from '../fieldpath/element.js';
import { Walk } from '../fieldpath/walk.js';
import { MAX_PROBLEMS, TypedError, type TypedProblem } from './errors.js';
import { itemElement } from './item.js';
import { shapeOf, type ListType, type MapType, type ScalarType, type Type } from './type.js';
import { asList, asMap } from './value.js';

/** Options of a validation. */
export interface ValidationOptions {
  /**
   * Allows several items with the same keys or value in a list. Stored objects may have them, applied objects may not.
   */
  readonly allowDuplicates?: boolean | undefined;
}

/**
 * Checks that a value matches its type: types of values, declared fields, items with valid keys or values.
 *
 * @throws TypedError with the problems, in the text of Kubernetes; of many, with the first ones and the number of the others
 */
export function validate(value: JsonValue, type: Type, options: ValidationOptions = {}): void {
  if (isTyped(value, type, options.allowDuplicates === true)) return;
  atOnce(validateInSteps(value, type, options, new Walk(UNBOUNDED_WORK)));
}

/** Does the same as {@link validate}, in steps. @throws TypedError like {@link validate} */
export function* validateInSteps(
  value: JsonValue,
  type: Type,
  { allowDuplicates = false }: ValidationOptions,
  walk: Walk,
): Steps<void> {
  const validator = new Validator(allowDuplicates);
  yield* validator.validate(value, type, walk);
  if (validator.problems.length > 0) throw yield* TypedError.inSteps(validator.problems, validator.omitted, walk);
}

/** Places of memory that a problem takes. */
const PROBLEM_PLACES = 4;
/** Units of work to check a member, and an item with its element. */
const MEMBER_UNITS = 2;
const ITEM_UNITS = 12;
/** Places of an item in the set of those that have been seen, with its element. */
const SEEN_ITEM = 2;

/** Returns true for a value that {@link validate} accepts. Notes no paths, which makes it faster. */
export function isTyped(value: JsonValue, type: Type, allowDuplicates: boolean): boolean {
  if (value === null) return true;
  if (isArray(value)) return type.list !== undefined && isTypedList(value, type.list, allowDuplicates);
  if (typeof value !== 'object') return type.scalar !== undefined && isScalar(value, type.scalar);
  if (type.map === undefined) return false;
  const { fields, element } = type.map;
  for (const name in value) {
    const child = value[name];
    if (child === undefined) continue;
    const childType = fields.get(name)?.type ?? element;
    if (childType === undefined) return false;
    // Most members are scalars.
    if (childType.scalar !== undefined && isScalar(child, childType.scalar)) continue;
    if (!isTyped(child, childType, allowDuplicates)) return false;
  }
  return true;
}

function isTypedList(list: readonly JsonValue[], type: ListType, allowDuplicates: boolean): boolean {
  const seen = type.atomic || allowDuplicates ? undefined : new Set<PathElement>();
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as JsonValue;
    if (!type.atomic) {
      const element = elementOf(item, type);
      if (element === undefined || seen?.has(element) === true) return false;
      seen?.add(element);
    }
    if (!isTyped(item, type.element, allowDuplicates)) return false;
  }
  return true;
}

function elementOf(item: JsonValue, type: ListType): PathElement | undefined {
  try {
    return itemElement(item, type);
  } catch (error) {
    if (error instanceof TypedError) return undefined;
    throw error;
  }
}

class Validator {
  /** The first problems. */
  readonly problems: TypedProblem[] = [];
  /** Number of the others. */
  omitted = 0;
  readonly #allowDuplicates: boolean;
  readonly #path: PathElement[] = [];

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates;
  }

  *validate(value: JsonValue, type: Type, walk: Walk): Steps<void> {
    if (value === null) return;
    const shape = shapeOf(type, value);
    if (shape === 'scalar') this.#scalar(value, type.scalar as ScalarType);
    else if (shape === 'map') yield* this.#map(value, type.map as MapType, walk);
    else yield* this.#list(value, type.list as ListType, walk);
  }

  #scalar(value: JsonValue, type: ScalarType): void {
    if (!isScalar(value, type)) this.#problem(SCALAR_MESSAGES[type](value));
  }

  #mapOf(value: JsonValue): JsonObject | undefined {
    const map = asMap(value);
    if (map === undefined) this.#problem(`expected map, got &{${shownGoValue(value)}}`);
    return map;
  }

  /** Checks a member, unless it may have members: then returns its type. */
  #member(map: JsonObject, name: string, type: MapType): Type | undefined {
    const child = map[name];
    if (child === undefined) return undefined;
    const childType = type.fields.get(name)?.type ?? type.element;
    if (childType?.scalar !== undefined && isScalar(child, childType.scalar)) return undefined;
    if (childType === undefined) this.#problem('field not declared in schema', elementOfField(name, type));
    return childType;
  }

  #listOf(value: JsonValue): readonly JsonValue[] | undefined {
    const list = asList(value);
    if (list === undefined) this.#problem(`expected list, got &{${shownGoValue(value)}}`);
    return list;
  }

  /** Returns the element of an item; undefined when it has none, and the rest of the list cannot be checked. */
  #item(list: readonly JsonValue[], index: number, type: ListType, seen: Set<PathElement>): PathElement | undefined {
    if (type.atomic) return indexElement(index);
    const element = this.#itemElement(list[index] as JsonValue, index, type);
    if (element === undefined || this.#allowDuplicates) return element;
    if (seen.has(element)) this.#problem(`duplicate entries for key ${pathText([element])}`);
    seen.add(element);
    return element;
  }

  *#map(value: JsonValue, type: MapType, walk: Walk): Steps<void> {
    const map = this.#mapOf(value);
    for (const name of map === undefined ? [] : walk.keysOf(map)) {
      if (walk.spend(MEMBER_UNITS)) yield;
      const before = this.problems.length;
      const unchecked = map && this.#member(map, name, type);
      if (unchecked === undefined) continue;
      this.#path.push(elementOfField(name, type));
      yield* this.validate(map?.[name] as JsonValue, unchecked, walk);
      this.#path.pop();
      if (this.problems.length > before) walk.reserve(PROBLEM_PLACES);
    }
  }

  *#list(value: JsonValue, type: ListType, walk: Walk): Steps<void> {
    const list = this.#listOf(value) ?? [];
    if (!type.atomic) walk.reserve(list.length * SEEN_ITEM);
    const seen = new Set<PathElement>();
    for (let index = 0; index < list.length; index += 1) {
      if (walk.spend(ITEM_UNITS)) yield;
      const before = this.problems.length;
      const element = this.#item(list, index, type, seen);
      if (element === undefined) return;
      this.#path.push(element);
      yield* this.validate(list[index] as JsonValue, type.element, walk);
      this.#path.pop();
      if (this.problems.length > before) walk.reserve(PROBLEM_PLACES);
    }
  }

  #itemElement(item: JsonValue, index: number, type: ListType): PathElement | undefined {
    try {
      return itemElement(item, type);
    } catch (error) {
      if (!(error instanceof TypedError)) throw error;
      this.#problem(`element ${index}: ${error.message}`);
      return undefined;
    }
  }

  #problem(message: string, ...below: readonly PathElement[]): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path: [...this.#path, ...below], message });
    else this.omitted += 1;
  }
}

const elementOfField = (name: string, type: MapType): PathElement =>
  type.fields.get(name)?.element ?? fieldElement(name);

/** Returns true when a value is a scalar of a type. Null is not a scalar; callers handle it first. */
function isScalar(value: JsonValue, type: ScalarType): boolean {
  switch (typeof value) {
    case 'string':
      return type === 'string' || type === 'untyped';
    case 'number':
    case 'bigint':
      return type === 'numeric' || type === 'untyped';
    case 'boolean':
      return type === 'boolean' || type === 'untyped';
    default:
      return false;
  }
}

/** Messages for a value that is not a scalar of its type. */
const SCALAR_MESSAGES: Readonly<Record<ScalarType, (value: JsonValue) => string>> = {
  string: (value) => `expected string, got &value.valueUnstructured{Value:${shownGoSyntax(value)}}`,
  numeric: (value) => `expected numeric (int or float), got ${goTypeName(value)}`,
  boolean: (value) => `expected boolean, got &{${shownGoValue(value)}}`,
  untyped: (value) => `expected any scalar, got &{${shownGoValue(value)}}`,
};
