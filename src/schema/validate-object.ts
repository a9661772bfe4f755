import { appendErrors, FieldErrorList } from '../meta/field-error-list.js';
import type { FieldError } from '../meta/field-error.js';
import type { JsonObject } from '../meta/json.js';
import { constraintsOf, hasConstraints } from './constraints.js';
import type { Origin } from './readers.js';
import type { StructuralSchema } from './structural.js';
import { checkEmbedded } from './validate-embedded.js';
import { checkLists } from './validate-lists.js';
import { checkValue, type PatternCompiler, type Validation } from './validate-values.js';

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
  const types = options.origin !== 'builtin';
  const constraints = constraintsOf(schema);
  if (!types && !hasConstraints(schema)) return [];
  const { old, compilePattern = compileTrusted } = options;
  const validation: Validation = { errors: [], visited: 0, types, compilePattern };
  if (types || constraints.values) checkValue(object, schema, '', validation, old);
  if (constraints.embedded) checkEmbedded(object, schema, '', validation.errors);
  if (types && constraints.lists) appendErrors(validation.errors, listErrors(object, schema, old));
  return validation.errors;
}

/** Returns the errors of lists with distinct items. A stored object with such errors keeps them. */
function listErrors(object: JsonObject, schema: StructuralSchema, old: JsonObject | undefined): FieldError[] {
  const errors = new FieldErrorList();
  checkLists(object, schema, '', errors);
  if (errors.length === 0 || old === undefined) return errors;
  const before = new FieldErrorList();
  checkLists(old, schema, '', before);
  return before.length === 0 ? errors : [];
}
