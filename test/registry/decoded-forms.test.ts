/** The decoded forms of records are bounded by the memory that they take, not by the length of their texts. */
import { expect, test } from 'vitest';
import { DecodedForms } from '../../src/registry/records/decoded-forms.js';
import { MemoryBudget } from '../../src/storage/memory-budget.js';
import type { StorageRecord } from '../../src/storage/storage.js';

const LENGTH = 90_000;

function recordOf(data: string): StorageRecord {
  const text = `{"kind":"A","metadata":{"name":"a"},"data":${data}}`;
  return { key: '/a', text, modRevision: 1, createRevision: 1, decoded: undefined };
}

/** Reads ten objects; returns how many stay decoded. */
function keptOf(data: string): number {
  const forms = new DecodedForms(new MemoryBudget({ historyBytes: 32 * 2 ** 20, memoryBytes: 96 * 2 ** 20 }));
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
