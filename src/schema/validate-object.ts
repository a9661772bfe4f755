import { appendErrors, FieldErrorList } from '../meta/field-error-list.js';
import type { FieldError } from '../meta/field-error.js';
import type { JsonObject } from '../meta/json.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../meta/work.js';
import { constraintsOf, hasConstraints } from './constraints.js';
import type { Origin } from './readers.js';
import type { StructuralSchema } from './structural.js';
import { checkEmbedded } from './validate-embedded.js';
import { checkLists, type Place } from './validate-lists.js';
import type { PatternCompiler, ValidationRun } from './validate-scalars.js';
import { checkValue, newValidation } from './validate-values.js';

/** Options of {@link validateObject}. */
export interface ValidateOptions {
  /**
   * As for `readObject`, which checks types and formats for `builtin`; for `user` they are checked here. Default
   * `user`.
   */
  readonly origin?: Origin | undefined;
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
  const { old, compilePattern = compileTrusted } = options;
  const validation = newValidation(types, compilePattern, work);
  const { errors, run } = validation;
  if (types || constraints.values) {
    const rest = checkValue(object, schema, '', validation, { old });
    if (rest !== undefined) yield* rest;
  }
  const root = { value: object, schema, path: '' };
  if (constraints.embedded) yield* checkEmbedded(root, errors, run);
  if (types && constraints.lists) appendErrors(errors, yield* listErrors(root, old, run));
  return errors;
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
