/**
 * The check of values by a schema. Scalars are checked at once; lists, objects, conditions and long texts in steps.
 *
 * @module
 */
import { ownMember } from '../encoding/own-property.js';
import { appendErrors, FieldErrorList } from '../meta/field-error-list.js';
import { invalid, required, tooMany } from '../meta/field-error.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import type { Steps, Work } from '../meta/work.js';
import { constraintsOf } from './constraints.js';
import { isObjectMeta } from './object-meta.js';
import { Pace } from './pace.js';
import type { StructuralSchema, ValueSchema } from './structural.js';
import {
  checkEnum,
  checkFormat,
  checkLongString,
  checkNumber,
  checkString,
  checkType,
  isLongMatch,
  type PatternCompiler,
  type Validation,
} from './validate-scalars.js';
import { ValueNumbers } from './value-numbers.js';

/** The results of conditions on the same value at the same place, for conditions that occur several times. */
type Outcomes = Map<ValueSchema, Validation>;

/** The context in which a value is checked against its schema. */
interface Surroundings {
  /** The stored value; an unchanged value is not checked again. */
  readonly old?: JsonValue | undefined;
  readonly outcomes?: Outcomes | undefined;
}

const NOTHING: Surroundings = Object.freeze({});

/** Begins a validation. */
export function newValidation(types: boolean, compilePattern: PatternCompiler, work: Work): Validation {
  const pace = new Pace(work);
  const matched = { text: '', results: new Map<string, string | undefined>() };
  const run = { types, compilePattern, pace, numbers: new ValueNumbers(pace), matched };
  return { errors: new FieldErrorList(), visited: 0, run };
}

/**
 * Checks a value and everything in it. Rules for one type do not apply to a value of another.
 *
 * @param old the stored value; an unchanged value is not checked again
 * @returns the steps that remain; undefined when the value has been checked
 */
export function checkValue(
  value: JsonValue,
  schema: ValueSchema,
  path: string,
  validation: Validation,
  around: Surroundings = NOTHING,
): Steps<void> | undefined {
  if (typeof value === 'object' && value !== null) return checkContainer(value, schema, path, validation, around);
  if (around.old === value) return undefined;
  validation.visited += 1;
  if (validation.run.types) checkType(value, schema, path, validation);
  if (hasConditions(schema) || (typeof value === 'string' && isLongMatch(value, schema)))
    return checkScalarInSteps(value, schema, path, validation, around.outcomes);
  if (typeof value === 'string') {
    checkString(value, schema, path, validation);
    if (validation.run.types) checkFormat(value, schema, path, validation);
  } else if (typeof value === 'number') checkNumber(value, schema, path, validation);
  checkEnum(value, schema, path, validation);
  return undefined;
}

const hasConditions = ({ anyOf, oneOf, allOf, not }: ValueSchema): boolean =>
  anyOf !== undefined || oneOf !== undefined || allOf !== undefined || not !== undefined;

function* checkScalarInSteps(
  value: JsonValue,
  schema: ValueSchema,
  path: string,
  validation: Validation,
  outcomes: Outcomes | undefined,
): Steps<void> {
  if (hasConditions(schema)) yield* checkConditions(value, schema, path, validation, outcomes);
  if (typeof value === 'string') {
    if (isLongMatch(value, schema)) yield* checkLongString(value, schema, path, validation);
    else checkString(value, schema, path, validation);
    if (validation.run.types) checkFormat(value, schema, path, validation);
  } else if (typeof value === 'number') checkNumber(value, schema, path, validation);
  checkEnum(value, schema, path, validation);
}

function* checkContainer(
  value: JsonValue,
  schema: ValueSchema,
  path: string,
  validation: Validation,
  { old, outcomes }: Surroundings,
): Steps<void> {
  if (old !== undefined && (yield* validation.run.numbers.equal(value, old))) return;
  validation.visited += 1;
  if (validation.run.types) checkType(value, schema, path, validation);
  if (hasConditions(schema)) yield* checkConditions(value, schema, path, validation, outcomes);
  if (isArray(value)) yield* checkList(value, schema, path, validation, old);
  checkEnum(value, schema, path, validation);
  if (isJsonObject(value)) yield* checkObject(value, schema, path, validation, old);
}

type ListFacts = Pick<StructuralSchema, 'listType' | 'listMapKeys'>;

