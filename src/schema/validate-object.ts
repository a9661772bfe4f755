import type { FieldError } from '../meta/field-error.js';
import type { JsonObject } from '../meta/json.js';
import { constraintsOf, hasConstraints } from './constraints.js';
import type { Origin } from './readers.js';
import type { StructuralSchema } from './structural.js';
import { checkEmbedded } from './validate-embedded.js';
import { checkLists } from './validate-lists.js';
import { checkValue, type PatternCompiler, type Validation } from './validate-values.js';

/** How an object is validated. */
export interface ValidateOptions {
  /** As for `readObject`: `user` has types and formats checked here, `builtin` had them checked there. Default `user`. */
  readonly origin?: Origin;
  /**
   * Makes matchers of the schema's patterns. The default is the language's own engine, which is right for schemas written
   * by the program's author only: one that came in over the network must be given an engine of linear time.
   */
  readonly compilePattern?: PatternCompiler;
}

const MAX_PATTERNS = 1024;
const patterns = new Map<string, (text: string) => boolean>();

function compileRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    // Escapes that the Unicode mode refuses are fine without it.
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
 * Checks the values of an object that `readObject` gave: required fields, bounds, patterns, closed lists; for user kinds
 * also types, formats, and list items that must differ. Metadata is left out: its rules are not in the schema.
 *
 * All errors are reported, in the production system's words, in the order of the schema: values first, then embedded
 * objects, then lists. Costs next to nothing for a built-in kind without constraints.
 */
export function validateObject(
  object: JsonObject,
  schema: StructuralSchema,
  options: ValidateOptions = {},
): FieldError[] {
  const types = options.origin !== 'builtin';
  const constraints = constraintsOf(schema);
  if (!types && !hasConstraints(schema)) return [];
  const validation: Validation = { errors: [], types, compilePattern: options.compilePattern ?? compileTrusted };
  if (types || constraints.values) checkValue(object, schema, '', validation);
  if (constraints.embedded) checkEmbedded(object, schema, '', validation.errors);
  if (types && constraints.lists) checkLists(object, schema, '', validation.errors);
  return validation.errors;
}
