import {
  codePointCount,
  FieldError,
  goNumber,
  goQuote,
  invalid,
  messageOf,
  typeInvalid,
  unstructured,
  type JsonValue,
  type Steps,
} from '../../../foundation/index.js';
import { searching } from '../../patterns/index.js';
import { isOneOf, shownValues } from '../define/enumerations.js';
import type { ValueSchema } from '../define/structural.js';
import { formatCheck } from '../formats/formats.js';
import { fieldOf, type Validation, type ValidationRun } from './validation-run.js';

/** Returns the JSON schema type of a value: a number without a fraction is an integer. */
function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // Kubernetes treats numbers beyond the exact range of a double as non-integers.
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function hasType({ type }: ValueSchema, found: string): boolean {
  if (type === found) return true;
  if (type === 'int-or-string') return found === 'integer' || found === 'string';
  return type === 'number' && found === 'integer';
}

const hasAnyType = ({ type }: ValueSchema): boolean => type === undefined || type === 'any';
const isNumeric = ({ type }: ValueSchema): boolean =>
  type === 'integer' || type === 'number' || type === 'int-or-string';

const GO_NUMBER_FORMATS: ReadonlyMap<string, string> = new Map([
  ['integer', 'int64'],
  ['number', 'float64'],
]);

/**
 * Reports a value of another type. As in Kubernetes, a checked format decides about texts and lists in place of the
 * type, and errors of other values name it.
 */
export function checkType(value: JsonValue, schema: ValueSchema, path: string, validation: Validation): void {
  const found = jsonType(value);
  if (hasType(schema, found)) return;
  if (found === 'null') {
    if (schema.nullable !== true && !hasAnyType(schema)) reportType(typeText(schema), found, path, validation);
    return;
  }
  const format = formatCheck(schema.format) === undefined ? undefined : schema.format;
  if (format !== undefined && found !== 'string' && found !== 'array')
    return reportType(format, GO_NUMBER_FORMATS.get(found) ?? '', path, validation);
  if (hasAnyType(schema) || (format !== undefined && !isNumeric(schema))) return;
  reportType(typeText(schema), found, path, validation);
}

const typeText = ({ type }: ValueSchema): string => (type === 'int-or-string' ? 'integer,string' : (type ?? ''));

function reportType(wanted: string, found: string, path: string, validation: Validation): void {
  const { errors } = validation;
  if (errors.isFull) errors.omit(1);
  else
    errors.push(
      typeInvalid(fieldOf(path, validation), found, `${path} in body must be of type ${wanted}: ${goQuote(found)}`),
    );
}

/** Texts above this number of characters are matched in steps. */
const LONG_TEXT = 1024;

/** Returns whether a check of a text may take long. */
export const isLongMatch = (text: string, { pattern }: ValueSchema): boolean =>
  pattern !== undefined && text.length > LONG_TEXT;

/** Reports the first violated rule of a text, as Kubernetes does. */
export function checkString(text: string, schema: ValueSchema, path: string, validation: Validation): void {
  const { pattern } = schema;
  if (checkLength(text, schema, path, validation) && pattern !== undefined)
    reportMismatch(text, matchProblem(text, pattern, validation.run), path, validation);
}

/** Does the same as {@link checkString}, for a long text. */
export function* checkLongString(text: string, schema: ValueSchema, path: string, validation: Validation): Steps<void> {
  const { pattern } = schema;
  if (checkLength(text, schema, path, validation) && pattern !== undefined)
    reportMismatch(text, yield* longMatchProblem(text, pattern, validation.run), path, validation);
}

/** Returns false for a text of a wrong length, the only error that Kubernetes then reports. */
function checkLength(text: string, schema: ValueSchema, path: string, validation: Validation): boolean {
  const { errors } = validation;
  const { maxLength, minLength } = schema;
  // A text never has more code points than code units, so only long texts are counted.
  if (maxLength !== undefined && text.length > maxLength && codePointCount(text) > maxLength) {
    if (errors.isFull) errors.omit(1);
    else errors.push(new FieldError('TooLong', fieldOf(path, validation), text, `may not be longer than ${maxLength}`));
    return false;
  }
  if (minLength === undefined || text.length >= 2 * minLength || codePointCount(text) >= minLength) return true;
  if (errors.isFull) errors.omit(1);
  else
    errors.push(invalid(fieldOf(path, validation), text, `${path} in body should be at least ${minLength} chars long`));
  return false;
}

