/**
 * Checks literal durations, timestamps and patterns that would always fail. Kubernetes refuses them at compile time.
 *
 * @module
 */
import { CelFailure } from '../evaluate/failures.js';
import type { ExpressionPatterns } from '../evaluate/regular-expressions.js';
import { parseDuration, parseTimestamp, timestampOfSeconds } from '../evaluate/time-values.js';
import type { CelValue } from '../evaluate/values.js';
import type { Expression } from '../syntax/ast.js';
import type { Issue } from '../syntax/source.js';

/** Returns true for a valid literal, and for one of a type that the function does not take. */
type LiteralCheck = (literal: CelValue, patterns: ExpressionPatterns) => boolean;

const checks: Readonly<Record<string, LiteralCheck>> = {
  duration: (literal) => typeof literal !== 'string' || parseDuration(literal) !== undefined,
  timestamp(literal) {
    if (typeof literal === 'bigint') return timestampOfSeconds(literal) !== undefined;
    return typeof literal !== 'string' || parseTimestamp(literal) !== undefined;
  },
  matches: (literal, patterns) => typeof literal !== 'string' || !(patterns.constant(literal) instanceof CelFailure),
};

/** Returns the problem of the literal in a part of an expression. */
export function literalIssues(part: Expression, patterns: ExpressionPatterns): Issue[] {
  if (part.kind !== 'call' || !Object.hasOwn(checks, part.name)) return [];
  const literal = part.arguments.at(-1);
  if (literal?.kind !== 'literal') return [];
  return checks[part.name]?.(literal.value, patterns) === false
    ? [{ offset: literal.offset, message: `invalid ${part.name} argument` }]
    : [];
}
