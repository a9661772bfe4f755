/**
 * The source as `npm test` loads it. A process loads hundreds of modules: one by one, through Vitest, this takes longer than
 * most tests. So the source is compiled once, and the modules that most tests load
 * are put together, a wing in a file; Node loads them itself. Each module can still be imported by its name.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sourceVersion } from './source-version.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/');
const kept = join(root, 'node_modules/.cache/orch-apiserver/tests/');

/** The entries that most tests load at the start. To put together what loads later, too, gains nothing. */
const COMMON = ['src/entries/index.ts', 'src/entries/testing.ts'];

const KEPT_VERSIONS = 4;

/** The name of a module while it is put into a file. */
const idOf = (module) => module.replace(/\.ts$/, '.js');

/** The path of a module as it is compiled, below the folder of all. */
const compiledOf = (module) => idOf(relative(source, module).replaceAll('\\', '/'));

/** Compiles the source unless it is compiled. @returns the folder, in which each module has its path */
export async function compileSource() {
  const folder = join(kept, sourceVersion(['compiled-source', 'modules', 'doors'].map((name) => `scripts/${name}.js`)));
  if (existsSync(folder)) return folder;
  const begun = `${folder}.${process.pid}`;
  await writeModules(begun);
  try {
    renameSync(begun, folder);
  } catch (error) {
    // Another process may have compiled the same.
    if (!existsSync(folder)) throw error;
    rmSync(begun, { recursive: true });
  }
  removeEarlier();
  return folder;
}

/** Removes all but the latest versions: tests that are running load modules of theirs. */
function removeEarlier() {
  const versions = readdirSync(kept)
    .map((name) => ({ path: join(kept, name), madeMs: statSync(join(kept, name)).mtimeMs }))
    .sort((one, other) => other.madeMs - one.madeMs);
  for (const { path } of versions.slice(KEPT_VERSIONS)) rmSync(path, { recursive: true, force: true });
}

async function writeModules(folder) {
  const { build } = await import('esbuild');
  const { rollup } = await import('rollup');
  const { esbuildDoors } = await import('./doors.js');
  const { loadedBy, modulesApart, sourceDoors, sourceModules, withOwnNames } = await import('./modules.js');
  const modules = [...sourceModules(), ...sourceDoors()].map((path) => join(root, path));
  const { outputFiles } = await build({
    entryPoints: modules,
    outdir: source,
    outbase: source,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'node20',
    tsconfig: join(root, 'tsconfig.build.json'),
    sourcemap: 'external',
    sourcesContent: false,
    plugins: [esbuildDoors(), modulesApart()],
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const bundle = await rollup({
    input: Object.fromEntries(modules.map((module) => [compiledOf(module).slice(0, -'.js'.length), idOf(module)])),
    external: (id) => !id.startsWith('.') && !id.startsWith(source),
    treeshake: false,
    plugins: [
      {
        name: 'compiled',
        resolveId: (id, importer) => (importer === undefined ? id : resolve(dirname(importer), id)),
        load: (id) => ({ code: withOwnNames(texts.get(id)), map: JSON.parse(texts.get(`${id}.map`)) }),
        // Modules find files from where their source is.
        resolveImportMeta: (property, { moduleId }) =>
          property === 'url' ? JSON.stringify(pathToFileURL(moduleId.replace(/\.js$/, '.ts')).href) : undefined,
      },
    ],
    onLog: () => undefined,
  });
  let common;
  await bundle.write({
    dir: folder,
    chunkFileNames: '[name].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    minifyInternalExports: false,
    // The page, which the package.json of the project names.
    paths: { '#page': pathToFileURL(join(root, 'dist/page.js')).href },
    hoistTransitiveImports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (id, { getModuleInfo }) => {
      common ??= new Set(COMMON.flatMap((path) => [...loadedBy(idOf(join(root, path)), getModuleInfo)]));
      return common.has(id) ? `wings/${relative(source, id).split(/[\\/]/, 1)[0]}` : undefined;
    },
  });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}

/** The compiled form of a module. @returns undefined when the path is not that of a module of the source */
export function compiledFile(folder, path) {
  if (!path.startsWith(source)) return undefined;
  const compiled = join(folder, compiledOf(path));
  return existsSync(compiled) ? compiled : undefined;
}

/** The plugin for Vitest: imports of the source are imports of what was compiled. */
export const viteCompiledSource = (folder) => ({
  name: 'compiled-source',
  enforce: 'pre',
  resolveId(id, importer) {
    const path = id.startsWith('.') && importer !== undefined ? resolve(dirname(importer), id) : id;
    return compiledFile(folder, path);
  },
});
