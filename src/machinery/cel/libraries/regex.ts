/**
 * `find` and `findAll`: the matches of a pattern.
 *
 * @module
 */
import { codePointCount, type Steps } from '../../../foundation/index.js';
import { patternCost } from '../cost/meter.js';
import { CelFailure, failure } from '../evaluate/failures.js';
import { searched } from '../evaluate/regular-expressions.js';
import { ValueList } from '../evaluate/values.js';
import { declare, methodInSteps, type CelLibrary, type CelResult, type CelRuntime } from '../types/declarations.js';
import { intType, listType, stringType } from '../types/types.js';

/** Work of beginning the search for a match, and of keeping it. */
const UNITS_OF_MATCH = 15;

/** Returns at most `limit` matches in order; all matches for a negative limit. */
function* matchesOf(
  text: string,
  pattern: string,
  limit: number,
  { patterns, meter }: CelRuntime,
): Steps<string[] | CelFailure> {
  const compiled = patterns.of(pattern);
  if (compiled instanceof CelFailure) return failure(`Illegal regex: ${compiled.message}`);
  const found: string[] = [];
  let previousEnd = -1;
  for (let from = 0; found.length !== limit && from <= text.length;) {
    const search = yield* searched(compiled.search(text, from), meter);
    if (!search.found) break;
    meter.makeItems(1);
    if (meter.step(UNITS_OF_MATCH)) yield;
    const { start, end } = search;
    // An empty match directly after another match does not count.
    if (start !== end || start !== previousEnd) found.push(text.slice(start, end));
    previousEnd = end;
    from = start === end ? end + characterLength(text, end) : end;
  }
  return found;
}

const characterLength = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

function* find([text, pattern]: readonly [string, string], runtime: CelRuntime): Steps<CelResult> {
  const found = yield* matchesOf(text, pattern, 1, runtime);
  return found instanceof CelFailure ? found : (found[0] ?? '');
}

function* findAll(text: string, pattern: string, limit: bigint, runtime: CelRuntime): Steps<CelResult> {
  const found = yield* matchesOf(text, pattern, limit < 0n ? -1 : Number(limit), runtime);
  return found instanceof CelFailure ? found : new ValueList(found);
}

const cost = ([text, pattern]: readonly [string, string, ...unknown[]]): number =>
  patternCost(text, codePointCount(pattern));

/** The functions on patterns. */
export const regexLibrary: CelLibrary = {
  name: 'regex',
  functions: [
    declare('find', methodInSteps('string_find_string', [stringType, stringType], stringType, find, cost)),
    declare(
      'findAll',
      methodInSteps(
        'string_find_all_string',
        [stringType, stringType],
        listType(stringType),
        ([text, pattern], runtime) => findAll(text, pattern, -1n, runtime),
        cost,
      ),
      methodInSteps(
        'string_find_all_string_int',
        [stringType, stringType, intType],
        listType(stringType),
        ([text, pattern, limit], runtime) => findAll(text, pattern, limit, runtime),
        cost,
      ),
    ),
  ],
};
