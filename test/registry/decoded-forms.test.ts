/** The decoded forms of records are bounded by the memory that they take, not by the length of their texts. */
import { expect, test } from 'vitest';
import { DecodedForms } from '../../src/registry/records/decoded-forms.js';
import { createManualClock, type ManualClock } from '../../src/entries/testing.js';
import { MemoryBudget } from '../../src/storage/memory-budget.js';
import type { StorageRecord } from '../../src/storage/storage.js';

const LENGTH = 90_000;

function recordOf(data: string): StorageRecord {
  const text = `{"kind":"A","metadata":{"name":"a"},"data":${data}}`;
  return { key: '/a', text, modRevision: 1, createRevision: 1, decoded: undefined };
}

const formsOn = (clock: ManualClock): DecodedForms =>
  new DecodedForms(new MemoryBudget({ historyBytes: 32 * 2 ** 20, memoryBytes: 96 * 2 ** 20 }), clock);

/** Reads ten objects; returns how many stay decoded. */
function keptOf(data: string): number {
  const forms = formsOn(createManualClock());
  const records = Array.from({ length: 10 }, () => recordOf(data));
  for (const record of records) forms.read(record);
  return records.filter(({ decoded }) => decoded !== undefined).length;
}

test('ten long strings stay decoded', () => {
  expect(keptOf(JSON.stringify('x'.repeat(LENGTH)))).toBe(10);
});

test('of ten objects of as many characters with a list in every three, two stay', () => {
  expect(keptOf(`[${'[],'.repeat(LENGTH / 3)}[]]`)).toBe(2);
});

test('the newest stays, whatever its size', () => {
  expect(keptOf(`[${'[],'.repeat((20 * LENGTH) / 3)}[]]`)).toBe(1);
});

/** Forms of ten objects, and their records. */
function decoded() {
  const clock = createManualClock();
  const forms = formsOn(clock);
  const records = Array.from({ length: 10 }, () => recordOf(JSON.stringify('x'.repeat(LENGTH))));
  for (const record of records) forms.read(record);
  return { clock, forms, records, left: () => records.filter((record) => record.decoded !== undefined).length };
}

test('they are released when nobody has read them for half a minute, without a timer afterwards', async () => {
  const { clock, forms, records, left } = decoded();
  await clock.advance('29s');
  expect([left(), clock.pending]).toEqual([10, 1]);
  await clock.advance('1s');
  expect([left(), clock.pending]).toEqual([0, 0]);
  for (const record of records) expect(forms.read(record)).toMatchObject({ kind: 'A' });
  expect([left(), clock.pending]).toEqual([10, 1]);
});

test('they stay while they are read', async () => {
  const { clock, forms, records, left } = decoded();
  for (let look = 0; look < 3; look += 1) {
    for (let count = 0; count < 11; count += 1) for (const record of records) forms.read(record);
    await clock.advance('30s');
  }
  expect(left()).toBe(10);
});

test('the few reads of a server for itself do not keep them', async () => {
  const { clock, forms, records, left } = decoded();
  for (const record of records) forms.read(record);
  await clock.advance('30s');
  expect(left()).toBe(0);
});

test('small ones, and those of a closed server, have no timer', () => {
  const clock = createManualClock();
  formsOn(clock).read(recordOf('1'));
  expect(clock.pending).toBe(0);
  const { clock: other, forms } = decoded();
  forms.close();
  expect(other.pending).toBe(0);
});
