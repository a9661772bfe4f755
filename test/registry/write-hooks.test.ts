import { expect, test } from 'vitest';
import { finishing, type WriteOutcome } from '../../src/registry/writes/write-hooks.js';
import { StorageError } from '../../src/storage/storage.js';

/** The outcomes that a hook learns of a write. */
async function outcomesOf(write: () => Promise<boolean>): Promise<WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  await finishing(
    (outcome) => void outcomes.push(outcome),
    write,
    (isStored) => isStored,
  ).catch(() => undefined);
  return outcomes;
}

test.each<[WriteOutcome, string, () => Promise<boolean>]>([
  ['stored', 'stores its object', () => Promise.resolve(true)],
  ['refused', 'loses a race', () => Promise.resolve(false)],
  ['refused', 'is invalid', () => Promise.reject(new Error('invalid'))],
  ['refused', 'conflicts', () => Promise.reject(new StorageError('Conflict'))],
  ['unknown', 'has no answer of the storage', () => Promise.reject(new StorageError('Unavailable'))],
])('a hook learns once that the outcome is %s when the write %s', async (outcome, _what, write) => {
  expect(await outcomesOf(write)).toEqual([outcome]);
});

test('the error of the write is passed on after the hook has ended', async () => {
  const failing = finishing(
    () => Promise.resolve(),
    () => Promise.reject(new Error('invalid')),
    () => true,
  );
  await expect(failing).rejects.toThrow('invalid');
});
