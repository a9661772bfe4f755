/**
 * Runs the program from source. The source is compiled into one file, which is kept until the source changes: this starts
 * several times sooner than file by file, and needs no build.
 *
 *     node scripts/start.js COMMAND FLAGS...
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sourceVersion } from './source-version.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = `${root}src/cli/main.ts`;
// Below node_modules, where the packages that the program imports are found.
const folder = `${root}node_modules/.cache/orch-apiserver/program/`;

const program = `${folder}${sourceVersion(['scripts/start.js', 'scripts/doors.js'])}.js`;
if (!existsSync(program)) await compile();
if (process.argv.includes('--ui') || process.argv[2] === 'test-server') await preparePage();
process.setSourceMapsEnabled(true);
await import(pathToFileURL(program).href);

/** Builds the page when it is missing or older than its source; the server works without it. */
async function preparePage() {
  const { buildPage } = await import('./build-page.js');
  await buildPage().catch((error) => console.error(`the page could not be built: ${error.message}`));
}

/** Lets the program find the page, which its folder would not. */
function page() {
  const path = pathToFileURL(`${root}dist/page.js`).href;
  return {
    name: 'page',
    setup: ({ onResolve }) => onResolve({ filter: /^#page$/ }, () => ({ path, external: true })),
  };
}

async function compile() {
  const { build, stop } = await import('esbuild');
  const { esbuildDoors } = await import('./doors.js');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [main],
    outfile: program,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    plugins: [esbuildDoors(), page()],
    // The program finds its package from where its source is.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(main).href) },
    logLevel: 'error',
  });
  // Otherwise the compiler would wait for more work until the program ends.
  await stop();
  mkdirSync(folder, { recursive: true });
  // Earlier versions. A process that runs one has read it.
  for (const file of readdirSync(folder))
    if (/\.(js|map)$/.test(file) && !program.endsWith(file.replace(/\.map$/, '')))
      rmSync(folder + file, { force: true });
  // The source map comes first, and each file whole: another process may start meanwhile.
  for (const { path, contents } of outputFiles.sort((a, b) => (a.path > b.path ? -1 : 1))) {
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}
