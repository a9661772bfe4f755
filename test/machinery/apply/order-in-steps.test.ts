import { expect, test } from 'vitest';
import { inOrder, LEAF, type MutableFieldSet } from '../../../src/machinery/apply/fieldpath/fieldset.js';
import { inOrderInSteps } from '../../../src/machinery/apply/fieldpath/set-steps.js';
import { Walk } from '../../../src/machinery/apply/fieldpath/walk.js';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';

test('many items of a list are brought into order with pauses, as without them', () => {
  const node: MutableFieldSet = {};
  for (let index = 0; index < 5_000; index += 1) node[`v:"${(index * 7919) % 5_000}"`] = LEAF;
  for (let index = 0; index < 100; index += 1) node[`f:${(index * 37) % 100}`] = LEAF;
  let units = 0;
  const work = { ...UNBOUNDED_WORK, spend: (spent: number) => (units += spent) > 0 };
  const steps = inOrderInSteps(new Walk(work), node);
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses += 1;
  expect(Object.keys(step.value)).toEqual(Object.keys(inOrder(node)));
  expect(pauses).toBeGreaterThan(3 * 5_000);
  // Sorting: a unit for each comparison of a merge.
  expect(units / 5_100).toBeLessThan(64);
});
