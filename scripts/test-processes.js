/**
 * Which test files share a process. A process for each file costs half a second of the processor, which is more than most
 * files take. Files can run one after another in one process, since state belongs to a server and not to a module.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Folders of `test/` whose files share a process. The tests of the others mostly work with other programs. */
const SHARING = [
  'admission',
  'apiserver',
  'controllers',
  'foundation',
  'kinds',
  'machinery',
  'registry',
  'security',
  'server',
  'simulation',
];

/**
 * A file has a process of its own if it counts the blocks of code that V8 runs, starts another program, changes a global
 * or the environment, or looks at the process.
 */
const ALONE =
  /\/units\.js'|child_process|worker_threads|EtcdProcess|PostgresProcess|process\.(?!nextTick|hrtime)|globalThis|vi\.(?:mock|spyOn|stub|useFake)/;

/** Returns the Vitest projects: one for each of these folders, and one for all other files. */
export function testProjects() {
  const folders = SHARING.map((name) => {
    const files = readdirSync(`test/${name}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => `test/${name}/${path}`);
    return { name, include: files.filter((path) => !ALONE.test(readFileSync(path, 'utf8'))) };
  });
  return [
    ...folders.map(({ name, include }) => ({ extends: true, test: { name, include, isolate: false } })),
    {
      extends: true,
      test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: folders.flatMap(({ include }) => include) },
    },
  ];
}
