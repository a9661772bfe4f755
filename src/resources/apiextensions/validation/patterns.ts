import { RE2JS, RE2JSException } from 're2js';
import type { PatternCompiler } from '../../../schema/validate-values.js';

/** Returns Go's message for an invalid regular expression; undefined for a valid one. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message;
  }
}

/** Compiles patterns of clients, which match in linear time. */
export const compilePattern: PatternCompiler = (pattern) => {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.matcher(text).find();
};
