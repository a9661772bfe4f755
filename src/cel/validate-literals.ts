/**
 * Checks literal durations, timestamps and patterns that would always fail. Kubernetes refuses them at compile time.
 *
 * @module
 */
import { childrenOf, type Expression } from './ast.js';
import { CelFailure } from './failures.js';
import type { ExpressionPatterns } from './regular-expressions.js';
import type { Issue } from './source.js';
import { parseDuration, parseTimestamp } from './time-values.js';

/** Returns true for a valid text. */
type LiteralCheck = (text: string, patterns: ExpressionPatterns) => boolean;

const checks: Readonly<Record<string, LiteralCheck>> = {
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
  matches: (text, patterns) => !(patterns.constant(text) instanceof CelFailure),
};

/** Returns the problems in the literals of an expression. */
export function validateLiterals(expression: Expression, patterns: ExpressionPatterns): Issue[] {
  const issues = childrenOf(expression).flatMap((child) => validateLiterals(child, patterns));
  if (expression.kind !== 'call' || !Object.hasOwn(checks, expression.name)) return issues;
  const literal = expression.arguments.at(-1);
  if (literal?.kind !== 'literal' || typeof literal.value !== 'string') return issues;
  return checks[expression.name]?.(literal.value, patterns) === false
    ? [...issues, { offset: literal.offset, message: `invalid ${expression.name} argument` }]
    : issues;
}
