/** Indentation of JSON texts without a parse, against the engine's. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentJson, indentShortJson, indentedChunks } from '../../../src/server/codec/json/indent-json.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';

/** Escapes what stored texts escape. */
const escaped = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const indented = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);

test('is that of the engine, of texts with escaped characters and without', () => {
  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 });
  fc.assert(
    fc.property(value, (json) => {
      const text = JSON.stringify(json);
      for (const form of [text, escaped(text)]) {
        expect(indentJson(form)).toBe(indented(text));
        expect([...indentedChunks(form, UNBOUNDED_WORK)].join('')).toBe(indented(text));
      }
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['empty containers', '{"a":{},"b":[],"c":[{},[]]}'],
  ['marks in strings', String.raw`{"{\"[":"],:\\","\\\\":"\\u00e4"}`],
  ['characters outside of the first plane', JSON.stringify({ a: '\u{1f600}'.repeat(9_000) })],
  ['lone surrogates', JSON.stringify(['\ud800', '\udc00x', '\ud83d\\ude00'])],
  ['a long string', JSON.stringify(['größe'.repeat(20_000), '\\"'.repeat(20_000)])],
])('of %s', (_name, text) => {
  for (const form of [text, escaped(text)]) {
    expect(indentJson(form) === indented(text)).toBe(true);
    expect([...indentedChunks(form, UNBOUNDED_WORK)].join('') === indented(text)).toBe(true);
  }
});

test('of a deep text comes in chunks, with a pause whenever the work asks for one', () => {
  const depth = 4_000;
  const text = `${'['.repeat(depth)}0${']'.repeat(depth)}`;
  const work: Work = { ...UNBOUNDED_WORK, spend: () => true };
  let [length, longest, pauses] = [0, 0, 0];
  for (const chunk of indentedChunks(text, work)) {
    if (chunk === undefined) pauses += 1;
    else [length, longest] = [length + chunk.length, Math.max(longest, chunk.length)];
  }
  // Two spaces a level, on the way down and on the way back.
  expect(length).toBe(text.length + 2 * depth * (depth + 1));
  expect(longest).toBeLessThan(16 * 1024 + 2 * (2 * depth + 2));
  expect(pauses).toBeGreaterThan(length / 40_000);
  expect(indentShortJson(text, 32 * 1024)).toBeUndefined();
});
