import { expect, test } from 'vitest';
import type { ManagedFieldsEntry } from '../../../src/foundation/objects/object.js';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { CapManagers } from '../../../src/machinery/apply/managers/cap-managers.js';
import type { FieldManagerRule, UpdateOperation } from '../../../src/machinery/apply/managers/chain.js';
import {
  decodeManagedFields,
  encodedManagers,
  encodeManagedFields,
} from '../../../src/machinery/apply/managers/entries.js';
import { paceOf } from '../../../src/machinery/apply/merge/pace.js';
import { takeSteps } from '../../support/steps.js';

const COUNT = 5_000;

const time = (index: number): string => new Date(index * 1_000).toISOString().replace('.000', '');
const entries: ManagedFieldsEntry[] = Array.from({ length: COUNT }, (_, index) => ({
  ...{ manager: `m${index}`, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
  ...{ time: time((index * 7919) % COUNT), fieldsV1: { 'f:data': {} } },
}));
const managers = decodeManagedFields(entries);

test('the records of many managers are brought into order with pauses, as without them', () => {
  const { result, pauses } = takeSteps((work) => encodedManagers(managers, paceOf(work)));
  expect(result).toEqual(encodeManagedFields(managers));
  expect(pauses).toBeGreaterThan(2 * COUNT);
});

test('the oldest of many updates are merged with pauses, as without them', () => {
  const next = {
    *update() {
      return managers;
    },
  } as unknown as FieldManagerRule;
  const cap = new CapManagers(next, 10);
  const operation = (work: typeof UNBOUNDED_WORK): UpdateOperation => ({ pace: paceOf(work) }) as UpdateOperation;
  const { result, pauses } = takeSteps((work) => cap.update(operation(work)));
  expect(result.size).toBe(10);
  expect([...result.values()].find(({ manager }) => manager === 'ancient-changes')?.time).toBe(time(COUNT - 10));
  expect(pauses).toBeGreaterThan(5 * COUNT);
});
