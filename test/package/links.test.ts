/** Links of the documentation: every link reaches a file, and every page is linked. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
/** On npm, only absolute links in the README work. */
const REPOSITORY = 'https://github.com/orch-io/orch-apiserver/blob/main/';
const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...docs.map((name) => `docs/${name}`),
];

/** Links of a page into the repository, as files. */
function linksOf(page: string): { readonly link: string; readonly file: URL }[] {
  const text = readFileSync(new URL(page, root), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (link.startsWith(REPOSITORY)) return [{ link, file: new URL(link.slice(REPOSITORY.length), root) }];
    return /^(?:https?:|#)/.test(link) ? [] : [{ link, file: new URL(link, new URL(page, root)) }];
  });
}

/** Anchor of a heading, as GitHub generates it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\- ]/gu, '')
    .replaceAll(' ', '-');

function problemOf(file: URL): string | undefined {
  const anchor = file.hash.slice(1);
  const plain = new URL(file);
  plain.hash = '';
  if (!existsSync(plain)) return 'no such file';
  if (anchor === '' || !plain.pathname.endsWith('.md')) return undefined;
  const headings = [...readFileSync(plain, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  );
  return headings.includes(anchor) ? undefined : `no heading ${anchor}`;
}

test.each(pages)('every link of %s reaches its file and heading', (page) => {
  const broken = linksOf(page).map(({ link, file }) => [link, problemOf(file)]);
  expect(broken.filter(([, problem]) => problem !== undefined)).toEqual([]);
});

test('links of the README are absolute, so that they work on npm', () => {
  const text = readFileSync(new URL('README.md', root), 'utf8');
  expect([...text.matchAll(/\]\((?!https?:)([^)]*)\)/g)].map(([, link]) => link)).toEqual([]);
});

test('the index has every page', () => {
  const listed = new Set(linksOf('docs/README.md').map(({ file }) => fileURLToPath(file)));
  const missing = docs.filter(
    (name) => name !== 'README.md' && !listed.has(fileURLToPath(new URL(`docs/${name}`, root))),
  );
  expect(missing).toEqual([]);
});
