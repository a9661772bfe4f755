/**
 * Text functions of the standard environment.
 *
 * @module
 */
import { codePointCount, type Steps } from '../../../foundation/index.js';
import { patternCost, searchCost, textCost } from '../cost/meter.js';
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
import { PartSearch } from './part-search.js';

function* matches([text, pattern]: readonly [string, string], { patterns, meter }: CelRuntime): Steps<CelResult> {
  const compiled = patterns.of(pattern);
  if (compiled instanceof CelFailure) return compiled;
  if (meter.mayPause()) yield;
  return (yield* searched(compiled.searchAny(text), meter)).found;
}

const matchingCost = ([text, pattern]: readonly [string, string]): number => patternCost(text, codePointCount(pattern));

function* contains([text, part]: readonly [string, string], { meter }: CelRuntime): Steps<boolean> {
  return part === '' || (yield* new PartSearch(part, meter).first(text, 0)) >= 0;
}

/** `contains`, `startsWith`, `endsWith`, `matches`. */
export const textFunctions: readonly FunctionDeclaration[] = [
  declare(
    'contains',
    methodInSteps('contains_string', [stringType, stringType], boolType, contains, ([text, part]) =>
      searchCost(text, part),
    ),
  ),
  declare(
    'endsWith',
    method(
      'ends_with_string',
      [stringType, stringType],
      boolType,
      ([text, end]) => text.endsWith(end),
      ([text]) => textCost(text),
    ),
  ),
  declare(
    'startsWith',
    method(
      'starts_with_string',
      [stringType, stringType],
      boolType,
      ([text, start]) => text.startsWith(start),
      ([text]) => textCost(text),
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
