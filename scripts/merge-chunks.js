/**
 * The last step of the build: small files of code become part of others.
 *
 * The bundler makes a file of all modules that the same entries use, so that nobody loads what they do not use. With as many entries as
 * there are here, most of these files are small, and to an import each costs what some ten KB of code do.
 */
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rollup } from 'rollup';
import { entries } from './entries.js';

/** Files that are smaller are merged, in bytes. With more, what is loaded late becomes part of what is loaded at once. */
const SMALL_BYTES = 3_500;

/** A plugin of the bundler. */
export function mergeChunks() {
  return {
    name: 'merge-chunks',
    async buildEnd({ writtenFiles }) {
      const directory = resolve(this.options.outDir);
      const bundle = await rollup({
        input: Object.fromEntries(Object.keys(entries).map((entry) => [entry, join(directory, `${entry}.js`)])),
        external: (id) => !id.startsWith('.') && !id.startsWith(directory),
        // As package.json says.
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

/** A file with its source map, so that the map of the result leads to the sources. */
async function load(file) {
  const [code, map] = await Promise.all([readFile(file, 'utf8'), readFile(`${file}.map`, 'utf8')]);
  return { code: withOwnNames(code.replace(/^\/\/# sourceMappingURL=.*$/gm, '')), map: JSON.parse(map) };
}

/**
 * Gives classes their own names. The bundler makes `var ApiError = class _ApiError` of a class that speaks of itself, and stacks and
 * `constructor.name` would tell its name for it. The name within the class may be the same as that of the variable.
 */
export function withOwnNames(code) {
  const renamed = [...code.matchAll(/^(?:var|let|const) (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return renamed.reduce(
    (text, name) => text.replaceAll(new RegExp(`(?<![\\w$.#'"\`])_${name}(?![\\w$])`, 'g'), name),
    code,
  );
}
