/**
 * `find` and `findAll`: the matches of a pattern.
 *
 * @module
 */
import { declare, method, type CelLibrary, type CelResult, type CelRuntime } from '../declarations.js';
import { CelFailure, failure } from '../failures.js';
import { patternCost } from '../meter.js';
import { intType, listType, stringType } from '../types.js';
import { ValueList } from '../values.js';

function matchesOf(
  text: string,
  pattern: string,
  limit: number,
  { regularExpressions }: CelRuntime,
): string[] | CelFailure {
  const compiled = regularExpressions.compile(pattern);
  return compiled instanceof CelFailure ? failure(`Illegal regex: ${compiled.message}`) : compiled.findAll(text, limit);
}

function find([text, pattern]: readonly [string, string], runtime: CelRuntime): CelResult {
  const found = matchesOf(text, pattern, 1, runtime);
  return found instanceof CelFailure ? found : (found[0] ?? '');
}

function findAll(text: string, pattern: string, limit: bigint, runtime: CelRuntime): CelResult {
  const found = matchesOf(text, pattern, limit < 0n ? -1 : Number(limit), runtime);
  return found instanceof CelFailure ? found : new ValueList(found);
}

const cost = ([text, pattern]: readonly [string, string, ...unknown[]]): number =>
  patternCost(text.length, pattern.length);

/** The functions on patterns. */
export const regexLibrary: CelLibrary = {
  name: 'regex',
  functions: [
    declare('find', method('string_find_string', [stringType, stringType], stringType, find, cost)),
    declare(
      'findAll',
      method(
        'string_find_all_string',
        [stringType, stringType],
        listType(stringType),
        ([text, pattern], runtime) => findAll(text, pattern, -1n, runtime),
        cost,
      ),
      method(
        'string_find_all_string_int',
        [stringType, stringType, intType],
        listType(stringType),
        ([text, pattern, limit], runtime) => findAll(text, pattern, limit, runtime),
        cost,
      ),
    ),
  ],
};
