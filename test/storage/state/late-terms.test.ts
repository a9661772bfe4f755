/** Records whose terms take steps to find: until they are known, such a record may match anything. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StorageQuery, StorageRecord, StorageTerms } from '../../../src/entries/storage.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import type { MaybeSteps, Steps, Work } from '../../../src/foundation/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { ManualClock } from '../manual-clock.js';

const PREFIX = '/registry/samples/';

const isLong = (text: string): boolean => text.startsWith('~');

function readTerms(text: string): StorageTerms {
  const pairs = text.replace('~', '').split(',');
  return Object.fromEntries(pairs.filter((pair) => pair !== '').map((pair) => pair.split('=') as [string, string]));
}

function* inSteps(text: string, work: Work): Steps<StorageTerms> {
  for (let steps = 0; steps < 3; steps += 1) if (work.spend(512)) yield;
  return readTerms(text);
}

const termsOf = ({ text }: StorageRecord, work: Work): MaybeSteps<StorageTerms> =>
  isLong(text) ? inSteps(text, work) : readTerms(text);

const matches = ({ text }: StorageRecord, { requirements }: StorageQuery): boolean =>
  requirements.every(({ attribute, values, negated = false }) => {
    const value = readTerms(text)[attribute];
    return (value !== undefined && (values === undefined || values.includes(value))) !== negated;
  });

/** A write of a key, or a turn of the event loop. */
type Step = 'turn' | { readonly key: string; readonly text: string | undefined };

const write = fc.record({
  key: fc.nat(12).map((name) => `${PREFIX}${name}`),
  text: fc.option(
    fc.tuple(fc.constantFrom('', '~', '~'), fc.nat(2), fc.nat(3)).map(([mark, a, b]) => `${mark}a=${a},b=${b}`),
    { nil: undefined, freq: 4 },
  ),
});
const steps: fc.Arbitrary<Step[]> = fc.array(fc.oneof<fc.Arbitrary<Step>[]>(write, fc.constant('turn')), {
  maxLength: 60,
});
const queries: fc.Arbitrary<StorageQuery> = fc.record({
  prefix: fc.constant(PREFIX),
  requirements: fc.array(
    fc.record({
      attribute: fc.constantFrom('a', 'b'),
      values: fc.constantFrom(['0'], ['1', '2']),
      negated: fc.boolean(),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});

test('a long record is found until its terms are known, and then by them alone', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, queries, async (before, after, query) => {
      const storage = createMemoryStorage({ clock: new ManualClock() });
      const take = async (step: Step): Promise<void> => {
        if (step === 'turn') return nextTurn();
        const { key, text } = step;
        const { record } = await storage.get(key);
        if (text !== undefined && record === undefined) await storage.create(key, () => text);
        else if (text !== undefined && record !== undefined) await storage.update(key, () => text, record.modRevision);
        else if (record !== undefined) await storage.delete(key, () => record.text, record.modRevision);
      };
      for (const step of before) await take(step);
      const index = storage.index?.(PREFIX, termsOf);
      const find = async () => {
        const { records: all } = await storage.list(PREFIX);
        const found = await index?.find(query);
        return { all, found: found?.records.map(({ key }) => key) ?? [], exact: found?.exact };
      };
      await find();
      for (const step of after) {
        await take(step);
        const { all, found, exact } = await find();
        const expected = all.filter(
          (record) => found.includes(record.key) && (isLong(record.text) || matches(record, query)),
        );
        expect(found).toEqual(expected.map(({ key }) => key));
        expect(found).toEqual(
          expect.arrayContaining(all.filter((record) => matches(record, query)).map(({ key }) => key)),
        );
        if (exact === true) expect(found).toHaveLength(all.filter((record) => matches(record, query)).length);
      }
      for (let turns = 0; turns < 200 && (await find()).exact !== true; turns += 1) await nextTurn();
      const { all, found, exact } = await find();
      expect(exact).toBe(true);
      expect(found).toEqual(all.filter((record) => matches(record, query)).map(({ key }) => key));
    }),
    { numRuns: 150 },
  );
});
