import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}node_modules/.cache/documentation/`;

/** A block of code in a document. */
interface Block {
  readonly document: string;
  /** Line of the block's first line of code. */
  readonly line: number;
  /** What stands behind the three backticks. */
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

const documents = [...readdirSync(root).filter((name) => name === 'README.md'), ...readdirSync(`${root}docs`).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const blocks = documents.flatMap(blocksOf);
const snippets = blocks.filter(({ info }) => info.startsWith('ts'));

/** Packages that are optional, and that not every Node can load. */
const optional = ['@kubernetes/client-node'];

async function unavailable(code: string): Promise<string | undefined> {
  for (const name of optional.filter((one) => code.includes(`'${one}'`))) {
    const problem = await import(/* @vite-ignore */ name).then(
      () => undefined,
      (error: unknown) => `${name} cannot be loaded: ${String(error)}`,
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const servers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

describe('what the documentation shows runs', () => {
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  test.for(snippets.map((snippet) => [`${snippet.document}:${snippet.line}`, snippet] as const))('%s', async ([name, { code }], { skip }) => {
    const reason = await unavailable(code);
    if (reason !== undefined) skip(reason);
    const file = `${cache}${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.ts`;
    // Without an import or export a file with await at its top level would be a script.
    writeFileSync(file, `${code}\nexport {};\n`);
    await import(/* @vite-ignore */ file);
    // A socket says that it is closed a moment after the promise of its end.
    await vi.waitFor(() => expect(servers(), 'servers that the snippet left listening').toBe(0));
  });
});

test('no block is kept from running, or escapes by another name', () => {
  const names = ['ts', 'typescript', 'tsx', 'mts', 'js', 'javascript'];
  expect(blocks.filter(({ info }) => names.some((name) => info.startsWith(name)) && info !== 'ts').map(({ document, line, info }) => `${document}:${line} ${info}`)).toEqual([]);
});
