import { expect, test } from 'vitest';
import { selects } from '../../../src/kinds/builtin/shared/selectors/label-selectors.js';
import { takeSteps } from '../../support/steps.js';

const COUNT = 2_000;
const numbers = Array.from({ length: COUNT }, (_, index) => index);
const labels = Object.fromEntries(numbers.map((index) => [`k${index}`, 'v']));
const exists = numbers.map((index) => ({ key: `k${index}`, operator: 'Exists' }));

test.each([
  ['labels', { matchLabels: labels }, true],
  ['labels and another', { matchLabels: { ...labels, more: 'v' } }, false],
  ['an invalid label', { matchLabels: { ...labels, '-': 'v' } }, undefined],
  ['expressions', { matchExpressions: exists }, true],
  ['expressions and another', { matchExpressions: [...exists, { key: 'k1', operator: 'DoesNotExist' }] }, false],
  ['an invalid expression', { matchExpressions: [...exists, { key: 'k1', operator: 'Is' }] }, undefined],
])('a selector with many %s is compared with labels in steps', (_name, selector, expected) => {
  const { result, pauses } = takeSteps((work) => selects(selector, labels, work));
  expect(result).toBe(expected);
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
});
