import { appendErrors } from '../meta/field-error-list.js';
import { messageOf } from '../meta/error-message.js';
import { FieldError, invalid, notSupported, required, tooMany, typeInvalid } from '../meta/field-error.js';
import { codePointCount } from '../encoding/code-points.js';
import { goQuote } from '../meta/go-text.js';
import { ownMember } from '../encoding/own-property.js';
import { equalJson, isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import { goNumber } from '../meta/go-values.js';
import { constraintsOf } from './constraints.js';
import { formats } from './formats.js';
import { isObjectMeta } from './object-meta.js';
import type { StructuralSchema, ValueSchema } from './structural.js';

/** Compiles a pattern into a matcher, once per pattern. Throws when the pattern is invalid. */
export type PatternCompiler = (pattern: string) => (text: string) => boolean;

/** One validation: its options and its errors. */
export interface Validation {
  readonly errors: FieldError[];
  /** Number of values that were checked. */
  visited: number;
  /** True when types and formats are checked too, because reading the object did not check them. */
  readonly types: boolean;
  readonly compilePattern: PatternCompiler;
}

/** Returns the JSON schema type of a value: a number without a fraction is an integer. */
function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // Kubernetes treats numbers beyond the exact range of a double as non-integers.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function hasType(schema: ValueSchema, found: string): boolean {
  const { type } = schema;
  if (type === undefined || type === 'any' || type === found) return true;
  if (type === 'int-or-string') return found === 'integer' || found === 'string';
  return type === 'number' && found === 'integer';
}

const GO_NUMBER_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

function checkType(value: JsonValue, schema: ValueSchema, path: string, validation: Validation): void {
  const found = jsonType(value);
  if ((found === 'null' && schema.nullable === true) || hasType(schema, found)) return;
  // For a value that cannot have a format, the message names the format instead of the type.
  const byFormat = schema.format !== undefined && found !== 'string' && found !== 'array' && found !== 'null';
  const wanted = byFormat ? schema.format : schema.type === 'int-or-string' ? 'integer,string' : schema.type;
  const got = byFormat ? (GO_NUMBER_FORMATS[found] ?? '') : found;
  validation.errors.push(typeInvalid(path, got, `${path} in body must be of type ${wanted}: ${goQuote(got)}`));
}

/** Reports the first violated rule of a text, as Kubernetes does. */
function checkString(text: string, schema: ValueSchema, path: string, validation: Validation): void {
  const { maxLength, minLength, pattern } = schema;
  // A text never has more code points than code units, so only long texts are counted.
  if (maxLength !== undefined && text.length > maxLength && codePointCount(text) > maxLength) {
    validation.errors.push(new FieldError('TooLong', path, text, `may not be longer than ${maxLength}`));
  } else if (minLength !== undefined && codePointCount(text) < minLength) {
    validation.errors.push(invalid(path, text, `${path} in body should be at least ${minLength} chars long`));
  } else if (pattern !== undefined) {
    const problem = patternProblem(text, pattern, validation.compilePattern);
    if (problem !== undefined) validation.errors.push(invalid(path, text, `${path} in body should match '${problem}'`));
  }
}

function patternProblem(text: string, pattern: string, compile: PatternCompiler): string | undefined {
  try {
    return compile(pattern)(text) ? undefined : pattern;
  } catch (error) {
    return `${pattern}, but pattern is invalid: ${messageOf(error)}`;
  }
}

function checkFormat(text: string, schema: ValueSchema, path: string, validation: Validation): void {
  const { format } = schema;
  if (format === undefined || formats.get(format)?.(text) !== false) return;
  validation.errors.push(typeInvalid(path, text, `${path} in body must be of type ${format}: ${goQuote(text)}`));
}

