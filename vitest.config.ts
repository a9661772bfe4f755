import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { viteDoors } from './scripts/doors.js';
import { outputOf, subpaths } from './scripts/entries.js';
import { makeTypes } from './scripts/make-types.js';
import { testGroups } from './scripts/test-groups.js';
import TestProgress from './scripts/test-progress.js';
import { compiledFile, compiledSource, compileSource } from './scripts/test-source.js';

const root = fileURLToPath(new URL('.', import.meta.url));
/** Whether `orch-apiserver` means what `npm run build` has made, instead of the source. */
const onBuild = process.env['TEST_BUILD'] === '1';
/** A watching vitest must load the source itself, to see what changes. */
const isCompiled = process.argv.includes('run');
const groups = testGroups();

/** Tests and documentation import the package by its name. @param fileOf the file that a source file stands for */
const aliases = (fileOf: (source: string) => string): { find: RegExp; replacement: string }[] =>
  Object.entries(subpaths)
    .sort(([a], [b]) => b.length - a.length)
    .map(([subpath, source]) => ({
      find: new RegExp(`^orch-apiserver${subpath.slice(1).replaceAll('/', '\\/')}$`),
      replacement: onBuild ? `${root}dist/${outputOf(subpath)}.js` : fileOf(root + source),
    }));

const project = (
  name: string,
  include: string[],
  test: TestProjectInlineConfiguration['test'],
  compiled = isCompiled,
): TestProjectInlineConfiguration => ({
  extends: true,
  plugins: compiled ? [compiledSource()] : [viteDoors()],
  resolve: { alias: aliases(compiled ? compiledFile : (source) => source) },
  test: { name, include, ...test },
});

/** Number of files that share the processes of a project: memory that files leave behind does not add up for longer. */
const SHARING = 80;
const shared = Array.from({ length: Math.ceil(groups.shared.length / SHARING) }, (_, index) =>
  project(`shared ${index + 1}`, groups.shared.slice(index * SHARING, (index + 1) * SHARING), {
    isolate: false,
    sequence: { groupOrder: index },
  }),
);
const last = { sequence: { groupOrder: shared.length } };

await makeTypes();
if (isCompiled) await compileSource();

export default defineConfig({
  test: {
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
    // A process that serves many files is given up when the next file needs one of its own: those come last.
    projects: [...shared, project('isolated', groups.isolated, last), project('inlined', groups.inlined, last, false)],
  },
});
