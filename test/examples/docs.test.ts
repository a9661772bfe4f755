import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXAMPLES } from './program.js';

const DOCS = `${EXAMPLES}../docs/guides/`;
const examples = (extension: string): string[] =>
  readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => readFileSync(EXAMPLES + name, 'utf8'));

const pages = readdirSync(DOCS).filter((name) => name === 'test-server.md' || name.startsWith('migrate-'));

it.each([
  ['go', '.go'],
  ['python', '.py'],
])('every block of %s in the pages about test-server is a part of a tested example', (language, extension) => {
  const files = examples(extension);
  const blocks = pages.flatMap((page) =>
    [...readFileSync(DOCS + page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
      ([, code = '']) => ({ page, code }),
    ),
  );
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks.filter(({ code }) => !files.some((file) => file.includes(code)))).toEqual([]);
});

it('the files to which the pages refer exist', () => {
  const links = pages.flatMap((page) => [...readFileSync(DOCS + page, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]);
  expect(links.length).toBeGreaterThan(5);
  for (const [, link = ''] of links) expect(() => readFileSync(DOCS + link), link).not.toThrow();
});
