import type { JsonValue } from '../../meta/json.js';
import { fieldElement, indexElement, pathText, type PathElement } from '../fieldpath/element.js';
import { goPlain, goSyntax, goTypeName } from '../fieldpath/text.js';
import { TypedError, type TypedProblem } from './errors.js';
import { itemElement } from './item.js';
import { shapeOf, type ListType, type MapType, type ScalarType, type Type } from './type.js';
import { asList, asMap, member } from './value.js';

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
    const { accepts, complaint } = SCALARS[type];
    if (!accepts(value)) this.#problem(complaint(value));
  }

  #map(value: JsonValue, type: MapType): void {
    const map = asMap(value);
    if (map === undefined) return this.#problem(`expected map, got &{${goPlain(value)}}`);
    for (const name in map) {
      const child = member(map, name);
      if (child === undefined) continue;
      const field = type.fields.get(name);
      const childType = field?.type ?? type.element;
      this.#path.push(field?.element ?? fieldElement(name));
      if (childType === undefined) this.#problem('field not declared in schema');
      else this.validate(child, childType);
      this.#path.pop();
    }
  }

  #list(value: JsonValue, type: ListType): void {
    const list = asList(value);
    if (list === undefined) return this.#problem(`expected list, got &{${goPlain(value)}}`);
    const seen = new Set<PathElement>();
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index] as JsonValue;
      const element = type.atomic ? indexElement(index) : this.#itemElement(item, index, type);
      // Without an element nothing more can be said of the list.
      if (element === undefined) return;
      if (!type.atomic && !this.#allowDuplicates && seen.has(element)) this.#problem(`duplicate entries for key ${pathText([element])}`);
      seen.add(element);
      this.#path.push(element);
      this.validate(item, type.element);
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

/** What each scalar type takes, and what is said of anything else. Null is taken before. */
const SCALARS: Readonly<Record<ScalarType, { accepts(value: JsonValue): boolean; complaint(value: JsonValue): string }>> = {
  string: {
    accepts: (value) => typeof value === 'string',
    complaint: (value) => `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
  },
  numeric: {
    accepts: (value) => typeof value === 'number',
    complaint: (value) => `expected numeric (int or float), got ${goTypeName(value)}`,
  },
  boolean: {
    accepts: (value) => typeof value === 'boolean',
    complaint: (value) => `expected boolean, got &{${goPlain(value)}}`,
  },
  untyped: {
    accepts: (value) => typeof value !== 'object',
    complaint: (value) => `expected any scalar, got &{${goPlain(value)}}`,
  },
};
