/**
 * Values in the annotations of autoscalers of version v1, as Go's JSON decoder reads them.
 *
 * @module
 */
import {
  canonicalQuantity,
  isArray,
  isJsonObject,
  jsonText,
  ownMember,
  parsedJson,
  type JsonObject,
  type JsonValue,
} from '../../../../foundation/index.js';

/** The text of an annotation does not have the form of its field; such an annotation is ignored. */
export class FormProblem extends Error {}

/** An object in an annotation. Names of fields match without regard to case, and null means absent. */
export class AnnotationObject {
  readonly #fields: JsonObject;

  /** @throws FormProblem when the value is not an object */
  constructor(value: JsonValue | undefined) {
    if (!isJsonObject(value)) throw new FormProblem('an object is expected');
    this.#fields = value;
  }

  /** Returns the value of a field; undefined when it is absent or null. */
  value(name: string): JsonValue | undefined {
    const fields = this.#fields;
    if (Object.hasOwn(fields, name)) return fields[name] ?? undefined;
    const key = Object.keys(fields).find((one) => one.toLowerCase() === name.toLowerCase());
    return key === undefined ? undefined : (fields[key] ?? undefined);
  }

  /** Returns a text; empty when it is absent. @throws FormProblem for another value */
  text(name: string): string {
    const value = this.value(name) ?? '';
    if (typeof value !== 'string') throw new FormProblem(`${name} is no text`);
    return value;
  }

  /** Returns an integer of 32 bits. @throws FormProblem for another value */
  integer(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || (value | 0) !== value) throw new FormProblem(`${name} is no integer`);
    return value;
  }

  /** Returns a quantity in canonical form. @throws FormProblem for another value */
  quantity(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const text = typeof value === 'number' ? String(value) : value;
    const quantity = typeof text === 'string' ? canonicalQuantity(text) : undefined;
    if (quantity === undefined) throw new FormProblem(`${name} is no quantity`);
    return quantity;
  }

  /** Returns an object. @throws FormProblem for another value */
  object(name: string): AnnotationObject | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : new AnnotationObject(value);
  }

  /** Returns the objects of a list. @throws FormProblem for another value */
  list(name: string): AnnotationObject[] | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : objectsOf(value);
  }
}

function objectsOf(value: JsonValue | undefined): AnnotationObject[] {
  if (!isArray(value)) throw new FormProblem('a list is expected');
  return value.map((item) => new AnnotationObject(item ?? {}));
}

/** Reads an annotation with `read`; undefined when it is absent or does not have the form. */
function readOrIgnore<Value>(text: string | undefined, read: (value: JsonValue | undefined) => Value) {
  if (text === undefined) return undefined;
  try {
    return read(parsedJson(text));
  } catch (error) {
    if (error instanceof FormProblem) return undefined;
    throw error;
  }
}

/** Reads an annotation with a list; undefined when it is absent, empty, or does not have the form. */
export function readList<Value>(
  text: string | undefined,
  read: (item: AnnotationObject) => Value,
): Value[] | undefined {
  const items = readOrIgnore(text, (value) => objectsOf(value).map(read));
  return items?.length === 0 ? undefined : items;
}

/** Reads an annotation with an object; undefined when it is absent or does not have the form. */
export const readOne = <Value>(text: string | undefined, read: (item: AnnotationObject) => Value): Value | undefined =>
  readOrIgnore(text, (value) => read(new AnnotationObject(value)));

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Returns a value as Go's JSON encoder writes it. */
export const goJson = (value: JsonValue): string =>
  jsonText(value).replace(/[<>&\u2028\u2029]/g, (character) => ownMember(ESCAPES, character) ?? character);
