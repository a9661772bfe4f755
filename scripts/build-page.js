/**
 * Builds the page (src/ui/web) into one module of the package, dist/page.js: its files, compressed.
 *
 *     node scripts/build-page.js      after the rest of the build, which empties dist
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { viteDoors } from './doors.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = `${root}dist/page.js`;

/** Most bytes of the first view, of it with an object and its editor, and of all files, compressed with gzip (docs/guides/ui.md). */
const MOST_FIRST = 90 * 1024;
const MOST_EDITING = 250 * 1024;
const MOST_ALL = 400 * 1024;

const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** Builds the page unless it has been built from the current source. @returns the path of the module */
export async function buildPage() {
  const source = versionOfSource();
  if (readFirstLine() === `// ${source}`) return target;
  const built = await bundle();
  const files = built.map(({ path, bytes }) => ({
    path,
    type: `${TYPES[path.split('.').pop()]}; charset=utf-8`,
    hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    gzip: gzipSync(bytes, { level: 9 }).toString('base64'),
    brotli: brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).toString('base64'),
  }));
  checkSizes(files, built);
  mkdirSync(`${root}dist`, { recursive: true });
  // Another process may read it meanwhile.
  writeFileSync(`${target}.${process.pid}`, `// ${source}\nexport const files = ${JSON.stringify(files)};\n`);
  renameSync(`${target}.${process.pid}`, target);
  return target;
}

/** Returns a hash that changes with the source of the page and of the client, and with the packages that are installed. */
function versionOfSource() {
  const hash = createHash('sha256');
  for (const path of readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).sort()) {
    const { size, mtimeMs } = statSync(`${root}src/${path}`);
    if (/\.(tsx?|css|html|svg)$/.test(path)) hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  hash.update(readFileSync(`${root}package-lock.json`)).update(readFileSync(fileURLToPath(import.meta.url)));
  return hash.digest('hex').slice(0, 16);
}

function readFirstLine() {
  try {
    return readFileSync(target, 'utf8').slice(0, 64).split('\n', 1)[0];
  } catch {
    return undefined;
  }
}

/** Returns the files of the page. */
async function bundle() {
  const { build } = await import('vite');
  const { output } = await build({
    root: `${root}src/ui/web`,
    base: './',
    configFile: false,
    envFile: false,
    publicDir: false,
    logLevel: 'error',
    plugins: [viteDoors()],
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 600,
      rollupOptions: {
        // As declared in package.json.
        treeshake: { moduleSideEffects: (id) => !id.startsWith(`${root}src/`) || id.startsWith(`${root}src/ui/web/`) },
      },
    },
  });
  return output.map((file) => ({
    path: file.fileName,
    bytes: Buffer.from(file.type === 'chunk' ? file.code : file.source),
    /** The module that is imported by this file's name; undefined for a file that only others need. */
    module: file.type === 'chunk' ? (file.facadeModuleId ?? undefined) : undefined,
    /** The files that load with this one. */
    needs: file.type === 'chunk' ? [...file.imports, ...(file.viteMetadata?.importedCss ?? [])] : [],
  }));
}

/** The module of the editor of an object, which loads when it is opened; the view of an object is in the first view. */
const EDITOR = 'src/ui/web/object/edit.tsx';

/** Returns the paths of the files that load with a module. @throws Error when no file is imported for it */
function filesOf(module, built) {
  const start = built.find((file) => file.module?.endsWith(module));
  if (start === undefined) throw new Error(`the page has no file for ${module}`);
  const found = new Set([start.path]);
  for (const path of found)
    for (const needed of built.find((file) => file.path === path)?.needs ?? []) found.add(needed);
  return found;
}

/** @throws Error when the page is larger than documented */
function checkSizes(files, built) {
  const size = ({ gzip }) => Buffer.byteLength(gzip, 'base64');
  const first = new Set(['index.html']);
  const html = gunzipText(files.find(({ path }) => path === 'index.html'));
  for (const [, path] of html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)) first.add(path);
  const sum = (list) => list.reduce((total, file) => total + size(file), 0);
  const sizeOf = (paths) => sum(files.filter(({ path }) => paths.has(path)));
  const editing = new Set([...first, ...filesOf(EDITOR, built)]);
  const [firstBytes, editingBytes, allBytes] = [sizeOf(first), sizeOf(editing), sum(files)];
  const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
  const report = `the page: first view ${kb(firstBytes)}, with an object and its editor ${kb(editingBytes)}, all ${kb(allBytes)}, in ${files.length} files`;
  if (firstBytes > MOST_FIRST || editingBytes > MOST_EDITING || allBytes > MOST_ALL)
    throw new Error(`${report}; at most ${kb(MOST_FIRST)}, ${kb(MOST_EDITING)} and ${kb(MOST_ALL)}`);
  if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(report);
}

function gunzipText(file) {
  return gunzipSync(Buffer.from(file.gzip, 'base64')).toString();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage();
