/** Rows of Tables as parts that are used at any time. */
import { expect, test } from 'vitest';
import { CellTexts, TimedText, rowText } from '../../../src/server/codec/table/row-text.js';
import type { Cell, Column, TimedCell } from '../../../src/registry/definition/definition.js';

const column = (name: string, cell: () => Cell | TimedCell): Column => ({ name, type: 'string', cell });
const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'o' } };

/** The rows at a time. */
function rowsAt(rows: readonly TimedText[], nowMs: number): string {
  const cells = new CellTexts(nowMs);
  let text = '';
  const add = (part: string): void => void (text += part);
  rows.forEach((row, index) => row.addTo(add, add, cells, index === 0));
  return text;
}

test('a row has the cells of each time', () => {
  const row = rowText(object, '{"a":1}', [
    column('Age', () => (nowMs) => `${nowMs}ms`),
    column('Name', () => 'o'),
    column('Late', () => (nowMs) => nowMs > 5),
  ]);
  if (!(row instanceof TimedText)) throw new Error('no cell changes with the time');
  for (const nowMs of [1, 9]) {
    const expected = `{"cells":["${nowMs}ms","o",${nowMs > 5}],"object":{"a":1}}`;
    expect(rowsAt([row, row], nowMs)).toBe(`${expected},${expected}`);
  }
});

test('a row without such cells is a text', () => {
  expect(rowText(object, 'null', [column('Name', () => 'o')])).toBe('{"cells":["o"],"object":null}');
});

test('cells of different types are different', () => {
  const cells = new CellTexts(0);
  const texts = [1, '1', true, 'true', null, 'null', 0, ''].map((cell) => cells.at(() => cell));
  expect(texts).toEqual(['1', '"1"', 'true', '"true"', 'null', '"null"', '0', '""']);
  expect(cells.at(() => 'größer')).toBe('"größer"');
  // More texts than are shared.
  for (let cell = 0; cell < 3_000; cell += 1) expect(cells.at(() => cell)).toBe(String(cell));
});
