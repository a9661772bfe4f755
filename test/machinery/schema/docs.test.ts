import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as schemaModule from '../../../src/entries/schema.js';

const text = readFileSync(new URL('../../../docs/concepts/schema.md', import.meta.url), 'utf8');

const snippets = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

/** The output of a snippet according to its comments. */
const promised = (snippet: string): string[] => [...snippet.matchAll(/\/\/ (.*)/g)].map((match) => match[1] ?? '');

/** Runs a snippet, with its imports and its output replaced. */
function run(snippet: string): unknown[] {
  const printed: unknown[] = [];
  const code = snippet.replace(/^import .*?;$/gms, '').replace(/console\.log/g, 'print');
  const names = Object.keys(schemaModule);
  const values: unknown[] = Object.values(schemaModule);
  new Function('z', 'print', ...names, code)(z, (value: unknown) => printed.push(value), ...values);
  return printed;
}

test.each(snippets.map((snippet, index) => [index + 1, snippet] as const))(
  'snippet %i prints what its comments say',
  (_index, snippet) => {
    const shown = run(snippet).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    const loosely = (line: string): string => line.replace(/[\s'"]/g, '');
    expect(shown.map(loosely)).toEqual(promised(snippet).map(loosely));
  },
);

const values = readFileSync(new URL('../../../docs/reference/meta.md', import.meta.url), 'utf8');

test('every function of the entry is documented, here or on the page of names, quantities, times and errors', () => {
  const functions = Object.entries(schemaModule)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  const missing = functions.filter((name) => !`${text}${values}`.includes(`\`${name}`));
  expect(missing).toEqual([]);
});
