/**
 * Text functions of the standard environment.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { patternCost, traversalCost } from '../cost/meter.js';
import { CelFailure } from '../evaluate/failures.js';
import { searched } from '../evaluate/regular-expressions.js';
import {
  declare,
  method,
  methodInSteps,
  type CelResult,
  type CelRuntime,
  type FunctionDeclaration,
} from '../types/declarations.js';
import { boolType, stringType } from '../types/types.js';

function* matches([text, pattern]: readonly [string, string], { patterns, meter }: CelRuntime): Steps<CelResult> {
  const compiled = patterns.of(pattern);
  if (compiled instanceof CelFailure) return compiled;
  return (yield* searched(compiled.searchAny(text), meter)).found;
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
    {
      ...methodInSteps('matches', [stringType, stringType], boolType, matches, matchingCost),
      isMethod: false,
    },
    methodInSteps('matches_string', [stringType, stringType], boolType, matches, matchingCost),
  ),
];
