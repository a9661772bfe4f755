import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { viteDoors } from './scripts/doors.js';
import { outputOf, subpaths } from './scripts/entries.js';
import { makeTypes } from './scripts/make-types.js';
import TestProgress from './scripts/test-progress.js';

await makeTypes();

const root = fileURLToPath(new URL('.', import.meta.url));
/** Whether `orch-apiserver` means what `npm run build` has made, instead of the source. */
const onBuild = process.env['TEST_BUILD'] === '1';

export default defineConfig({
  plugins: [viteDoors()],
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
    include: ['test/**/*.test.ts'],
    // A test that needs longer says so itself.
    testTimeout: 15_000,
    // What a test waits for arrives when the machine has time for it.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // One for each core: left to itself vitest keeps one free, which on two cores takes twice as long.
    maxWorkers: availableParallelism(),
    // Tests that say that they may run side by side mostly wait, for a real clock or another process.
    maxConcurrency: 10,
    reporters: process.stdout.isTTY ? ['default'] : ['default', new TestProgress()],
  },
});
