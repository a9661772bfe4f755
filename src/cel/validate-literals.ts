/**
 * Literals that could only fail when the expression runs: durations, timestamps and patterns. The production system refuses
 * them when the expression is compiled.
 *
 * @module
 */
import { childrenOf, type Expression } from './ast.js';
import { CelFailure } from './failures.js';
import type { RegularExpressionCompiler } from './regular-expressions.js';
import type { Issue } from './source.js';
import { parseDuration, parseTimestamp } from './time-values.js';

/** Says whether the text will do. */
type LiteralCheck = (text: string, regularExpressions: RegularExpressionCompiler) => boolean;

const checks: Readonly<Record<string, LiteralCheck>> = {
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
  matches: (text, regularExpressions) => !(regularExpressions.compile(text) instanceof CelFailure),
};

/** What is wrong with the literals of an expression. */
export function validateLiterals(expression: Expression, regularExpressions: RegularExpressionCompiler): Issue[] {
  const issues = childrenOf(expression).flatMap((child) => validateLiterals(child, regularExpressions));
  if (expression.kind !== 'call' || !Object.hasOwn(checks, expression.name)) return issues;
  const literal = expression.arguments.at(-1);
  if (literal?.kind !== 'literal' || typeof literal.value !== 'string') return issues;
  return checks[expression.name]?.(literal.value, regularExpressions) === false
    ? [...issues, { offset: literal.offset, message: `invalid ${expression.name} argument` }]
    : issues;
}
