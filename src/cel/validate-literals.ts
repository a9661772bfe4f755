/**
 * Checks literal durations, timestamps and patterns that would always fail. Kubernetes refuses them at compile time.
 *
 * @module
 */
import type { Expression } from './ast.js';
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

/** Returns the problem of the literal in a part of an expression. */
export function literalIssues(part: Expression, patterns: ExpressionPatterns): Issue[] {
  if (part.kind !== 'call' || !Object.hasOwn(checks, part.name)) return [];
  const literal = part.arguments.at(-1);
  if (literal?.kind !== 'literal' || typeof literal.value !== 'string') return [];
  return checks[part.name]?.(literal.value, patterns) === false
    ? [{ offset: literal.offset, message: `invalid ${part.name} argument` }]
    : [];
}
