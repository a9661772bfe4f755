/**
 * Runs the benchmark against the build: `node scripts/bench.js [names]`, after `npm run build`.
 *
 * The benchmark is compiled first and run by plain Node. A loader that compiles TypeScript at run time would distort
 * the measurement: a request takes almost twice as long with one.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../test/bench/', import.meta.url));
const compiled = fileURLToPath(new URL('../.bench/', import.meta.url));

rmSync(compiled, { recursive: true, force: true });
cpSync(source, compiled, { recursive: true });
/** Benches of modules that the package does not export: they are compiled with these modules. */
const internal = ['admission.ts', 'metrics.ts', 'neighbours.ts', 'rules.ts'];
const options = { outdir: compiled, format: 'esm', target: 'node20', logLevel: 'error' };
await build({
  ...options,
  entryPoints: readdirSync(source)
    .filter((name) => name.endsWith('.ts') && !internal.includes(name))
    .map((name) => source + name),
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
