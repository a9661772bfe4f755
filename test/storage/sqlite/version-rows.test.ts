import { expect, test } from 'vitest';
import { insertionOf, type Version } from '../../../src/storage/sqlite/version-rows.js';

const version = (revision: number, text: string): Version => ({
  ...{ revision, type: 'create', createRevision: revision, writtenAt: 0, expiresAt: null },
  ...{ key: `/k${revision}`, text },
});

/** Returns how many versions were converted when others were served for the first time. */
async function convertedAtOnce(texts: readonly string[]): Promise<number> {
  let converted = 0;
  const versions = texts.map((text, index) => ({
    ...version(index + 1, text),
    get key() {
      converted = Math.max(converted, index + 1);
      return `/k${index + 1}`;
    },
  }));
  const insertion = insertionOf(versions);
  const atOnce = converted;
  expect((await insertion).length).toBeGreaterThan(0);
  expect(converted).toBe(texts.length);
  return atOnce;
}

test('long texts are converted in several turns', async () => {
  const long = 'x'.repeat(600_000);
  expect(await convertedAtOnce([long, long, long, long])).toBe(2);
  expect(await convertedAtOnce(['a', 'b', 'c', long])).toBe(4);
});

test.each<readonly [name: string, text: string, code: number, stored: string]>([
  ['ASCII', '{"a":"b\x7f"}', 0, '{"a":"b\x7f"}'],
  ['other characters', '{"a":"é😀"}', 4, '{"a":"é😀"}'],
  ['NUL', 'a\0b', 8, '"a\\u0000b"'],
  ['a lone surrogate', 'a\ud800', 8, '"a\\ud800"'],
])('a text with %s has its form', async (_name, text, code, stored) => {
  const [, , storedCode, , , , , , storedText] = (await insertionOf([version(1, text)]))[0] ?? [];
  expect({ code: storedCode, text: storedText }).toEqual({ code, text: stored });
});

test('versions have their rows in order, in batches', async () => {
  const steps = await insertionOf(Array.from({ length: 42 }, (_, index) => version(index + 1, `t${index + 1}`)));
  expect(steps.map(([, ...values]) => values.length / 8)).toEqual([32, 8, 1, 1]);
  expect(steps.flatMap(([, ...values]) => values.filter((_, at) => at % 8 === 0))).toEqual(
    Array.from({ length: 42 }, (_, index) => index + 1),
  );
});