function checkNumber(value: number, schema: ValueSchema, path: string, validation: Validation): void {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const fail = (what: string, bound: number): void => {
    validation.errors.push(invalid(path, value, `${path} in body should be ${what} ${goNumber(bound)}`));
  };
  if (validation.types && !fitsFormat(value, schema)) {
    // Kubernetes reports this error without a field.
    validation.errors.push(
      invalid(
        '<nil>',
        '',
        `Checked value must be of type ${schema.type} with format ${schema.format ?? ''} in ${path}`,
      ),
    );
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) fail('a multiple of', multipleOf);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    fail(exclusiveMinimum ? 'greater than' : 'greater than or equal to', minimum);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    fail(exclusiveMaximum ? 'less than' : 'less than or equal to', maximum);
  }
}

/** The ranges of number formats. */
const RANGES: Readonly<Record<string, (value: number) => boolean>> = {
  int32: (value) => value >= -(2 ** 31) && value < 2 ** 31,
  float: (value) => Number.isFinite(Math.fround(value)),
  float32: (value) => Number.isFinite(Math.fround(value)),
};

/** Returns false when a number is out of range. A number of the wrong type already has its error. */
function fitsFormat(value: number, { type, format = '' }: ValueSchema): boolean {
  if (type !== 'number' && (type !== 'integer' || !Number.isSafeInteger(value))) return true;
  return RANGES[format]?.(value) ?? true;
}

/** Returns true when the quotient is whole within the precision of a double, as in Kubernetes. */
function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function checkEnum(value: JsonValue, schema: ValueSchema, path: string, validation: Validation): void {
  if (schema.enum === undefined || (value === null && schema.nullable === true)) return;
  if (schema.enum.some((allowed) => equalJson(allowed, value))) return;
  validation.errors.push(
    notSupported(
      path,
      value,
      schema.enum.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed))),
    ),
  );
}

function checkList(
  items: readonly JsonValue[],
  schema: ValueSchema & Pick<StructuralSchema, 'listType' | 'listMapKeys'>,
  path: string,
  validation: Validation,
  old: JsonValue | undefined,
): void {
  if (schema.items !== undefined && mustVisit(schema.items, validation)) {
    const before = oldItems(schema, old);
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] as JsonValue;
      checkValue(item, schema.items, `${path}[${index}]`, validation, before?.(item));
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && items.length < minItems) {
    validation.errors.push(invalid(path, items.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) validation.errors.push(tooMany(path, items.length, maxItems));
  if (schema.uniqueItems === true && hasDuplicates(items))
    validation.errors.push(invalid(path, '', `${path} in body shouldn't contain duplicates`));
}

/** Returns the function that finds the old state of an item of a list with keys; undefined for other lists. */
function oldItems(
  { listType, listMapKeys = [] }: Pick<StructuralSchema, 'listType' | 'listMapKeys'>,
  old: JsonValue | undefined,
): ((item: JsonValue) => JsonValue | undefined) | undefined {
  if (listType !== 'map' || !isArray(old)) return undefined;
  const keyOf = (item: JsonValue): string =>
    canonicalText(isJsonObject(item) ? listMapKeys.map((key) => item[key] ?? null) : item);
  const byKey = new Map(old.map((item) => [keyOf(item), item]));
  return (item) => byKey.get(keyOf(item));
}

/** Returns the text of a value with sorted keys: equal values have equal texts. */
export function canonicalText(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalText(object[key] as JsonValue)}`).join(',')}}`;
}

function hasDuplicates(items: readonly JsonValue[]): boolean {
  return new Set(items.map(canonicalText)).size < items.length;
}

function checkObject(
  object: JsonObject,
  schema: ValueSchema,
  path: string,
  validation: Validation,
  old: JsonValue | undefined,
): void {
  if (!checkSize(object, schema, path, validation)) return;
  const prefix = path === '' ? '' : `${path}.`;
  const before = isJsonObject(old) ? old : undefined;
  const { properties, additionalProperties } = schema;
  if (additionalProperties !== undefined && mustVisit(additionalProperties, validation)) {
    for (const key in object) {
      const member = object[key];
      if (member !== undefined && properties?.has(key) !== true)
        checkValue(member, additionalProperties, prefix + key, validation, before && ownMember(before, key));
    }
  }
  for (const [name, property] of properties ?? []) {
    if (!mustVisit(property, validation) || !Object.hasOwn(object, name)) continue;
    const member = object[name];
    if (member !== undefined)
      checkValue(member, property, prefix + name, validation, before && ownMember(before, name));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(object, name) || object[name] === undefined) validation.errors.push(required(prefix + name));
  }
}

