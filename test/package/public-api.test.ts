import ts from 'typescript';
import { expect, test } from 'vitest';
import { subpaths } from '../../scripts/entries.js';
import { manifest, root } from './project.js';

/**
 * The names that a subpath exports, including types. `npx vitest run test/package -u` rewrites the list; a change
 * affects users, and belongs into the changelog.
 */
test('the public API matches its recorded list', async () => {
  const files = Object.values(subpaths).map((source) => root + source);
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const exportsOf = (source: string): string[] => {
    const file = program.getSourceFile(root + source);
    const symbol = file && checker.getSymbolAtLocation(file);
    if (symbol === undefined) throw new Error(`${source} is not a module`);
    return checker
      .getExportsOfModule(symbol)
      .map((exported) => {
        const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        const isValue = (target.flags & ts.SymbolFlags.Value) !== 0;
        const isType = (target.flags & ts.SymbolFlags.Type) !== 0;
        const isClass = (target.flags & ts.SymbolFlags.Class) !== 0;
        const kind = isClass ? 'class' : isValue ? (isType ? 'both ' : 'value') : 'type ';
        return `  ${isTypeOnly(exported) ? 'type ' : kind} ${exported.name}`;
      })
      .sort();
  };
  const text = Object.entries(subpaths)
    .map(([subpath, source]) => [`${manifest.name}${subpath.slice(1)}`, ...exportsOf(source), ''].join('\n'))
    .join('\n');
  await expect(text).toMatchFileSnapshot('public-api.txt');
}, 120_000);

/** Whether a name is exported with `export type`, which removes the value. */
function isTypeOnly(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some(
    (declaration) => ts.isExportSpecifier(declaration) && ts.isTypeOnlyExportDeclaration(declaration),
  );
}
