import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { esbuildDoors } from '../../scripts/doors.js';
import { subpaths } from '../../scripts/entries.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Some packages are CommonJS, and require modules of Node. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Compiles a TypeScript program as the package is built, without the texts of the source and its maps, which take
 * megabytes of a small heap where a loader compiles them in the process.
 *
 * @param path from the root of the project
 * @param inOneFile whether it is one file, packages included, in which nothing is loaded later from a disk
 * @param replaced modules in place of others, from the root of the project, as in another build of the source
 * @returns the file for Node, and a function that removes it
 */
export async function compiledProgram(
  path: string,
  {
    inOneFile = false,
    replaced = {},
  }: { readonly inOneFile?: boolean; readonly replaced?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly file: string; remove(): void }> {
  // Below node_modules, where the packages that the program imports are found.
  const name = [path, ...Object.values(replaced)].join('-').replaceAll(/\W+/g, '-');
  const outdir = join(root, `node_modules/.cache/programs/${process.pid}-${name}`);
  await build({
    ...{ absWorkingDir: root, entryPoints: { program: path }, outdir, bundle: true, splitting: !inOneFile },
    ...{ format: 'esm', platform: 'node', target: 'node20', logLevel: 'error' },
    packages: inOneFile ? 'bundle' : 'external',
    banner: inOneFile ? { js: REQUIRE } : {},
    alias: Object.fromEntries(
      Object.entries(subpaths).map(([subpath, source]) => [`orch-apiserver${subpath.slice(1)}`, join(root, source)]),
    ),
    external: ['#page'],
    plugins: [replacing(replaced), esbuildDoors()],
  });
  return { file: join(outdir, 'program.js'), remove: () => rmSync(outdir, { recursive: true, force: true }) };
}

/** Compiles other modules in place of those of the source. */
const replacing = (replaced: Readonly<Record<string, string>>): Plugin => ({
  name: 'replacing',
  setup({ onLoad }) {
    for (const [original, other] of Object.entries(replaced)) {
      const file = join(root, original);
      onLoad({ filter: new RegExp(`${original.replaceAll('.', '\\.')}$`) }, ({ path }) =>
        path === file
          ? { contents: readFileSync(join(root, other), 'utf8'), loader: 'ts', resolveDir: dirname(file) }
          : undefined,
      );
    }
  },
});
