import { isArray, isJsonObject, jsonText, type JsonValue } from '../../../foundation/index.js';

/** The values of an enumeration, for questions that do not depend on their number. */
interface Enumeration {
  readonly scalars: ReadonlySet<JsonValue>;
  /** The texts of lists and objects. */
  readonly containers: ReadonlySet<string>;
}

const enumerations = new WeakMap<readonly JsonValue[], Enumeration>();

const isContainer = (value: JsonValue): boolean => typeof value === 'object' && value !== null;

function enumerationOf(values: readonly JsonValue[]): Enumeration {
  const known = enumerations.get(values);
  if (known !== undefined) return known;
  const made: Enumeration = {
    scalars: new Set(values.filter((value) => !isContainer(value))),
    containers: new Set(values.filter(isContainer).map(canonicalText)),
  };
  enumerations.set(values, made);
  return made;
}

/** Returns whether a value is one of an enumeration. */
export function isOneOf(value: JsonValue, values: readonly JsonValue[]): boolean {
  const { scalars, containers } = enumerationOf(values);
  return isContainer(value) ? containers.size > 0 && containers.has(canonicalText(value)) : scalars.has(value);
}

/** Returns the text of a value with sorted keys: equal values have equal texts. */
function canonicalText(value: JsonValue): string {
  if (isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return jsonText(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] as JsonValue)}`).join(',')}}`;
}
