import {
  goJson,
  isArray,
  isJsonObject,
  jsonText,
  MAX_SUPPORTED_VALUES,
  supportedValues,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';

/** The values of an enumeration, for questions that do not depend on their number. */
interface Enumeration {
  readonly scalars: Set<JsonValue>;
  /** The texts of lists and objects. */
  readonly containers: Set<string>;
  /** The values as errors show them; undefined before the first error. */
  shown: string | undefined;
}

/** Number of values that are prepared in one step, and units of work for each. */
const AT_ONCE = 512;
const VALUE_UNITS = 4;

const enumerations = new WeakMap<readonly JsonValue[], Enumeration>();

const isContainer = (value: JsonValue): boolean => typeof value === 'object' && value !== null;

function enumerationOf(values: readonly JsonValue[]): Enumeration {
  const known = enumerations.get(values);
  if (known !== undefined) return known;
  const made = newEnumeration();
  for (const value of values) add(value, made);
  enumerations.set(values, made);
  return made;
}

const newEnumeration = (): Enumeration => ({ scalars: new Set(), containers: new Set(), shown: undefined });

function add(value: JsonValue, { scalars, containers }: Enumeration): void {
  if (isContainer(value)) containers.add(canonicalText(value));
  else scalars.add(value);
}

/** Returns whether {@link isOneOf} has to prepare many values first: {@link prepareEnumeration} should do so. */
export const isUnprepared = (values: readonly JsonValue[] | undefined): values is readonly JsonValue[] =>
  values !== undefined && values.length > AT_ONCE && !enumerations.has(values);

/** Prepares an enumeration for {@link isOneOf}, in steps. */
export function* prepareEnumeration(values: readonly JsonValue[], work: Work): Steps<void> {
  const made = newEnumeration();
  for (let from = 0; from < values.length; from += AT_ONCE) {
    const part = values.slice(from, from + AT_ONCE);
    for (const value of part) add(value, made);
    if (work.spend(part.length * VALUE_UNITS)) yield;
  }
  enumerations.set(values, made);
}

/** Returns whether a value is one of an enumeration. */
export function isOneOf(value: JsonValue, values: readonly JsonValue[]): boolean {
  const { scalars, containers } = enumerationOf(values);
  return isContainer(value) ? containers.size > 0 && containers.has(canonicalText(value)) : scalars.has(value);
}

/** Returns the detail of the error of a value outside an enumeration, which is not empty. */
export function shownValues(values: readonly JsonValue[]): string {
  const shownText = (value: JsonValue): string => (typeof value === 'string' ? value : goJson(value));
  return (enumerationOf(values).shown ??= supportedValues(
    values.slice(0, MAX_SUPPORTED_VALUES).map(shownText),
    values.length,
  ));
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
