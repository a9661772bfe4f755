/** The operations on the sets of large objects have the results of those on small ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  equalSets,
  intersection,
  isSubset,
  recursiveDifference,
  union,
} from '../../../src/machinery/apply/fieldpath/fieldset.js';
import { fieldSet, type FieldSet } from '../../../src/machinery/index.js';
import { fromFieldsV1 } from '../../../src/machinery/apply/fieldpath/fields-v1.js';
import { paths } from '../../../src/machinery/apply/fieldpath/paths.js';
import { reconcileWithType } from '../../../src/machinery/apply/typed/sets.js';
import { typeOf } from '../../../src/machinery/apply/typed/type.js';
import { fromFieldsV1InSteps } from '../../../src/machinery/apply/fieldpath/fields-v1.js';
import { sorted } from '../../../src/machinery/apply/fieldpath/fieldset.js';
import { pathsInSteps } from '../../../src/machinery/apply/fieldpath/paths.js';
import {
  combined,
  DIFFERENCE,
  equalSetsInSteps,
  INTERSECTION,
  isSubsetInSteps,
  RECURSIVE_DIFFERENCE,
  sortedInSteps,
  UNION,
} from '../../../src/machinery/apply/fieldpath/set-steps.js';
import { Walk } from '../../../src/machinery/apply/fieldpath/walk.js';
import {
  ensureNamedFieldsAreMembers,
  namedFieldsInSteps,
  reconcileInSteps,
} from '../../../src/machinery/apply/typed/sets.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK, type Steps } from '../../../src/foundation/work/work.js';
import { gadget } from './schemas.js';

/** Elements of which some have an own list of keys in the walk: more than 64. */
const element = fc.oneof(
  fc.constantFrom('f:a', 'f:b', 'f:spec', 'f:tags', 'v:"x"', 'v:2', 'v:10', 'k:{"n":1}', 'k:{"n":"1"}', 'i:0'),
  fc.nat(200).map((index) => `f:k${index}`),
);
const set = fc
  .record({
    deep: fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
    wide: fc.uniqueArray(fc.nat(200), { maxLength: 120 }),
    below: fc.constantFrom<readonly string[]>([], ['f:a'], ['f:spec', 'f:b']),
    isRead: fc.boolean(),
  })
  .map(({ deep, wide, below, isRead }) => {
    const made = fieldSet(...deep, ...wide.map((index) => [...below, `f:k${index}`]));
    return isRead ? (JSON.parse(JSON.stringify(made)) as FieldSet) : made;
  });

/** Runs steps that pause wherever they may. */
const stepped = <Result>(steps: (walk: Walk) => Steps<Result>): Result =>
  atOnce(steps(new Walk({ ...UNBOUNDED_WORK, spend: () => true })));

describe('in steps', () => {
  it.each([
    ['union', union, UNION],
    ['intersection', intersection, INTERSECTION],
    ['difference', difference, DIFFERENCE],
    ['recursiveDifference', recursiveDifference, RECURSIVE_DIFFERENCE],
  ] as const)('%s', (_name, atOneGo, operation) => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const before = [JSON.stringify(a), JSON.stringify(b)];
        const result = stepped((walk) => combined(walk, operation, a, b));
        expect(JSON.stringify(sorted(result))).toBe(JSON.stringify(sorted(atOneGo(a, b))));
        expect([JSON.stringify(a), JSON.stringify(b)]).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['union', UNION, (a: FieldSet) => a],
    ['intersection', INTERSECTION, (a: FieldSet) => a],
    ['difference', DIFFERENCE, (): FieldSet => ({ 'f:other': {} })],
  ] as const)('%s that changes nothing returns the set itself', (_name, operation, other) => {
    fc.assert(
      fc.property(set, (a) => {
        const copy = JSON.parse(JSON.stringify(other(a))) as FieldSet;
        expect([a, copy]).toContain(stepped((walk) => combined(walk, operation, a, copy)));
      }),
    );
  });

  it('comparisons', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const part = intersection(a, b);
        for (const [left, right] of [
          [a, b],
          [part, b],
          [b, part],
          [a, JSON.parse(JSON.stringify(a)) as FieldSet],
        ] as const) {
          expect(stepped((walk) => isSubsetInSteps(walk, left, right))).toBe(isSubset(left, right));
          expect(stepped((walk) => equalSetsInSteps(walk, left, right))).toBe(equalSets(left, right));
        }
      }),
    );
  });

  it('order and paths', () => {
    fc.assert(
      fc.property(set, (a) => {
        const inOrder = stepped((walk) => sortedInSteps(walk, a));
        expect(JSON.stringify(inOrder)).toBe(JSON.stringify(sorted(a)));
        expect(stepped((walk) => sortedInSteps(walk, inOrder))).toBe(inOrder);
        expect(stepped((walk) => pathsInSteps(inOrder, walk))).toEqual(paths(a));
      }),
    );
  });

  it('named fields and a schema that has changed', () => {
    const type = typeOf(gadget);
    fc.assert(
      fc.property(set, (a) => {
        expect(JSON.stringify(stepped((walk) => namedFieldsInSteps(walk, a, type)))).toBe(
          JSON.stringify(ensureNamedFieldsAreMembers(a, type)),
        );
        expect(sorted(stepped((walk) => reconcileInSteps(walk, a, type)))).toEqual(sorted(reconcileWithType(a, type)));
      }),
    );
  });

  it('FieldsV1 in every form that a client may send', () => {
    const text = fc.constantFrom(
      '.',
      'f:a',
      'f:b',
      'k:{"n":1}',
      'k:{ "n": 1 }',
      'v:1',
      'v: 1',
      'i:1',
      'i:01',
      'x:y',
      '?',
    );
    const { fields } = fc.letrec<{ fields: JsonValue }>((tie) => ({
      fields: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<JsonValue>(null, {}, { '.': {} }, { '.': { 'f:a': {} } }, 1),
        fc.dictionary(text, tie('fields'), { maxKeys: 5 }),
      ),
    }));
    const read = (reading: () => FieldSet): string => {
      try {
        return JSON.stringify(sorted(reading()));
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(fields, (value) => {
        expect(read(() => stepped((walk) => fromFieldsV1InSteps(walk, value)))).toBe(read(() => fromFieldsV1(value)));
      }),
      { numRuns: 2000 },
    );
  });
});
