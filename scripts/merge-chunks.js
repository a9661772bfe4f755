/**
 * The last step of the build: merges small chunks into other files.
 *
 * The bundler puts modules that are used by the same entries in one file, so no entry loads unused code. With this many
 * entries most files are small, and importing one costs as much as about 10 KB of code.
 */
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rollup } from 'rollup';
import { entries } from './entries.js';

/**
 * Files smaller than this are merged, in bytes. A larger value would merge lazily loaded code into eagerly loaded
 * files.
 */
const SMALL_BYTES = 3_500;

/** A plugin for the bundler. */
export function mergeChunks() {
  return {
    name: 'merge-chunks',
    async buildEnd({ writtenFiles }) {
      const directory = resolve(this.options.outDir);
      const bundle = await rollup({
        input: Object.fromEntries(Object.keys(entries).map((entry) => [entry, join(directory, `${entry}.js`)])),
        external: (id) => !id.startsWith('.') && !id.startsWith(directory),
        // As declared in package.json.
        treeshake: { moduleSideEffects: (_id, isExternal) => isExternal },
        plugins: [{ name: 'source-maps', load }],
      });
      const { output } = await bundle.write({
        dir: directory,
        sourcemap: 'hidden',
        experimentalMinChunkSize: SMALL_BYTES,
        chunkFileNames: ({ name }) => `${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].js`,
      });
      const kept = new Set(output.map(({ fileName }) => join(directory, fileName)));
      await Promise.all(
        writtenFiles
          .map(({ name }) => resolve(name))
          .filter((file) => !kept.has(file))
          .map((file) => rm(file)),
      );
    },
  };
}

/** Loads a file with its source map, so that the resulting map refers to the sources. */
async function load(file) {
  const [code, map] = await Promise.all([readFile(file, 'utf8'), readFile(`${file}.map`, 'utf8')]);
  return { code: withOwnNames(code.replace(/^\/\/# sourceMappingURL=.*$/gm, '')), map: JSON.parse(map) };
}

/**
 * Restores the names of classes. The bundler turns a class that refers to itself into `var ApiError = class _ApiError`,
 * and stack traces and `constructor.name` would show that name. The inner name may equal the name of the variable.
 */
export function withOwnNames(code) {
  const renamed = [...code.matchAll(/^(?:var|let|const) (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return renamed.reduce(
    (text, name) => text.replaceAll(new RegExp(`(?<![\\w$.#'"\`])_${name}(?![\\w$])`, 'g'), name),
    code,
  );
}
