import type { JsonValue } from '../json/json.js';

/** A list or an object of any type, which an error shows in Go's syntax: `map[string]interface {}{"a":1}`. */
export class UnstructuredValue {
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    this.value = value;
  }
}

/** Returns the value of an error about JSON of any type. */
export const unstructured = (value: JsonValue): unknown =>
  typeof value === 'object' && value !== null ? new UnstructuredValue(value) : value;
