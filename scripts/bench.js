/**
 * Runs the benchmark against the build: `node scripts/bench.js [names]`, after `npm run build`.
 *
 * The benchmark is compiled first and run by plain Node. A loader that compiles TypeScript at run time would distort
 * the measurement: a request takes almost twice as long with one.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../test/bench/', import.meta.url));
const compiled = fileURLToPath(new URL('../.bench/', import.meta.url));

rmSync(compiled, { recursive: true, force: true });
cpSync(source, compiled, { recursive: true });
const files = readdirSync(source).filter((name) => name.endsWith('.ts'));
/** Benches of modules that are not exported by the package, or not in the folder: they are compiled with these modules. */
const internal = files.filter((name) => /from '\.\.\/(?!bench)/.test(readFileSync(source + name, 'utf8')));
const options = { outdir: compiled, format: 'esm', target: 'node20', logLevel: 'error' };
await build({
  ...options,
  entryPoints: files.filter((name) => !internal.includes(name)).map((name) => source + name),
});
await build({
  ...options,
  entryPoints: internal.map((name) => source + name),
  bundle: true,
  platform: 'node',
  packages: 'external',
});
const { status } = spawnSync(process.execPath, ['--expose-gc', `${compiled}main.js`, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
