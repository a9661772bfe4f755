/**
 * The last step of the build: rolls the declarations up, which the compiler has made file by file in dist/declarations,
 * to one file for each entry, and one for each part that entries share.
 *
 *     node scripts/declarations.js
 */
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';
import { declarationsBehindDoors, isDoor } from './doors.js';
import { outputOf, subpaths } from './entries.js';
import { loadedBy } from './modules.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The comment on a module, which has no place in a file of several. */
const ON_MODULE = /^\/\*\*(?:(?!\*\/)[\s\S])*?@module[\s\S]*?\*\/\n/;

/** Rooms whose declarations need the types of Node: who imports another part has no need of these. */
const ON_NODE = ['transport/node/'];

/**
 * Where the types of the built-in kinds are, in one file for each version of a group. They stay apart, for kinds of
 * several versions have the same names: in one file, the compiler would show them to users as `Name$1`.
 */
const KINDS = 'kinds/types/';

/** Exports all types of a version under a name, in the index of the kinds. */
const NAMESPACE = /^export type \* as \w+ from '\.\/[\w-]+\.js';\n/gm;

/**
 * Rolls declarations up.
 *
 * @param made the folder of those that the compiler made, which are changed: each has the path of its source
 * @param target where `ENTRY.d.ts` is written for each entry, and `types/PART.d.ts` for what entries share
 */
export async function rollUpDeclarations(made, target) {
  openDoors(made);
  const placeOf = (id) => relative(made, id).replaceAll(sep, '/');
  const input = inputOf(made);
  const comments = new Map(Object.entries(input).map(([name, file]) => [name, take(file, ON_MODULE)]));
  for (const file of declarationFiles(made)) take(file, ON_MODULE);
  const namespaces = partNamespaces(made);
  const types = typesExportedBy(input);
  // Its last hook lets entries import what they share from each other: who uses a small one would read the largest.
  const { generateBundle: _, ...reader } = dts({ tsconfig: false, compilerOptions });
  const bundle = await rollup({
    input,
    external: (id) => !id.startsWith('.') && !id.startsWith(made),
    plugins: [reader],
    onLog: refuseCircles,
  });
  let users;
  await bundle.write({
    dir: target,
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'types/[name].d.ts',
    banner: ({ isEntry, name }) => (isEntry ? comments.get(name) : ''),
    footer: ({ isEntry, name }) => (isEntry && name === 'kinds' ? namespaces : ''),
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (id, { getModuleInfo }) => {
      users ??= usersOf(input, getModuleInfo);
      return users.get(id) > 1 ? partOf(placeOf(id)) : undefined;
    },
    plugins: [
      {
        name: 'type-exports',
        generateBundle(_options, bundle) {
          for (const chunk of Object.values(bundle))
            if (chunk.isEntry) chunk.code = withTypeExports(chunk.code, types.get(chunk.name));
        },
      },
    ],
  });
}

/** Returns what is rolled up to files of their own: the entries, and the versions of the kinds. */
function inputOf(made) {
  const entries = Object.entries(subpaths).map(([subpath, source]) => [
    outputOf(subpath),
    source.slice('src/'.length).replace(/\.ts$/, '.d.ts'),
  ]);
  const versions = readdirSync(join(made, KINDS))
    .filter((name) => name !== 'index.d.ts')
    .map((name) => [`types/kinds/${name.slice(0, -'.d.ts'.length)}`, KINDS + name]);
  return Object.fromEntries([...entries, ...versions].map(([name, place]) => [name, join(made, place)]));
}

/** Those that decide how declarations are found. */
const compilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  types: [],
  skipLibCheck: true,
};

const declarationFiles = (made) =>
  readdirSync(made, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => join(made, path));

/** Takes the doors out: a program that uses one entry does not read the declarations of all others. */
function openDoors(made) {
  for (const file of declarationFiles(made)) {
    const source = join(root, 'src', relative(made, file).replace(/\.d\.ts$/, '.ts'));
    if (isDoor(source)) rmSync(file);
    else writeFileSync(file, declarationsBehindDoors(readFileSync(file, 'utf8'), source));
  }
}

/** Returns what matches a pattern in a file, and removes it there. */
function take(file, pattern) {
  const text = readFileSync(file, 'utf8');
  const taken = (text.match(pattern) ?? []).join('');
  if (taken !== '') writeFileSync(file, text.replace(pattern, ''));
  return taken;
}

/**
 * Lets the entry with all kinds export the names of their index without its namespaces, and returns these as the entry
 * exports them in its file. Rolled up, the members of a namespace would be types of other names without comments.
 */
function partNamespaces(made) {
  const entry = join(made, 'entries/kinds.d.ts');
  const index = readFileSync(join(made, KINDS, 'index.d.ts'), 'utf8');
  writeFileSync(join(made, KINDS, 'plain.d.ts'), index.replace(NAMESPACE, ''));
  writeFileSync(entry, readFileSync(entry, 'utf8').replace(`/${KINDS}index.js'`, `/${KINDS}plain.js'`));
  return index.match(NAMESPACE).join('').replaceAll(`'./`, `'./types/kinds/`);
}

/** Returns the names that each file of its own exports by `export type`: of a class, for example, not its value. */
function typesExportedBy(input) {
  const program = ts.createProgram(Object.values(input), compilerOptions);
  const checker = program.getTypeChecker();
  const isTypeOnly = (declaration) => ts.isExportSpecifier(declaration) && ts.isTypeOnlyExportDeclaration(declaration);
  const exportsOf = (file) => checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  return new Map(
    Object.entries(input).map(([name, file]) => [
      name,
      new Set(exportsOf(file).flatMap((symbol) => (symbol.declarations?.some(isTypeOnly) ? [symbol.name] : []))),
    ]),
  );
}

/** Returns the text of a module that exports some names as types. The bundler has made one kind of exports of two. */
function withTypeExports(text, types) {
  return text.replaceAll(/^export \{([^}]*)\}(.*)$/gm, (statement, list, from) => {
    const names = list.split(',').map((name) => name.trim());
    const isType = (name) => types.has(name.split(' as ').at(-1));
    const part = (keyword, some) => (some.length > 0 ? [`${keyword} { ${some.join(', ')} }${from}`] : []);
    return [
      ...part(
        'export',
        names.filter((name) => !isType(name)),
      ),
      ...part('export type', names.filter(isType)),
    ].join('\n');
  });
}

/** Returns the number of files of their own that use each module, by its path. */
function usersOf(input, getModuleInfo) {
  const users = new Map();
  for (const file of Object.values(input))
    for (const id of loadedBy(file, getModuleInfo)) users.set(id, (users.get(id) ?? 0) + 1);
  return users;
}

/** Returns the part that declarations of several entries belong to: a wing. */
function partOf(place) {
  const [wing] = place.split('/');
  if (wing === 'entries' || place.startsWith(KINDS)) return undefined;
  return ON_NODE.some((room) => place.startsWith(room)) ? `${wing}-node` : wing;
}

function refuseCircles(level, log, handle) {
  if (log.code === 'CIRCULAR_CHUNK') throw new Error(log.message);
  if (level === 'warn' && log.code !== 'CIRCULAR_DEPENDENCY') handle(level, log);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const made = resolve(root, 'dist/declarations');
  await rollUpDeclarations(made, resolve(root, 'dist'));
  rmSync(made, { recursive: true });
}
