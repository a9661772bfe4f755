import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { compileSource, viteCompiledSource } from './scripts/compiled-source.js';
import { viteDoors } from './scripts/doors.js';
import { outputOf, subpaths } from './scripts/entries.js';
import { makeTypes } from './scripts/make-types.js';
import TestOrder from './scripts/test-order.js';
import { testProjects } from './scripts/test-processes.js';
import TestProgress from './scripts/test-progress.js';

await makeTypes();

const root = fileURLToPath(new URL('.', import.meta.url));
/** Whether `orch-apiserver` means what `npm run build` has made, instead of the source. */
const onBuild = process.env['TEST_BUILD'] === '1';
/** Whether the source is compiled once for all test files, as `npm test` does; otherwise each loads it as it is. */
const isCompiled = process.env['TEST_COMPILED'] === '1' && process.argv.includes('run') && !onBuild;
const compiled = isCompiled ? await compileSource() : undefined;

export default defineConfig({
  plugins: [viteDoors(), ...(compiled === undefined ? [] : [viteCompiledSource(compiled)])],
  resolve: {
    // Tests and documentation import the package by its name; that is the source, and in .ci/run the build too.
    alias: Object.entries(subpaths)
      .sort(([a], [b]) => b.length - a.length)
      .map(([subpath, source]) => ({
        find: new RegExp(`^orch-apiserver${subpath.slice(1).replaceAll('/', '\\/')}$`),
        replacement: root + (onBuild ? `dist/${outputOf(subpath)}.js` : source),
      })),
  },
  test: {
    projects: testProjects(),
    // Many times what they take, for a busy machine. A test that needs longer says so itself.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What a test waits for arrives when the machine has time for it.
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    setupFiles: compiled === undefined ? [] : ['scripts/compiled-stacks.js'],
    // For processes that tests start. They leave nothing in the user's caches.
    env: { NODE_DISABLE_COMPILE_CACHE: '1', ...(compiled === undefined ? {} : { COMPILED_SOURCE: compiled }) },
    sequence: { sequencer: TestOrder },
    // More than cores: many files wait for another process, a disk or a clock most of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // Tests that say that they may run side by side mostly wait, for a real clock or another process.
    maxConcurrency: 10,
    reporters: process.stdout.isTTY ? ['default'] : ['default', new TestProgress()],
  },
});
