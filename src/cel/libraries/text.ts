/**
 * Text functions of the standard environment.
 *
 * @module
 */
import {
  declare,
  method,
  overload,
  type CelResult,
  type CelRuntime,
  type FunctionDeclaration,
} from '../declarations.js';
import { CelFailure } from '../failures.js';
import { patternCost, traversalCost } from '../meter.js';
import { boolType, stringType } from '../types.js';

function matches([text, pattern]: readonly [string, string], { regularExpressions }: CelRuntime): CelResult {
  const compiled = regularExpressions.compile(pattern);
  return compiled instanceof CelFailure ? compiled : compiled.matches(text);
}

const matchingCost = ([text, pattern]: readonly [string, string]): number => patternCost(text.length, pattern.length);

/** `contains`, `startsWith`, `endsWith`, `matches`. */
export const textFunctions: readonly FunctionDeclaration[] = [
  declare(
    'contains',
    method(
      'contains_string',
      [stringType, stringType],
      boolType,
      ([text, part]) => text.includes(part),
      ([text, part]) => traversalCost(text.length) * traversalCost(part.length),
    ),
  ),
  declare(
    'endsWith',
    method(
      'ends_with_string',
      [stringType, stringType],
      boolType,
      ([text, end]) => text.endsWith(end),
      ([text]) => traversalCost(text.length),
    ),
  ),
  declare(
    'startsWith',
    method(
      'starts_with_string',
      [stringType, stringType],
      boolType,
      ([text, start]) => text.startsWith(start),
      ([text]) => traversalCost(text.length),
    ),
  ),
  declare(
    'matches',
    overload('matches', [stringType, stringType], boolType, matches, matchingCost),
    method('matches_string', [stringType, stringType], boolType, matches, matchingCost),
  ),
];
