import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SLOW_TESTS, slowFirst } from '../../scripts/test-order.js';
import { root } from './project.js';

test('the test files that are known as slow exist', () => {
  expect(SLOW_TESTS.filter((path) => !existsSync(root + path))).toEqual([]);
});

test('they run before all others, the slowest first', () => {
  const [slowest = '', next = ''] = SLOW_TESTS;
  const sorted = slowFirst(['test/b.test.ts', next, 'test/a.test.ts', slowest], (path) => path);
  expect(sorted).toEqual([slowest, next, 'test/b.test.ts', 'test/a.test.ts']);
});
