import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { problemOf } from './conformance/client-node/usable.js';
import { PATIENCE } from './support/patience.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}node_modules/.cache/documentation/`;

/** A block of code in a document. */
interface Block {
  readonly document: string;
  /** Line of the block's first line of code. */
  readonly line: number;
  /** The text after the three backticks. */
  readonly info: string;
  readonly code: string;
}

function blocksOf(document: string): Block[] {
  const text = readFileSync(root + document, 'utf8');
  return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    document,
    info: match[1] ?? '',
    code: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length + 1,
  }));
}

const documents = [
  ...readdirSync(root).filter((name) => name === 'README.md'),
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
];
const blocks = documents.flatMap(blocksOf);
/** Code with its own hooks and tests: for vitest, which it imports, or for Jest, whose functions are global. */
const isSuite = ({ info, code }: Block): boolean => info === 'jest' || code.includes("from 'vitest'");
/** Code with fixtures of a file, which vitest accepts only at the top of one. */
const hasFileFixtures = ({ code }: Block): boolean => code.includes("'orch-apiserver/testing/vitest'");
const suites = blocks.filter((block) => (block.info === 'ts' || block.info === 'jest') && isSuite(block));
const snippets = blocks.filter((block) => block.info.startsWith('ts') && !isSuite(block));

/** Why a snippet cannot run here: an optional package that it uses is missing, or needs a newer Node. */
function obstacleOf(code: string): string | undefined {
  const name = '@kubernetes/client-node';
  const problem = code.includes(`'${name}'`) ? problemOf(name) : undefined;
  return problem === undefined ? undefined : `${name}: ${problem}`;
}

/** Writes a block into a file that can be imported. @returns the file */
function fileOf({ document, line }: Block, code: string): string {
  const file = `${cache}${`${document}:${line}`.replaceAll(/[^A-Za-z0-9]+/g, '-')}.ts`;
  // Without an import or export, a file with top-level await would be a script.
  writeFileSync(file, `${code}\nexport {};\n`);
  return file;
}

const servers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

rmSync(cache, { recursive: true, force: true });
mkdirSync(cache, { recursive: true });
for (const suite of suites.filter(hasFileFixtures)) await import(/* @vite-ignore */ fileOf(suite, suite.code));

describe("the documentation's snippets run", () => {
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  test.for(snippets.map((snippet) => [`${snippet.document}:${snippet.line}`, snippet] as const))(
    '%s',
    async ([, snippet], { skip }) => {
      const obstacle = obstacleOf(snippet.code);
      if (obstacle !== undefined) skip(obstacle);
      await import(/* @vite-ignore */ fileOf(snippet, snippet.code));
      // A socket is reported as closed shortly after its promise settles.
      await vi.waitFor(() => expect(servers(), 'servers that the snippet left listening').toBe(0), PATIENCE);
    },
  );

  // Tests that the code registers during its import belong to the group that imports it.
  const grouped = suites.filter((suite) => !hasFileFixtures(suite));
  describe.each(grouped.map((suite) => [`${suite.document}:${suite.line}`, suite] as const))(
    '%s',
    async (_name, suite) => {
      const globals =
        suite.info === 'jest'
          ? "import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';\n"
          : '';
      await import(/* @vite-ignore */ fileOf(suite, globals + suite.code));
    },
  );

  test('there are test groups for vitest and for Jest', () => {
    expect(new Set(suites.map(({ info }) => info))).toEqual(new Set(['ts', 'jest']));
  });
});

test('no block is excluded from running, or marked with another name', () => {
  const names = ['ts', 'typescript', 'tsx', 'mts', 'js', 'javascript'];
  expect(
    blocks
      .filter(({ info }) => names.some((name) => info.startsWith(name)) && info !== 'ts')
      .map(({ document, line, info }) => `${document}:${line} ${info}`),
  ).toEqual([]);
});
