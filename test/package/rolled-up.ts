import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { rollUpDeclarations } from '../../scripts/declarations.js';
import { subpaths } from '../../scripts/entries.js';
import { manifest, root } from './project.js';

/** How a program that uses the package is compiled. */
export const consumerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  exactOptionalPropertyTypes: true,
};

/** The declarations of the package as the build makes them, installed for programs that use them. */
export class RolledUpDeclarations {
  /** @param folder of a project that uses the package @param made what the compiler made for each file of the source */
  private constructor(
    private readonly folder: string,
    readonly made: string,
  ) {}

  static async make(): Promise<RolledUpDeclarations> {
    // Below the packages that declarations import. The compiler's own are not: what is there belongs to packages.
    const cache = join(root, 'node_modules/.cache');
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, 'declarations-'));
    const made = mkdtempSync(join(tmpdir(), 'declarations-'));
    const rolled = new RolledUpDeclarations(folder, made);
    declare(made);
    // Rolling up changes them.
    cpSync(made, `${made}-rolled`, { recursive: true });
    await rollUpDeclarations(`${made}-rolled`, join(rolled.package, 'dist'));
    cpSync(join(root, 'package.json'), join(rolled.package, 'package.json'));
    // The project that uses it is another one.
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    return rolled;
  }

  get package(): string {
    return join(this.folder, 'node_modules', manifest.name);
  }

  /** A program with one file that imports the package. All declarations are checked. */
  program(text: string, options: ts.CompilerOptions): ts.Program {
    const consumer = join(this.folder, 'consumer.mts');
    writeFileSync(consumer, text);
    return ts.createProgram([consumer], { ...consumerOptions, ...options, noEmit: true, skipLibCheck: false });
  }

  /** The compiler's errors in the program and in the declarations of the package; the types of others are not checked. */
  problemsOf(program: ts.Program): string[] {
    const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(this.folder));
    const found = own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    return [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...found].map(
      ({ file, messageText }) =>
        `${file?.fileName.slice(this.folder.length) ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  }

  remove(): void {
    for (const folder of [this.folder, this.made, `${this.made}-rolled`]) rmSync(folder, { recursive: true });
  }
}

/** Declares every file of the source that an entry needs, as the build does. The source is checked elsewhere. */
function declare(target: string): void {
  const program = ts.createProgram(
    Object.values(subpaths).map((source) => root + source),
    {
      ...consumerOptions,
      lib: ['lib.es2023.d.ts', 'lib.webworker.d.ts', 'lib.webworker.asynciterable.d.ts', 'lib.esnext.disposable.d.ts'],
      types: ['node'],
      typeRoots: [`${root}node_modules/@types`],
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      skipLibCheck: true,
      noCheck: true,
      rootDir: join(root, 'src'),
      outDir: target,
    },
  );
  program.emit();
}

/** The declarations in a folder, with their comments, as they read wherever they are: without modifiers and places. */
export const declarationsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
      const renamed = [...text.matchAll(/\b(\w+) as (\w+)\b(?=[^{}]*\} from )/g)];
      return file.statements
        .filter((node) => !ts.isImportDeclaration(node) && !ts.isExportDeclaration(node))
        .map((node) =>
          renamed.reduce(
            (declaration, [, name, alias]) => declaration.replaceAll(new RegExp(`\\b${alias}\\b`, 'g'), name ?? ''),
            withoutPlaces(node.getFullText()),
          ),
        );
    });

/** `export type A = import("./b.js").B` in one file is `type A = B`, or `type A = B$1`, in a file of several. */
const withoutPlaces = (text: string): string =>
  text
    .replace(/\/\*\*(?:(?!\*\/)[\s\S])*?@module[\s\S]*?\*\//, '')
    .trim()
    .replace(/^((?:\/\*[\s\S]*?\*\/\s*)*)(?:export |declare )+/, '$1')
    .replaceAll(/import\(["'](\w+)["']\)(?!\.)/g, '$1')
    .replaceAll(/import\(["'][^)]*["']\)\./g, '')
    .replaceAll(/\b\w+\.(?=[$A-Z])/g, '')
    .replaceAll(/(\w)\$\d+\b/g, '$1');
