/** The last lines of a log: equal to those of the whole text, wherever it is cut, and within the memory. */
import { expect, test } from 'vitest';
import { LastLines } from '../../../src/server/connect/last-lines.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function taken(chunks: Iterable<Uint8Array>, count: number): string {
  const last = new LastLines(count);
  for (const chunk of chunks) last.take(chunk);
  return new TextDecoder().decode(Buffer.concat([...last.lines()]));
}

/** The last lines of a text; a line break at its end begins no line. */
function expected(text: string, count: number): string {
  const lines = text.split(/(?<=\n)/).filter((line) => line !== '');
  return lines.slice(Math.max(0, lines.length - count)).join('');
}

function* cut(text: string, size: number): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += size) yield encode(text.slice(at, at + size));
}

const TEXTS: Readonly<Record<string, string>> = {
  nothing: '',
  'a line break': '\n',
  'a line without its break': 'a',
  'some lines': 'a\nbb\n\nccc\n',
  'some lines and a part': 'a\nbb\n\nccc',
  'lines beyond a block': `${'line of a log\n'.repeat(10_000)}end`,
  'long lines': `${`${'x'.repeat(100_000)}\n`.repeat(5)}`,
  'line breaks beyond a block': '\n'.repeat(70_000),
};

test.each(Object.entries(TEXTS))('of %s', (_, text) => {
  for (const count of [0, 1, 2, 3, 5, 4_681, 19_999, 1_000_000]) {
    const wanted = expected(text, count);
    for (const size of [1_000, 65_536, 1_000_000])
      expect([size, count, taken(cut(text, size), count) === wanted]).toEqual([size, count, true]);
  }
});

test('of single bytes', () => {
  const text = 'a\nbb\n\nccc';
  for (const count of [0, 1, 2, 3, 4, 5]) expect(taken(cut(text, 1), count)).toBe(expected(text, count));
});

test('a long log takes the memory of its last lines', () => {
  let held = 0;
  let most = 0;
  const reserve = (bytes: number): void => {
    held += bytes;
    most = Math.max(most, held);
  };
  const last = new LastLines(100, { reserve, release: (bytes) => void (held -= bytes) });
  for (let index = 0; index < 100_000; index += 1) last.take(encode(`line ${index} of a log\n`));
  expect(most).toBeLessThanOrEqual(3 * 65_536);
  expect(last.heldBytes).toBe(held);
  expect(new TextDecoder().decode(Buffer.concat([...last.lines()])).split('\n')[0]).toBe('line 99900 of a log');
});

test('lines that do not fit into the memory fail', () => {
  let held = 0;
  const reserve = (bytes: number): void => {
    if (held + bytes > 1_000_000) throw new Error('the memory budget is used up');
    held += bytes;
  };
  const last = new LastLines(1_000_000, { reserve, release: (bytes) => void (held -= bytes) });
  const chunk = encode('line of a log\n'.repeat(1_000));
  expect(() => {
    for (let index = 0; index < 100; index += 1) last.take(chunk);
  }).toThrow('the memory budget is used up');
  expect(held).toBeLessThanOrEqual(1_000_000);
});
