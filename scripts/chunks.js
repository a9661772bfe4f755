/**
 * The second step of the build: puts the compiled modules into the files of the package.
 *
 * A module that the main entry loads at the start belongs to the file that is drawn for it here. A module that loads
 * late, or only with other entries, is placed by Rollup, which never lets an entry load late what loads early.
 */
import { chmod, readFile, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { entries } from './entries.js';
import { loadedBy, modulesApart, withOwnNames } from './modules.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist');

/** The entry that nearly every program imports. */
const MAIN = 'index';

/** Entries that nobody loads without the main one. All others are small, and stay so. */
const AROUND_MAIN = new Set([MAIN, 'workspaces', 'testing', 'testing/vitest', 'testing/suites', 'cli/main']);

/** The file of the modules that load at the start, and that no entry uses without the main one. */
const WITH_MAIN = 'server';

/**
 * The files of the other modules that load at the start: the first pattern that matches decides. A wing has a file,
 * unless entries use a part of it alone.
 */
const DRAWN = [
  [/^node_modules\/zod\//, 'zod'],
  // One hash.
  [/^node_modules\//, 'foundation'],
  // They import nothing, and have one function each for all who load code late.
  [/^\w+\/late\.js$|^kinds\/builtin\/shared\/once\.js$/, 'foundation'],
  // Values are read and applied without zod, in which kinds are declared.
  [/^machinery\/schema\/(read\/|define\/object-meta)/, 'machinery'],
  [/^machinery\/(schema|cel-rules)\//, 'schema'],
  [/^machinery\/patterns\//, 'patterns'],
  [/^machinery\/apply\//, 'apply'],
  [/^security\/pki\//, 'pki'],
  [/^registry\/(selection|verbs|definition\/selectable-fields)/, 'selection'],
  [/^server\/(requests|limits)\//, 'requests'],
  [/^server\//, 'codec'],
];

/** Smaller files of modules that load late are merged with others that load at the same times, in bytes. */
const SMALL_BYTES = 3_500;

/** Packages of which a part is in ours. */
const BUNDLED = /^(zod|@noble\/(hashes|ciphers))(\/|$)/;

/** The plugin for tsup. Its output are the compiled modules. */
export const drawChunks = () => ({
  name: 'draw-chunks',
  async buildEnd() {
    const modules = resolve(this.options.outDir);
    const input = Object.fromEntries(
      Object.entries(entries).map(([entry, source]) => [entry, join(modules, compiledOf(source))]),
    );
    const bundle = await rollup({
      input,
      external: (id) => !id.startsWith('.') && !isAbsolute(id) && !BUNDLED.test(id),
      // As declared in package.json.
      treeshake: { moduleSideEffects: (_id, isExternal) => isExternal },
      plugins: [compiled(modules)],
      onLog: refuseCircles,
    });
    await rm(target, { recursive: true, force: true });
    const placeOf = (id) => relative(id.startsWith(modules) ? modules : root, id).replaceAll(sep, '/');
    let drawn;
    const { output } = await bundle.write({
      dir: target,
      sourcemap: 'hidden',
      experimentalMinChunkSize: SMALL_BYTES,
      onlyExplicitManualChunks: true,
      manualChunks: (id, { getModuleInfo }) => (drawn ??= draw(input, placeOf, getModuleInfo)).get(id),
    });
    for (const { isEntry, fileName, code } of output)
      if (isEntry && code.startsWith('#!')) await chmod(join(target, fileName), 0o755);
  },
});

/** The path of a compiled module below the folder of all. */
const compiledOf = (source) => source.slice('src/'.length).replace(/\.ts$/, '.js');

/** Loads the compiled modules of the source, and compiles those of bundled packages in the same way. */
const compiled = (modules) => ({
  name: 'compiled',
  resolveId: (id) => (BUNDLED.test(id) ? fileURLToPath(import.meta.resolve(id)) : undefined),
  async load(file) {
    if (!file.startsWith(modules)) return { code: inAscii(await compiledModule(file)) };
    const [code, map] = await Promise.all([readFile(file, 'utf8'), readFile(`${file}.map`, 'utf8')]);
    return { code: inAscii(withOwnNames(code.replace(/^\/\/# sourceMappingURL=.*$/gm, ''))), map: JSON.parse(map) };
  },
});

/**
 * Returns compiled code in ASCII: one other character makes V8 keep a whole file with two bytes for each. The compiler has
 * escaped those in strings; the others are in comments and regular expressions.
 */
const inAscii = (code) =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

async function compiledModule(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node20',
    plugins: [modulesApart()],
  });
  return outputFiles[0].text;
}

/** Returns the file of each module that has its place, by its path. The others are placed by Rollup. */
function draw(input, placeOf, getModuleInfo) {
  const loaded = new Map(Object.entries(input).map(([entry, id]) => [entry, loadedBy(id, getModuleInfo)]));
  const others = [...loaded].filter(([entry]) => !AROUND_MAIN.has(entry)).map(([, ids]) => ids);
  const fileOf = (id) => (others.some((ids) => ids.has(id)) ? drawnFile(placeOf(id)) : WITH_MAIN);
  // An entry that collects rooms has a file of its own, in which there is no code.
  const collects = (id) => placeOf(id).startsWith('entries/');
  // Rollup would merge an entry that is one small module into the file of another entry, which would export its names too.
  const alone = Object.entries(input).filter(([, id]) => !collects(id) && !id.endsWith('index.js'));
  return new Map([
    ...alone.map(([entry, id]) => [id, entry]),
    ...[...loaded.get(MAIN)].filter((id) => !collects(id)).map((id) => [id, fileOf(id)]),
  ]);
}

function drawnFile(place) {
  const [, file] = DRAWN.find(([pattern]) => pattern.test(place)) ?? [];
  return file ?? place.split('/', 1)[0];
}

/** A file that imports itself through others could use their classes before they exist. */
function refuseCircles(level, log, handle) {
  if (log.code === 'CIRCULAR_CHUNK') throw new Error(log.message);
  // Between modules the linter finds circles, except in zod. Its comments for other bundlers are of no use here.
  if (level === 'warn' && !['CIRCULAR_DEPENDENCY', 'INVALID_ANNOTATION'].includes(log.code)) handle(level, log);
}