function reportMismatch(text: string, problem: string | undefined, path: string, validation: Validation): void {
  const { errors } = validation;
  if (problem === undefined) return;
  if (errors.isFull) errors.omit(1);
  else errors.push(invalid(fieldOf(path, validation), text, `${path} in body should match '${problem}'`));
}

/** Returns the words for a text that does not match; undefined when it matches. */
function matchProblem(text: string, pattern: string, run: ValidationRun): string | undefined {
  const results = resultsOf(text, run);
  if (results.has(pattern)) return results.get(pattern);
  let problem: string | undefined;
  try {
    problem = run.compilePattern(pattern)(text) ? undefined : pattern;
  } catch (error) {
    problem = `${pattern}, but pattern is invalid: ${messageOf(error)}`;
  }
  results.set(pattern, problem);
  return problem;
}

function* longMatchProblem(text: string, pattern: string, run: ValidationRun): Steps<string | undefined> {
  const known = resultsOf(text, run);
  if (known.has(pattern)) return known.get(pattern);
  let problem: string | undefined;
  try {
    const matches = run.compilePattern(pattern);
    const found =
      matches.search === undefined ? matches(text) : (yield* searching(matches.search(text), run.pace.work)).found;
    problem = found ? undefined : pattern;
  } catch (error) {
    problem = `${pattern}, but pattern is invalid: ${messageOf(error)}`;
  }
  // Nothing else is matched meanwhile: a validation takes one step after the other.
  known.set(pattern, problem);
  return problem;
}

/** Returns the results of the patterns for a text, which are kept until the next text. */
function resultsOf(text: string, { matched }: ValidationRun): Map<string, string | undefined> {
  if (matched.text !== text) {
    matched.text = text;
    matched.results.clear();
  }
  return matched.results;
}

/** Reports a text that does not have its format. */
export function checkFormat(text: string, { format }: ValueSchema, path: string, validation: Validation): void {
  const { errors } = validation;
  if (format === undefined || formatCheck(format)?.(text) !== false) return;
  if (errors.isFull) errors.omit(1);
  else
    errors.push(
      typeInvalid(fieldOf(path, validation), text, `${path} in body must be of type ${format}: ${goQuote(text)}`),
    );
}

/** Reports each violated rule of a number. */
export function checkNumber(value: number | bigint, schema: ValueSchema, path: string, validation: Validation): void {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const { errors } = validation;
  const fail = (rule: string, bound: number): void => {
    if (errors.isFull) errors.omit(1);
    else
      errors.push(
        invalid(fieldOf(path, validation), value, `${path} in body should be ${rule} ${boundText(value, bound)}`),
      );
  };
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) fail('a multiple of', multipleOf);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    fail(exclusiveMinimum ? 'greater than' : 'greater than or equal to', minimum);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    fail(exclusiveMaximum ? 'less than' : 'less than or equal to', maximum);
  }
}

/** Returns a bound as Kubernetes shows it: it converts the bound of an integer to one. */
const boundText = (value: number | bigint, bound: number): string =>
  typeof value === 'bigint' && Number.isInteger(bound) && bound < 2 ** 63 && bound >= -(2 ** 63)
    ? String(BigInt(bound))
    : goNumber(bound);

/** Returns true when the quotient is whole within the precision of a double, as in Kubernetes. */
function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint')
    return Number.isInteger(factor) ? value % BigInt(factor) === 0n : isMultiple(Number(value), factor);
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

/** Reports a value outside an enumeration. */
export function checkEnum(value: JsonValue, schema: ValueSchema, path: string, validation: Validation): void {
  const { errors } = validation;
  if (schema.enum === undefined || (value === null && schema.nullable === true)) return;
  if (isOneOf(value, schema.enum)) return;
  if (errors.isFull) {
    errors.omit(1);
    return;
  }
  const detail = schema.enum.length === 0 ? '' : shownValues(schema.enum);
  errors.push(new FieldError('NotSupported', fieldOf(path, validation), unstructured(value), detail));
}
