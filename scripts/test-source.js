/**
 * The source as the tests import it: compiled file by file before they start, and loaded by Node itself.
 *
 * Vitest would compile and link each file again in each process that imports it, which takes five times as long. The files
 * correspond to those of the source, so two imports of a file have the same module whichever way they came.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { esbuildDoors, isDoor } from './doors.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = `${root}src/`;
const compiled = `${root}node_modules/.cache/orch-apiserver/source/`;
const listFile = `${compiled}files.json`;

/** Returns the compiled file of a file of the source: `src/a.ts`, or `src/a.js` as an import names it. */
export const compiledFile = (file) => compiled + file.slice(source.length).replace(/\.ts$/, '.js');

/** Compiles the files that have changed since the last time. */
export async function compileSource() {
  const former = readList();
  const current = {};
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const { size, mtimeMs } = statSync(source + name);
    current[name] = `${size} ${mtimeMs}`;
  }
  // A door decides what the files that import from it import.
  const doors = Object.keys(current).filter((name) => isDoor(source + name));
  const shared = createHash('sha256').update(JSON.stringify(doors.map((name) => [name, current[name]])));
  for (const file of ['scripts/test-source.js', 'scripts/doors.js', 'package-lock.json'])
    shared.update(readFileSync(root + file));
  const common = shared.digest('hex');

  const known = former.common === common ? former.files : {};
  const changed = Object.keys(current).filter((name) => known[name] !== current[name]);
  const gone = Object.keys(former.files).filter((name) => current[name] === undefined);
  if (changed.length === 0 && gone.length === 0) return;
  // The folder itself stays: another run may be reading it.
  for (const name of gone) rmSync(compiledFile(source + name), { force: true });
  await build({
    absWorkingDir: root,
    entryPoints: changed.map((name) => source + name),
    outbase: source,
    outdir: compiled,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    plugins: [esbuildDoors()],
    logLevel: 'error',
  });
  mkdirSync(compiled, { recursive: true });
  writeFileSync(`${compiled}package.json`, '{ "type": "module" }\n');
  writeFileSync(listFile, JSON.stringify({ common, files: current }));
}

/** The plugin for Vitest: imports of the source become imports of the compiled files. */
export const compiledSource = () => ({
  name: 'compiled-source',
  enforce: 'pre',
  resolveId(specifier, importer) {
    if (importer === undefined || !specifier.startsWith('.')) return undefined;
    const file = resolve(dirname(importer.split('?')[0]), specifier);
    return file.startsWith(source) && file.endsWith('.js') ? compiledFile(file) : undefined;
  },
});

function readList() {
  try {
    return JSON.parse(readFileSync(listFile, 'utf8'));
  } catch {
    return { common: undefined, files: {} };
  }
}
