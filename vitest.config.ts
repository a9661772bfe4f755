import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { subpaths } from './scripts/entries.js';

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  resolve: {
    // Tests and documentation import the package by its name; here that is the source, in .ci/run also the build.
    alias: Object.entries(subpaths)
      .sort(([a], [b]) => b.length - a.length)
      .map(([subpath, source]) => ({ find: new RegExp(`^orch-apiserver${subpath.slice(1).replaceAll('/', '\\/')}$`), replacement: root + source })),
  },
  test: {
    include: ['test/**/*.test.ts'],
    // A test that needs longer says so itself.
    testTimeout: 15_000,
    pool: 'forks',
  },
});
