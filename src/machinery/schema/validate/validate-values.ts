/**
 * The check of values by a schema. Scalars are checked at once; lists, objects, conditions and long texts in steps.
 *
 * @module
 */
import {
  appendErrors,
  FieldErrorList,
  invalid,
  isArray,
  isJsonObject,
  ownMember,
  required,
  tooMany,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../../foundation/index.js';
import { constraintsOf } from '../define/constraints.js';
import { isUnprepared, prepareEnumeration } from '../define/enumerations.js';
import { isObjectMeta } from '../define/object-meta.js';
import type { StructuralSchema, ValueSchema } from '../define/structural.js';
import { COMPARED_AT_ONCE } from '../read/value-numbers.js';
import { CorrelatedValue, itemsByKey, mapKeyOf, unchangedWithin } from './correlate.js';
import {
  checkEnum,
  checkFormat,
  checkLongString,
  checkNumber,
  checkString,
  checkType,
  isLongMatch,
} from './validate-scalars.js';
import { fieldOf, type Validation } from './validation-run.js';

/** The results of conditions on the same value at the same place, for conditions that occur several times. */
type Outcomes = Map<ValueSchema, Validation>;

/** The context in which a value is checked against its schema. */
interface Surroundings {
  /** The stored value; an unchanged value is not checked again (validation ratcheting). */
  readonly old?: JsonValue | undefined;
  /** The value with its stored one, where the comparison of a value around it was long. */
  readonly correlated?: CorrelatedValue | undefined;
  readonly outcomes?: Outcomes | undefined;
}

const NOTHING: Surroundings = Object.freeze({});

/**
 * Checks a value and everything in it. Rules for one type do not apply to a value of another.
 *
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
  // As in Kubernetes, null has a type and may be in an enumeration; no other rule applies to it.
  if (value !== null) {
    const isLong = typeof value === 'string' && isLongMatch(value, schema);
    if (isLong || hasConditions(schema) || isUnprepared(schema.enum))
      return checkScalarInSteps(value, schema, path, validation, around.outcomes);
    if (typeof value === 'string') {
      checkString(value, schema, path, validation);
      if (validation.run.types) checkFormat(value, schema, path, validation);
    } else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, schema, path, validation);
  }
  checkEnum(value, schema, path, validation);
  return undefined;
}

/**
 * Checks a whole object. As in Kubernetes it never counts as unchanged, since the schema of its metadata has no fields;
 * neither do its version and kind, which have been converted.
 */
export function* checkObjectOf(
  object: JsonObject,
  schema: StructuralSchema,
  validation: Validation,
  old: JsonObject | undefined,
): Steps<void> {
  yield* checkChanged(object, schema, '', validation, { old });
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
  } else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, schema, path, validation);
  if (isUnprepared(schema.enum)) yield* prepareEnumeration(schema.enum, validation.run.pace.work);
  checkEnum(value, schema, path, validation);
}

function* checkContainer(
  value: JsonObject | readonly JsonValue[],
  schema: ValueSchema,
  path: string,
  validation: Validation,
  around: Surroundings,
): Steps<void> {
  const { old, outcomes } = around;
  if (old === undefined) return yield* checkChanged(value, schema, path, validation, around);
  const { pace } = validation.run;
  let { correlated } = around;
  // The members of a large object cannot even be counted in one step.
  if (correlated === undefined && pace.work.isLarge === true) correlated = new CorrelatedValue(value, old, schema);
  if (correlated === undefined) {
    const budget = { left: COMPARED_AT_ONCE };
    const unchanged = unchangedWithin(value, old, schema, budget);
    if (pace.spend(COMPARED_AT_ONCE - budget.left)) yield;
    if (unchanged === true) return;
    if (unchanged === undefined) correlated = new CorrelatedValue(value, old, schema);
  }
  if (correlated !== undefined && (yield* correlated.unchanged(pace.work))) return;
  yield* checkChanged(value, schema, path, validation, { old, correlated, outcomes });
}

/** Checks an object or a list that is new or has changed. */
function* checkChanged(
  value: JsonObject | readonly JsonValue[],
  schema: ValueSchema,
  path: string,
  validation: Validation,
  around: Surroundings,
): Steps<void> {
  validation.visited += 1;
  if (validation.run.types) checkType(value, schema, path, validation);
  if (hasConditions(schema)) yield* checkConditions(value, schema, path, validation, around.outcomes);
  if (isArray(value)) yield* checkList(value, schema, path, validation, around);
  if (isUnprepared(schema.enum)) yield* prepareEnumeration(schema.enum, validation.run.pace.work);
  checkEnum(value, schema, path, validation);
  if (isJsonObject(value)) yield* checkObject(value, schema, path, validation, around);
}

type ListFacts = Pick<StructuralSchema, 'listType' | 'listMapKeys'>;

