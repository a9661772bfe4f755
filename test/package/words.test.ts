/** Comments and documentation avoid phrases that are wrong or unclear in English, and lines that nobody can read. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sources, textOf } from './project.js';

/** A phrase to avoid, and what to write instead. */
const AVOIDED: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bstop(?:s|ped)? to [a-z]+/i, '"stops watching"'],
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)[a-z]+/i, '"is not a", or "there is no"'],
  [/\banew\b/i, '"again", or "from the beginning"'],
  [/\bproduction\b/i, '"Kubernetes"'],
  [/\bat present\b|\bthe present (?:state|turn|value|version|form|one)\b/i, '"current"'],
];
/** A comment names a thing first, and says then what it does. The descriptions of fields stand beside their names. */
const OPENING = /^What /;
const MAX_LINE = 400;

const COMMENT = /(?<=^|\s)(?:\/\*[^]*?\*\/|\/\/.*$)/gm;

/** The comments of a file, each on one line, with the line on which it begins. */
function commentsOf(path: string): { readonly place: string; readonly text: string }[] {
  const source = textOf(path);
  return [...source.matchAll(COMMENT)].map((match) => ({
    place: `${path}:${source.slice(0, match.index).split('\n').length}`,
    text: match[0]
      .replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }));
}

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'examples/README.md'],
  ...readdirSync(new URL('../../docs/', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
/** The paragraphs of a page, without code. */
const paragraphsOf = (page: string): { readonly place: string; readonly text: string }[] =>
  textOf(page)
    .replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, '')
    .split(/\n\s*\n/)
    .map((text) => ({ place: page, text: text.replaceAll(/\s+/g, ' ') }));

const faultsIn = (texts: readonly { readonly place: string; readonly text: string }[]): string[] =>
  texts.flatMap(({ place, text }) =>
    AVOIDED.flatMap(([phrase, instead]) => {
      const found = phrase.exec(text)?.[0];
      return found === undefined ? [] : [`${place}: "${found}": write ${instead}`];
    }),
  );

const filesBelow = (folder: string): string[] =>
  readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js)$/.test(name))
    .map((name) => `${folder}/${name}`);

test('the comments of source, tests and scripts have no avoided phrases', () => {
  const comments = [...sources, ...filesBelow('test'), ...filesBelow('scripts')].flatMap(commentsOf);
  expect(comments.length).toBeGreaterThan(5_000);
  expect(faultsIn(comments)).toEqual([]);
  const opened = comments.filter(({ place, text }) => OPENING.test(text) && !place.startsWith('src/kinds/types/'));
  expect(opened.map(({ place }) => place)).toEqual([]);
});

test('the documentation has no avoided phrases', () => {
  expect(faultsIn(pages.flatMap(paragraphsOf))).toEqual([]);
});

test('no line of the documentation is longer than a reader can follow', () => {
  const long = pages.flatMap((page) =>
    textOf(page)
      .split('\n')
      .flatMap((line, index) => (line.length > MAX_LINE ? [`${page}:${index + 1}: ${line.length} characters`] : [])),
  );
  expect(long).toEqual([]);
});

test('an avoided phrase is found in any place of a text', () => {
  const text = 'The server stops to watch, since an address is no name.';
  expect(faultsIn([{ place: 'here', text }])).toEqual([
    'here: "stops to watch": write "stops watching"',
    'here: "is no name": write "is not a", or "there is no"',
  ]);
  expect(faultsIn([{ place: 'here', text: 'There is no name, and it is no longer read.' }])).toEqual([]);
});