/** Returns false for an invalid number of members, the only error that Kubernetes then reports. */
function checkSize(object: JsonObject, schema: ValueSchema, path: string, validation: Validation): boolean {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return true;
  const size = Object.keys(object).length;
  if (minProperties !== undefined && size < minProperties) {
    validation.errors.push(invalid(path, size, `${path} in body should have at least ${minProperties} properties`));
    return false;
  }
  if (maxProperties !== undefined && size > maxProperties) {
    validation.errors.push(tooMany(path, size, maxProperties));
    return false;
  }
  return true;
}

function mustVisit(schema: ValueSchema, validation: Validation): boolean {
  return !isObjectMeta(schema) && (validation.types || constraintsOf(schema).values);
}

/**
 * Checks a value and everything in it. Rules for one type do not apply to a value of another.
 *
 * @param old the stored value; an unchanged value is not checked again
 */
export function checkValue(
  value: JsonValue,
  schema: ValueSchema,
  path: string,
  validation: Validation,
  old?: JsonValue,
): void {
  if (old !== undefined && equalJson(value, old)) return;
  validation.visited += 1;
  if (validation.types) checkType(value, schema, path, validation);
  checkConditions(value, schema, path, validation);
  if (typeof value === 'string') {
    checkString(value, schema, path, validation);
    if (validation.types) checkFormat(value, schema, path, validation);
  } else if (typeof value === 'number') {
    checkNumber(value, schema, path, validation);
  } else if (Array.isArray(value)) {
    checkList(value, schema, path, validation, old);
  }
  checkEnum(value, schema, path, validation);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    checkObject(value as JsonObject, schema, path, validation, old);
}

/** Checks `anyOf`, `oneOf`, `allOf` and `not`, in this order. Kubernetes reports their own errors without a field. */
function checkConditions(value: JsonValue, schema: ValueSchema, path: string, validation: Validation): void {
  const { anyOf, oneOf, allOf, not } = schema;
  const check = (condition: ValueSchema): Validation => {
    const inner: Validation = { ...validation, errors: [], visited: 0 };
    checkValue(value, condition, path, inner);
    return inner;
  };
  const fail = (text: string): void => void validation.errors.push(invalid('<nil>', '', `"${path}" must ${text}`));
  if (anyOf !== undefined && anyOf.length > 0) {
    const failures = anyOf.map(check);
    if (failures.every(({ errors }) => errors.length > 0)) {
      fail('validate at least one schema (anyOf)');
      appendErrors(validation.errors, closest(failures).errors);
    }
  }
  if (oneOf !== undefined && oneOf.length > 0) {
    const outcomes = oneOf.map(check);
    const valid = outcomes.filter(({ errors }) => errors.length === 0).length;
    if (valid !== 1) {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      fail(`validate one and only one schema (oneOf). ${found}`);
      if (valid === 0) appendErrors(validation.errors, closest(outcomes).errors);
    }
  }
  if (allOf !== undefined && allOf.length > 0) {
    const outcomes = allOf.map(check);
    for (const { errors } of outcomes) appendErrors(validation.errors, errors);
    const failed = outcomes.filter(({ errors }) => errors.length > 0).length;
    if (failed > 0) fail(`validate all the schemas (allOf)${failed === outcomes.length ? '. None validated' : ''}`);
  }
  if (not !== undefined && check(not).errors.length === 0) fail('not validate the schema (not)');
}

/** Returns the outcome that got furthest, whose errors explain the failure best. */
const closest = ([first, ...others]: readonly Validation[]): Pick<Validation, 'errors'> =>
  others.reduce((best, outcome) => (outcome.visited > best.visited ? outcome : best), first ?? NOTHING_CHECKED);

const NOTHING_CHECKED = { errors: [], visited: 0 };