function* checkList(
  items: readonly JsonValue[],
  schema: ValueSchema & ListFacts,
  path: string,
  validation: Validation,
  around: Surroundings,
): Steps<void> {
  const { errors, run } = validation;
  if (schema.items !== undefined && mustVisit(schema.items, validation)) {
    const { listType, listMapKeys = [] } = schema;
    const { old, correlated } = around;
    const { work } = run.pace;
    // Only items of lists with keys have old items.
    const before =
      listType === 'map' && correlated === undefined && isArray(old)
        ? yield* itemsByKey(old, listMapKeys, work)
        : undefined;
    for (let index = 0; index < items.length; index += 1) {
      if (run.pace.visit()) yield;
      const item = items[index] as JsonValue;
      const itemAround =
        correlated !== undefined
          ? surroundingsOf(yield* correlated.item(index, work))
          : before === undefined
            ? NOTHING
            : { old: before.get(mapKeyOf(item, listMapKeys) ?? '') };
      const rest = checkValue(item, schema.items, `${path}[${index}]`, validation, itemAround);
      if (rest !== undefined) yield* rest;
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && items.length < minItems) {
    const text = `${path} in body should have at least ${minItems} items`;
    errors.push(invalid(fieldOf(path, validation), items.length, text));
  }
  if (maxItems !== undefined && items.length > maxItems)
    errors.push(tooMany(fieldOf(path, validation), items.length, maxItems));
  if (schema.uniqueItems === true && (yield* run.numbers.secondOccurrences(items)).length > 0)
    errors.push(invalid(fieldOf(path, validation), '', `${path} in body shouldn't contain duplicates`));
}

const surroundingsOf = (correlated: CorrelatedValue | undefined): Surroundings =>
  correlated === undefined ? NOTHING : { old: correlated.oldValue, correlated };

function* checkObject(
  object: JsonObject,
  schema: ValueSchema,
  path: string,
  validation: Validation,
  { old, correlated }: Surroundings,
): Steps<void> {
  checkSize(object, schema, path, validation);
  const { errors, run } = validation;
  const prefix = path === '' ? '' : `${path}.`;
  const before = isJsonObject(old) ? old : undefined;
  const { properties, additionalProperties } = schema;
  const surroundings = (key: string): Surroundings => {
    if (before === undefined || (path === '' && CONVERTED.has(key))) return NOTHING;
    return correlated === undefined ? { old: ownMember(before, key) } : surroundingsOf(correlated.field(key));
  };
  if (additionalProperties !== undefined && mustVisit(additionalProperties, validation)) {
    for (const key in object) {
      const member = object[key];
      if (member === undefined || properties?.has(key) === true) continue;
      if (run.pace.visit()) yield;
      const rest = checkValue(member, additionalProperties, `${path}.${key}`, validation, surroundings(key));
      if (rest !== undefined) yield* rest;
    }
  }
  if (properties !== undefined)
    for (const [name, property] of properties) {
      if (run.pace.visit()) yield;
      if (!mustVisit(property, validation) || !Object.hasOwn(object, name)) continue;
      const member = object[name];
      const rest =
        member === undefined ? undefined : checkValue(member, property, prefix + name, validation, surroundings(name));
      if (rest !== undefined) yield* rest;
    }
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(object, name) || object[name] === undefined)
      errors.push(required(fieldOf(`${path}.${name}`, validation)));
}

/** Fields at the start that a conversion to the version of the request sets in both objects. */
const CONVERTED: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

/** Reports an invalid number of members. */
function checkSize(object: JsonObject, schema: ValueSchema, path: string, validation: Validation): void {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return;
  const { errors } = validation;
  const size = Object.keys(object).length;
  if (minProperties !== undefined && size < minProperties) {
    const text = `${path} in body should have at least ${minProperties} properties`;
    errors.push(invalid(fieldOf(path, validation), size, text));
  }
  if (maxProperties !== undefined && size > maxProperties)
    errors.push(tooMany(fieldOf(path, validation), size, maxProperties));
}

const mustVisit = (schema: ValueSchema, { run }: Validation): boolean =>
  !isObjectMeta(schema) && (run.types || constraintsOf(schema).values);

/** Most errors of a condition that are kept: there may be many conditions. */
const ERRORS_OF_CONDITION = 50;

/**
 * Checks `anyOf`, `oneOf`, `allOf` and `not`, in this order. Kubernetes reports their own errors at the start of the
 * validation.
 */
function* checkConditions(
  value: JsonValue,
  { anyOf, oneOf, allOf, not }: ValueSchema,
  path: string,
  validation: Validation,
  outcomes: Outcomes = new Map(),
): Steps<void> {
  const { errors, run } = validation;
  const check = function* (condition: ValueSchema): Steps<Validation> {
    const known = outcomes.get(condition);
    if (known !== undefined) return known;
    const inner: Validation = { run, errors: new FieldErrorList(undefined, ERRORS_OF_CONDITION), visited: 0 };
    if (run.pace.visit()) yield;
    const rest = checkValue(value, condition, path, inner, { outcomes });
    if (rest !== undefined) yield* rest;
    outcomes.set(condition, inner);
    return inner;
  };
  const fail = (text: string): void => void errors.push(invalid(fieldOf('', validation), '', `"${path}" must ${text}`));
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
