import type { JsonValue } from '../../meta/json.js';
import { fieldElement, indexElement, pathText, type PathElement } from '../fieldpath/element.js';
import { goPlain, goSyntax, goTypeName } from '../fieldpath/text.js';
import { TypedError, type TypedProblem } from './errors.js';
import { itemElement } from './item.js';
import { shapeOf, type ListType, type MapType, type ScalarType, type Type } from './type.js';
import { asList, asMap } from './value.js';

/** What is forgiven when a value is checked. */
export interface ValidationOptions {
  /** Lists may have several items of the same keys or value: what is stored may have them, what is applied may not. */
  readonly allowDuplicates?: boolean;
}

/**
 * Checks that a value fits its type: kinds of values, declared fields, items that can be told apart.
 *
 * @throws TypedError with everything that is wrong, in the production system's words
 */
export function validate(value: JsonValue, type: Type, options: ValidationOptions = {}): void {
  const walk = new Validator(options.allowDuplicates === true);
  walk.validate(value, type);
  if (walk.problems.length > 0) throw new TypedError(walk.problems);
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
    if (!isScalar(value, type)) this.#problem(COMPLAINTS[type](value));
  }

  #map(value: JsonValue, type: MapType): void {
    const map = asMap(value);
    if (map === undefined) return this.#problem(`expected map, got &{${goPlain(value)}}`);
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
    if (list === undefined) return this.#problem(`expected list, got &{${goPlain(value)}}`);
    if (type.atomic) return this.#atomicItems(list, type.element);
    const seen = new Set<PathElement>();
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index] as JsonValue;
      const element = this.#itemElement(item, index, type);
      // Without an element nothing more can be said of the list.
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

/** Whether a value is a scalar of a type. Null is none, and is taken before. */
function isScalar(value: JsonValue, type: ScalarType): boolean {
  switch (typeof value) {
    case 'string':
      return type === 'string' || type === 'untyped';
    case 'number':
      return type === 'numeric' || type === 'untyped';
    case 'boolean':
      return type === 'boolean' || type === 'untyped';
    default:
      return false;
  }
}

/** What is said of a value that is no scalar of its type. */
const COMPLAINTS: Readonly<Record<ScalarType, (value: JsonValue) => string>> = {
  string: (value) => `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
  numeric: (value) => `expected numeric (int or float), got ${goTypeName(value)}`,
  boolean: (value) => `expected boolean, got &{${goPlain(value)}}`,
  untyped: (value) => `expected any scalar, got &{${goPlain(value)}}`,
};
