import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { LabelSelector, type LabelSelectorObject } from '../../../src/machinery/selectors/labels.js';
import { anchorOf, anchorsOf, SelectorByKey } from '../../../src/machinery/selectors/selector-by-key.js';
import { takeSteps } from '../../support/steps.js';

const key = fc.constantFrom('a', 'b', 'c', 'constructor');
const value = fc.constantFrom('', 'x', 'y', 'longer');
const labels = fc.option(fc.dictionary(key, value, { maxKeys: 4 }), { nil: undefined });
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });
const expression = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selector: fc.Arbitrary<LabelSelectorObject | undefined> = fc.option(
  fc.record({
    matchLabels: fc.dictionary(key, value, { maxKeys: 2 }),
    matchExpressions: fc.array(expression, { maxLength: 4 }),
  }),
  { nil: undefined },
);
const byKey = (of: LabelSelector): SelectorByKey => atOnce(SelectorByKey.of(of, UNBOUNDED_WORK));

test('a selector by key matches what the selector matches, and is found by an anchor of each object that it matches', () => {
  fc.assert(
    fc.property(selector, labels, (object, given) => {
      const plain = LabelSelector.fromObject(object);
      const keys = Object.keys(given ?? {});
      const matches = plain.matches(given);
      expect(byKey(plain).matches(given, keys)).toBe(matches);
      if (matches) expect([...anchorsOf(given)]).toContain(anchorOf(plain));
    }),
    { numRuns: 2_000 },
  );
});

describe('an anchor', () => {
  test.each([
    ['the longest of several labels', { matchLabels: { app: 'a', own: 'set-17', z: 'b' } }, 'own=set-17'],
    [
      'a label of one value before one of several',
      {
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['long value', 'other'].map((text) => text.replace(' ', '-')) },
          { key: 'b', operator: 'In', values: ['x'] },
        ],
      },
      'b=x',
    ],
    ['the key of a label that must exist', { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a'],
    ['nothing where no label is needed', { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, ''],
    ['nothing of a selector of everything', {}, ''],
  ])('is %s', (_name, object, anchor) => {
    expect(anchorOf(LabelSelector.fromObject(object))).toBe(anchor);
  });
});

test('a comparison costs what the labels have, however many labels a selector excludes', () => {
  const excluding = Array.from({ length: 5_000 }, (_, index) => ({ key: `k${index}`, operator: 'DoesNotExist' }));
  const plain = LabelSelector.fromObject({ matchExpressions: excluding });
  const { result, pauses } = takeSteps((work) => SelectorByKey.of(plain, work));
  expect(pauses).toBe(5_000);
  expect(result.units(['a'])).toBe(1);
  expect(result.units(['k1'])).toBe(2);
  expect(result.matches({ k1: 'x' }, ['k1'])).toBe(false);
});
