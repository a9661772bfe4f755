/**
 * Runs the program from source. The source is compiled into one file, which is kept until the source changes: this starts
 * several times sooner than file by file, and needs no build.
 *
 *     node scripts/start.js COMMAND FLAGS...
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = `${root}src/cli/main.ts`;
// Below node_modules, where the packages that the program imports are found.
const folder = `${root}node_modules/.cache/orch-apiserver/program/`;

const program = `${folder}${versionOfSource()}.js`;
if (!existsSync(program)) await compile();
if (process.argv.includes('--ui') || process.argv[2] === 'test-server') await preparePage();
process.setSourceMapsEnabled(true);
await import(pathToFileURL(program).href);

/** Returns a hash that changes with the source, with what compiles it, and with the packages that are installed. */
function versionOfSource() {
  const hash = createHash('sha256');
  const note = (file) => {
    const { size, mtimeMs } = statSync(root + file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  };
  for (const file of readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).sort())
    if (file.endsWith('.ts')) note(`src/${file}`);
  for (const file of ['scripts/start.js', 'scripts/doors.js']) note(file);
  hash.update(readFileSync(`${root}package-lock.json`));
  return hash.digest('hex').slice(0, 16);
}

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
