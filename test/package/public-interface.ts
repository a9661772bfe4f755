import ts from 'typescript';
import { subpaths } from '../../scripts/entries.js';
import { manifest, root } from './project.js';

/** A name that an entry exports. */
export interface ExportedName {
  readonly name: string;
  /** The symbol of its declarations, wherever they are. */
  readonly target: ts.Symbol;
  /** The uses of the name: `both` is a value and a type; a class is both as well. */
  readonly kind: 'class' | 'both' | 'value' | 'type';
}

/** A public entry of the package. */
export interface PublicEntry {
  /** The name that users import: `orch-apiserver/storage/memory`. */
  readonly specifier: string;
  readonly subpath: string;
  /** Sorted by name. */
  readonly names: readonly ExportedName[];
}

/** The public interface as the compiler finds it. */
export interface PublicInterface {
  readonly program: ts.Program;
  readonly entries: readonly PublicEntry[];
}

/** Reads all public entries with the options of the build. Takes several seconds. */
export function readPublicInterface(): PublicInterface {
  const program = ts.createProgram(
    Object.values(subpaths).map((source) => root + source),
    buildOptions(),
  );
  return { program, entries: readEntries(program, (subpath) => `${root}${subpaths[subpath] ?? ''}`) };
}

/** Reads all public entries of a program. @param fileOf the file of an entry, by its subpath */
export function readEntries(program: ts.Program, fileOf: (subpath: string) => string): PublicEntry[] {
  const checker = program.getTypeChecker();
  return Object.keys(subpaths).map((subpath) => {
    const file = program.getSourceFile(fileOf(subpath));
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${fileOf(subpath)} is not a module`);
    const names = checker.getExportsOfModule(module).map((exported) => {
      const target = targetOf(exported, checker);
      return { name: exported.name, target, kind: isTypeOnly(exported) ? ('type' as const) : kindOf(target, checker) };
    });
    return { specifier: `${manifest.name}${subpath.slice(1)}`, subpath, names: names.sort(byName) };
  });
}

/** The names of each entry with their kinds, as public-api.txt records them. */
export const namesOf = (entries: readonly PublicEntry[]): string =>
  entries
    .map(({ specifier, names }) =>
      [specifier, ...names.map(({ name, kind }) => `  ${kind.padEnd(5)} ${name}`).sort(), ''].join('\n'),
    )
    .join('\n');

/** The symbol that an import or a re-export stands for. */
export function targetOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Whether a symbol is a module: what `export * as name` makes. */
export const isNamespace = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.ValueModule) !== 0;

/** Orders by the code units of the names, the same on every machine. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** The options of `tsconfig.build.json`, without comments in the declarations. The source is checked elsewhere. */
function buildOptions(): ts.CompilerOptions {
  const config = ts.getParsedCommandLineOfConfigFile(
    `${root}tsconfig.build.json`,
    { removeComments: true, noCheck: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
      },
    },
  );
  if (config === undefined) throw new Error('tsconfig.build.json cannot be read');
  return config.options;
}

function kindOf(target: ts.Symbol, checker: ts.TypeChecker): ExportedName['kind'] {
  if (isNamespace(target)) return hasValues(target, checker) ? 'value' : 'type';
  if (target.flags & ts.SymbolFlags.Class) return 'class';
  const isType = (target.flags & ts.SymbolFlags.Type) !== 0;
  if ((target.flags & ts.SymbolFlags.Value) === 0) return 'type';
  return isType ? 'both' : 'value';
}

/** Whether a namespace has a value: one of types alone does not exist at run time. */
function hasValues(namespace: ts.Symbol, checker: ts.TypeChecker): boolean {
  return checker
    .getExportsOfModule(namespace)
    .some((exported) => !isTypeOnly(exported) && kindOf(targetOf(exported, checker), checker) !== 'type');
}

/** Whether a name is exported with `export type`, which removes the value. */
function isTypeOnly(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some(
    (declaration) =>
      (ts.isExportSpecifier(declaration) || ts.isNamespaceExport(declaration)) &&
      ts.isTypeOnlyExportDeclaration(declaration),
  );
}
