import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import * as patchModule from '../../../src/entries/patch.js';

const text = readFileSync(new URL('../../../docs/concepts/patch.md', import.meta.url), 'utf8');

const snippets = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

/** The output of a snippet according to its comments. */
const promised = (snippet: string): string[] => [...snippet.matchAll(/\); \/\/ (.*)/g)].map((match) => match[1] ?? '');

/** Runs a snippet, with its imports and its output replaced. */
function run(snippet: string): string[] {
  const printed: string[] = [];
  const code = ts
    .transpile(snippet.replace(/^import .*$/gm, ''), { target: ts.ScriptTarget.ES2022 })
    .replace(/console\.log/g, 'print');
  new Function('print', ...Object.keys(patchModule), code)(
    (value: unknown) => printed.push(JSON.stringify(value)),
    ...(Object.values(patchModule) as unknown[]),
  );
  return printed;
}

test.each(snippets.map((snippet, index) => [index + 1, snippet] as const))(
  'snippet %i prints what its comments say',
  (_index, snippet) => {
    expect(run(snippet)).toEqual(promised(snippet));
  },
);

test('every function is documented', () => {
  const names = Object.entries(patchModule)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  expect(names.filter((name) => !text.includes(name))).toEqual([]);
  expect(snippets.length).toBe(3);
});
