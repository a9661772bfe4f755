/** The first pages tell a new user what is needed, which dialect to choose, and how TypeScript takes the package. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';

const page = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const README = page('README.md');

describe('README.md', () => {
  it('installs the dependencies of a clone before it starts the server', () => {
    expect(README).toMatch(/after `npm ci`:\n\n```sh server\nnpm start/);
  });

  it('explains the dialects before the first snippet of code', () => {
    const start = README.slice(0, README.indexOf('```ts\n'));
    for (const word of ['dialect', '`orch`', '`kubernetes`', 'kubectl', 'official clients'])
      expect(start).toContain(word);
  });

  it('names the exceptions where it says that nothing but Node is needed', () => {
    const [, needs = ''] = /(It needs Node [^]*?)\n\n/.exec(README) ?? [];
    for (const word of ['libsql', 'Node 22.13', '`await using`', 'Node 24', 'test.close()'])
      expect(needs).toContain(word);
  });
});

/** An ES module that CommonJS would require; a module that is not found, or has no types. */
const IMPORT_ERRORS: ReadonlySet<number> = new Set([1479, 2307, 7016]);

describe('TypeScript in a CommonJS project', () => {
  /** Returns the codes of the errors of an import of a package that consists of ES modules. */
  function errorsOf(module: ts.ModuleKind, code: string): number[] {
    const folder = mkdtempSync(join(tmpdir(), 'commonjs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const installed = join(folder, 'node_modules', 'orch-apiserver');
    mkdirSync(installed, { recursive: true });
    const { type } = JSON.parse(page('package.json')) as { readonly type: string };
    const exported = { '.': { types: './index.d.ts', default: './index.js' } };
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'orch-apiserver', type, exports: exported }));
    writeFileSync(join(installed, 'index.d.ts'), 'export declare class ApiServer {}\n');
    writeFileSync(join(folder, 'package.json'), '{}');
    const file = join(folder, 'main.ts');
    writeFileSync(file, code);
    // Without the library of the language, which takes seconds to check; its absence has errors of its own.
    const program = ts.createProgram([file], { module, noLib: true, noEmit: true, types: [] });
    const found = program.getSemanticDiagnostics(program.getSourceFile(file)).map(({ code: number }) => number);
    return found.filter((number) => IMPORT_ERRORS.has(number));
  }
  const IMPORT = `import { ApiServer } from 'orch-apiserver';\nnew ApiServer();\n`;

  it('takes the package with the settings that the page recommends, and with the others as it says', () => {
    const text = page('docs/guides/getting-started.md');
    for (const word of ['TS1479', '"node16"', '"node20"', '"nodenext"', "await import('orch-apiserver')"])
      expect(text).toContain(word);
    expect(errorsOf(ts.ModuleKind.Node16, IMPORT)).toEqual([1479]);
    expect(errorsOf(ts.ModuleKind.Node20, IMPORT)).toEqual([]);
    expect(errorsOf(ts.ModuleKind.NodeNext, IMPORT)).toEqual([]);
    const dynamic = `export const made = async () => new (await import('orch-apiserver')).ApiServer();\n`;
    expect(errorsOf(ts.ModuleKind.Node16, dynamic)).toEqual([]);
  });
});

it('the pages say what to do with version 2 of the official client on an older Node, and which gate a list by watch needs', () => {
  const client = page('docs/reference/client.md');
  expect(client).toMatch(
    /Version 2 needs Node 22\.19[^]*TypeError of undici[^]*npm install @kubernetes\/client-node@1/,
  );
  expect(client).toContain('`sendInitialEvents` needs the feature gate `WatchList`');
});
