import { unitsOf } from '../../support/units.js';
import { expect, test } from 'vitest';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { FieldSetError, keyElement, parseElement, pathText } from '../../../src/machinery/apply/fieldpath/element.js';
import { inOrder, LEAF, type MutableFieldSet } from '../../../src/machinery/apply/fieldpath/fieldset.js';
import { fromFieldsV1, fromFieldsV1InSteps } from '../../../src/machinery/apply/fieldpath/fields-v1.js';
import { Walk } from '../../../src/machinery/apply/fieldpath/walk.js';

const lastNumber = (element: string): number => Number(/(\d+)\}$/.exec(element)?.[1]);

test.each([
  [
    'members',
    (count: number) => `k:{${Array.from({ length: count }, (_, index) => `"a${100_000 + index}":1`).join()}}`,
  ],
  ['items', (count: number) => `v:[${Array.from({ length: count }, () => '1').join()}]`],
  ['values within each other', (count: number) => `v:${'['.repeat(count)}${']'.repeat(count)}`],
])('rejects an element of more than 100 values: %s', async (_name, text) => {
  const rejected = new FieldSetError('cannot read a path element of more than 100 values');
  expect(parseElement(text(90))).toBe(text(90));
  const long = text(100_000);
  expect(() => parseElement(long)).toThrow(rejected);
  expect(() => fromFieldsV1({ [long]: {} })).toThrow(rejected);
  expect(() => atOnce(fromFieldsV1InSteps(new Walk(UNBOUNDED_WORK), { [long]: {} }))).toThrow(rejected);
  // Neither parsed nor shown.
  expect(await unitsOf(() => expect(() => parseElement(long)).toThrow(rejected))).toBeLessThan(10_000);
});

test('shows the beginning of an element of more than 100 values, as an item of the wrong type may have', () => {
  const values = (count: number): number[] => Array.from({ length: count }, () => 1);
  expect(pathText(['f:items', keyElement({ name: values(3) })])).toBe('.items[name=[1,1,1]]');
  const text = pathText(['f:items', keyElement({ name: values(50_000) }), 'f:name']);
  expect(text).toMatch(/^\.items\[\{"name":\[1,1,1,1,.*\]\.name$/);
  expect(text.length).toBeLessThan(20_000);
});

test('counts no values in the texts of an element', () => {
  const text = `v:${JSON.stringify('[{,"\\'.repeat(1_000))}`;
  expect(parseElement(text)).toBe(text);
});

test('orders elements of many equal keys by sorting the keys of each once', async () => {
  const keys = Array.from({ length: 80 }, (_, index) => `"a${100 + index}":1`).join();
  const elements = Array.from({ length: 500 }, (_, index) => `k:{${keys},"b":${(index * 7919) % 500}}`);
  const set: MutableFieldSet = {};
  for (const element of elements) set[element] = LEAF;
  const units = await unitsOf(() => inOrder(set));
  expect(Object.keys(inOrder(set))).toEqual(Object.keys(set).sort((a, b) => lastNumber(a) - lastNumber(b)));
  // About 4,500 comparisons of 81 keys, at about a dozen units each.
  expect(units).toBeLessThan(4_500 * 81 * 20);
});
