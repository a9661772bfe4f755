/**
 * The first step of the build, and of the tests: each module of the source is compiled by itself. What puts modules
 * together into files then knows where each comes from.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDoor } from './doors.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The page, which scripts/build-page.js builds for browsers. */
export const isOfPage = (path) => path.startsWith('src/ui/web/');

const files = () =>
  readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !isOfPage(path))
    .sort();

/** Returns the path of every module of the source, from the root of the project; a door has no code. */
export const sourceModules = () => files().filter((path) => !isDoor(root + path));

/** Returns the path of every door. */
export const sourceDoors = () => files().filter((path) => isDoor(root + path));

/**
 * The plugin for esbuild that keeps modules apart. They are compiled as parts of a bundle all the same: esbuild then
 * declares what is at the top of a module by `var`, which costs no check at each use.
 */
export const modulesApart = () => ({
  name: 'modules-apart',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path, external: true, sideEffects: false },
    );
  },
});

/**
 * Returns the modules that load with a module: all that it imports other than by `import()`.
 *
 * @param start its path @param getModuleInfo of Rollup
 */
export function loadedBy(start, getModuleInfo) {
  const loaded = new Set();
  const pending = [start];
  for (let id; (id = pending.pop()) !== undefined;) {
    if (loaded.has(id)) continue;
    loaded.add(id);
    pending.push(...getModuleInfo(id).importedIds.filter((imported) => !getModuleInfo(imported).isExternal));
  }
  return loaded;
}

/**
 * Restores the names of classes. The compiler turns a class that refers to itself into `var ApiError = class _ApiError`,
 * and stack traces and `constructor.name` would show that name. The inner name may equal the name of the variable.
 */
export function withOwnNames(code) {
  const renamed = [...code.matchAll(/^(?:var|let|const) (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return renamed.reduce(
    (text, name) => text.replaceAll(new RegExp(`(?<![\\w$.#'"\`])_${name}(?![\\w$])`, 'g'), name),
    code,
  );
}
