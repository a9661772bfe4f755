import {
  appendErrors,
  atOnce,
  FieldErrorList,
  ownMember,
  UNBOUNDED_WORK,
  type FieldError,
  type JsonObject,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { constraintsOf, hasConstraints } from '../define/constraints.js';
import type { StructuralSchema } from '../define/structural.js';
import { checkEmbedded } from './validate-embedded.js';
import { checkLists, type Place } from './validate-lists.js';
import { checkObjectOf, checkValue } from './validate-values.js';
import { newValidation, type PatternCompiler, type Validation, type ValidationRun } from './validation-run.js';

/** Options of {@link validateObject}. */
export interface ValidateOptions {
  /**
   * As for `readObject`, which checks types and formats for `builtin`; for `user` they are checked here. Default
   * `user`.
   */
  readonly origin?: 'builtin' | 'user' | undefined;
  /**
   * Compiles the schema's patterns. The default is JavaScript's engine, which is safe only for schemas of the program's
   * author. A schema from the network needs an engine with linear time.
   */
  readonly compilePattern?: PatternCompiler | undefined;
  /**
   * For `user`: the stored object. Errors of values that it has unchanged are not reported, so that a stricter schema
   * does not refuse changes of other fields (KEP-4008, validation ratcheting).
   */
  readonly old?: JsonObject | undefined;
  /** For `user`: a field. Only its value is checked, as in a write to the subresource of this name. Default: all. */
  readonly part?: string | undefined;
}

const MAX_PATTERNS = 1024;
const patterns = new Map<string, (text: string) => boolean>();

function compileRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    // Some escapes are valid only without the Unicode flag.
    return new RegExp(pattern);
  }
}

const compileTrusted: PatternCompiler = (pattern) => {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = compileRegExp(pattern);
  const match = (text: string): boolean => compiled.test(text);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(pattern, match);
  return match;
};

/**
 * Checks the values of an object from `readObject`: required fields, bounds, patterns, enumerations; for user kinds
 * also types, formats, and distinct list items. Skips metadata, whose rules are not in the schema.
 *
 * Returns all errors with the messages of Kubernetes, in the order of the schema: values first, then embedded objects,
 * then lists. Returns at once for a built-in kind without constraints.
 */
export function validateObject(
  object: JsonObject,
  schema: StructuralSchema,
  options: ValidateOptions = {},
): FieldError[] {
  if (options.origin === 'builtin' && !hasConstraints(schema)) return [];
  return atOnce(validating(object, schema, options, UNBOUNDED_WORK));
}

/** Does the same as {@link validateObject}, in steps. */
export function* validating(
  object: JsonObject,
  schema: StructuralSchema,
  options: ValidateOptions,
  work: Work,
): Steps<FieldErrorList> {
  const types = options.origin !== 'builtin';
  const constraints = constraintsOf(schema);
  if (!types && !hasConstraints(schema)) return new FieldErrorList();
  const { old, compilePattern = compileTrusted, part } = options;
  const validation = newValidation({ types, compilePattern, work, base: part });
  const { errors, run } = validation;
  if (part !== undefined) yield* checkPart(part, object, schema, validation, old);
  else if (types || constraints.values) yield* checkObjectOf(object, schema, validation, old);
  const root = { value: object, schema, path: '' };
  if (constraints.embedded && part === undefined) yield* checkEmbedded(root, errors, run);
  if (types && constraints.lists) appendErrors(errors, yield* listErrors(root, old, run));
  return errors;
}

/** Checks the value of one field. The paths in the texts of its errors start at the value. */
function* checkPart(
  part: string,
  object: JsonObject,
  { properties }: StructuralSchema,
  validation: Validation,
  old: JsonObject | undefined,
): Steps<void> {
  const schema = properties?.get(part);
  const value = ownMember(object, part);
  if (schema === undefined || value === undefined) return;
  const rest = checkValue(value, schema, '', validation, { old: old && ownMember(old, part) });
  if (rest !== undefined) yield* rest;
}

/** Returns the errors of lists with distinct items. A stored object with such errors keeps them. */
function* listErrors(root: Place, old: JsonObject | undefined, run: ValidationRun): Steps<FieldErrorList> {
  const errors = new FieldErrorList();
  yield* checkLists(root, errors, run);
  if (errors.length === 0 || old === undefined) return errors;
  const before = new FieldErrorList();
  yield* checkLists({ ...root, value: old }, before, run);
  return before.length === 0 ? errors : new FieldErrorList();
}
