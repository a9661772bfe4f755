import { isArray, type JsonValue } from '../../meta/json.js';
import { fieldElement, indexElement, pathText, type PathElement } from '../fieldpath/element.js';
import { goSyntax } from '../../meta/go-text.js';
import { goTypeName, goValue } from '../../meta/go-values.js';
import { TypedError, type TypedProblem } from './errors.js';
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
 * @throws TypedError with all problems, in the text of Kubernetes
 */
export function validate(value: JsonValue, type: Type, options: ValidationOptions = {}): void {
  if (isTyped(value, type, options.allowDuplicates === true)) return;
  const validator = new Validator(options.allowDuplicates === true);
  validator.validate(value, type);
  if (validator.problems.length > 0) throw new TypedError(validator.problems);
}

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
  readonly problems: TypedProblem[] = [];
  readonly #allowDuplicates: boolean;
  readonly #path: PathElement[] = [];

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates;
  }

  validate(value: JsonValue, type: Type): void {
    if (value === null) return;
    const shape = shapeOf(type, value);
    if (shape === 'scalar') this.#scalar(value, type.scalar as ScalarType);
    else if (shape === 'map') this.#map(value, type.map as MapType);
    else this.#list(value, type.list as ListType);
  }

  #scalar(value: JsonValue, type: ScalarType): void {
    if (!isScalar(value, type)) this.#problem(SCALAR_MESSAGES[type](value));
  }

  #map(value: JsonValue, type: MapType): void {
    const map = asMap(value);
    if (map === undefined) return this.#problem(`expected map, got &{${goValue(value)}}`);
    const { fields } = type;
    for (const name in map) {
      const child = map[name];
      if (child === undefined) continue;
      const field = fields.get(name);
      const childType = field?.type ?? type.element;
      if (childType?.scalar !== undefined && isScalar(child, childType.scalar)) continue;
      this.#path.push(field?.element ?? fieldElement(name));
      if (childType === undefined) this.#problem('field not declared in schema');
      else this.validate(child, childType);
      this.#path.pop();
    }
  }

  #list(value: JsonValue, type: ListType): void {
    const list = asList(value);
    if (list === undefined) return this.#problem(`expected list, got &{${goValue(value)}}`);
    if (type.atomic) return this.#atomicItems(list, type.element);
    const seen = new Set<PathElement>();
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index] as JsonValue;
      const element = this.#itemElement(item, index, type);
      // Without an element, the rest of the list cannot be checked.
      if (element === undefined) return;
      if (!this.#allowDuplicates) {
        if (seen.has(element)) this.#problem(`duplicate entries for key ${pathText([element])}`);
        seen.add(element);
      }
      this.#path.push(element);
      this.validate(item, type.element);
      this.#path.pop();
    }
  }

  #atomicItems(list: readonly JsonValue[], type: Type): void {
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index] as JsonValue;
      if (type.scalar !== undefined && isScalar(item, type.scalar)) continue;
      this.#path.push(indexElement(index));
      this.validate(item, type);
      this.#path.pop();
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

  #problem(message: string): void {
    this.problems.push({ path: [...this.#path], message });
  }
}

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
  string: (value) => `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
  numeric: (value) => `expected numeric (int or float), got ${goTypeName(value)}`,
  boolean: (value) => `expected boolean, got &{${goValue(value)}}`,
  untyped: (value) => `expected any scalar, got &{${goValue(value)}}`,
};
