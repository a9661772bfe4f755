import { internalField, invalid, type FieldError, type FieldPath } from '../../../foundation/index.js';
import { CelCompileError, type CelProgram } from '../../../machinery/index.js';

/** A program, or the error of the expression. */
export type Compiled = { readonly program: CelProgram } | { readonly error: FieldError };

/**
 * Compiles the expression of a field.
 *
 * @param compile compiler; present whenever there is an expression
 */
export function compiled(
  path: FieldPath,
  expression: string,
  compile: ((expression: string) => CelProgram) | undefined,
): Compiled {
  if (compile === undefined) return { error: internalField(path, 'no compiler for expressions') };
  try {
    return { program: compile(expression) };
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return { error: invalid(path, expression, error.message) };
  }
}