function* checkList(
  items: readonly JsonValue[],
  schema: ValueSchema & ListFacts,
  path: string,
  validation: Validation,
  old: JsonValue | undefined,
): Steps<void> {
  const { errors, run } = validation;
  if (schema.items !== undefined && mustVisit(schema.items, validation)) {
    const before = yield* oldItems(schema, old, validation);
    for (let index = 0; index < items.length; index += 1) {
      if (run.pace.visit()) yield;
      const item = items[index] as JsonValue;
      const around = before === undefined ? NOTHING : { old: before.get(yield* keyOf(item, schema, validation)) };
      const rest = checkValue(item, schema.items, `${path}[${index}]`, validation, around);
      if (rest !== undefined) yield* rest;
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && items.length < minItems)
    errors.push(invalid(path, items.length, `${path} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && items.length > maxItems) errors.push(tooMany(path, items.length, maxItems));
  if (schema.uniqueItems === true && (yield* run.numbers.secondOccurrences(items)).length > 0)
    errors.push(invalid(path, '', `${path} in body shouldn't contain duplicates`));
}

/** Returns the old items of a list with keys, by the number of their keys; undefined for other lists. */
function* oldItems(
  schema: ListFacts,
  old: JsonValue | undefined,
  validation: Validation,
): Steps<ReadonlyMap<number, JsonValue> | undefined> {
  if (schema.listType !== 'map' || !isArray(old)) return undefined;
  const items = new Map<number, JsonValue>();
  for (const item of old) {
    if (validation.run.pace.visit()) yield;
    items.set(yield* keyOf(item, schema, validation), item);
  }
  return items;
}

/** Returns the number of the keys of an item of a list with keys. */
function keyOf(item: JsonValue, { listMapKeys = [] }: ListFacts, { run }: Validation): Steps<number> {
  return run.numbers.numberOf(isJsonObject(item) ? listMapKeys.map((key) => ownMember(item, key) ?? null) : item);
}

function* checkObject(
  object: JsonObject,
  schema: ValueSchema,
  path: string,
  validation: Validation,
  old: JsonValue | undefined,
): Steps<void> {
  if (!checkSize(object, schema, path, validation)) return;
  const { errors, run } = validation;
  const prefix = path === '' ? '' : `${path}.`;
  const before = isJsonObject(old) ? old : undefined;
  const { properties, additionalProperties } = schema;
  const check = (member: JsonValue, node: ValueSchema, key: string): Steps<void> | undefined =>
    checkValue(member, node, prefix + key, validation, before && { old: ownMember(before, key) });
  if (additionalProperties !== undefined && mustVisit(additionalProperties, validation)) {
    for (const key in object) {
      const member = object[key];
      if (member === undefined || properties?.has(key) === true) continue;
      if (run.pace.visit()) yield;
      const rest = check(member, additionalProperties, key);
      if (rest !== undefined) yield* rest;
    }
  }
  if (properties !== undefined)
    for (const [name, property] of properties) {
      if (run.pace.visit()) yield;
      if (!mustVisit(property, validation) || !Object.hasOwn(object, name)) continue;
      const member = object[name];
      const rest = member === undefined ? undefined : check(member, property, name);
      if (rest !== undefined) yield* rest;
    }
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(object, name) || object[name] === undefined) errors.push(required(prefix + name));
}

/** Returns false for an invalid number of members, the only error that Kubernetes then reports. */
function checkSize(object: JsonObject, schema: ValueSchema, path: string, { errors }: Validation): boolean {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return true;
  const size = Object.keys(object).length;
  if (minProperties !== undefined && size < minProperties) {
    errors.push(invalid(path, size, `${path} in body should have at least ${minProperties} properties`));
    return false;
  }
  if (maxProperties !== undefined && size > maxProperties) {
    errors.push(tooMany(path, size, maxProperties));
    return false;
  }
  return true;
}

const mustVisit = (schema: ValueSchema, { run }: Validation): boolean =>
  !isObjectMeta(schema) && (run.types || constraintsOf(schema).values);

/** Most errors of a condition that are kept: there may be many conditions. */
const ERRORS_OF_CONDITION = 50;

/** Checks `anyOf`, `oneOf`, `allOf` and `not`, in this order. Kubernetes reports their own errors without a field. */
function* checkConditions(
  value: JsonValue,
  { anyOf, oneOf, allOf, not }: ValueSchema,
  path: string,
  { errors, run }: Validation,
  outcomes: Outcomes = new Map(),
): Steps<void> {
  const check = function* (condition: ValueSchema): Steps<Validation> {
    const known = outcomes.get(condition);
    if (known !== undefined) return known;
    const inner: Validation = { run, errors: new FieldErrorList(ERRORS_OF_CONDITION), visited: 0 };
    if (run.pace.visit()) yield;
    const rest = checkValue(value, condition, path, inner, { outcomes });
    if (rest !== undefined) yield* rest;
    outcomes.set(condition, inner);
    return inner;
  };
  const fail = (text: string): void => void errors.push(invalid('<nil>', '', `"${path}" must ${text}`));
  if (anyOf !== undefined && anyOf.length > 0) {
    const { valid, closest } = yield* tally(anyOf, check);
    if (valid === 0) {
      fail('validate at least one schema (anyOf)');
      appendErrors(errors, closest.errors);
    }
  }
  if (oneOf !== undefined && oneOf.length > 0) {
    const { valid, closest } = yield* tally(oneOf, check);
    if (valid !== 1) {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      fail(`validate one and only one schema (oneOf). ${found}`);
      if (valid === 0) appendErrors(errors, closest.errors);
    }
  }
  if (allOf !== undefined && allOf.length > 0) {
    let failed = 0;
    for (const condition of allOf) {
      const outcome = yield* check(condition);
      appendErrors(errors, outcome.errors);
      if (outcome.errors.length > 0) failed += 1;
    }
    if (failed > 0) fail(`validate all the schemas (allOf)${failed === allOf.length ? '. None validated' : ''}`);
  }
  if (not !== undefined && (yield* check(not)).errors.length === 0) fail('not validate the schema (not)');
}

/** How many alternatives are valid, and the one that got furthest, whose errors explain a failure best. */
interface Tally {
  readonly valid: number;
  readonly closest: Validation;
}

function* tally(
  [first, ...others]: readonly ValueSchema[],
  check: (condition: ValueSchema) => Steps<Validation>,
): Steps<Tally> {
  let closest = yield* check(first ?? {});
  let valid = closest.errors.length === 0 ? 1 : 0;
  for (const condition of others) {
    const outcome = yield* check(condition);
    if (outcome.errors.length === 0) valid += 1;
    if (outcome.visited > closest.visited) closest = outcome;
  }
  return { valid, closest };
}
