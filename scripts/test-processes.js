/**
 * Which test files share a process. A process for each file costs half a second of the processor, which is more than most
 * files take, and code that V8 has compiled and optimized is lost with it. Files can run one after another in one process,
 * since state belongs to a server and not to a module.
 */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Folders of `test/` whose files share processes. The tests of the others mostly work with other programs, or replace the
 * host's turns and time.
 */
const SHARING = [
  'admission',
  'apiserver',
  'client',
  'controllers',
  'foundation',
  'kinds',
  'machinery',
  'registry',
  'security',
  'server',
  'simulation',
  'testing',
  'transport',
];

/**
 * A file has a process of its own if it counts the blocks of code that V8 runs, changes a global or the environment, or
 * looks at the process beyond what is the same for all files. Spies are restored after each file.
 */
const ALONE =
  /\/units\.js'|globalThis|vi\.(?:mock|stub|useFake)|\bprocess\.(?!nextTick|hrtime|execPath|pid\b|kill|cwd|platform|getuid|getBuiltinModule|argv|stdout\.|js'|ts'|env\['\w+'\](?! =[^=]))/;

/** Returns the Vitest projects: one of the files that share processes, and one of all others. */
export function testProjects() {
  const together = SHARING.flatMap((name) =>
    readdirSync(`test/${name}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => `test/${name}/${path.replaceAll('\\', '/')}`),
  ).filter((path) => !ALONE.test(readFileSync(path, 'utf8')));
  return [
    {
      extends: true,
      test: { name: 'together', include: together, isolate: false, setupFiles: ['scripts/restored-spies.js'] },
    },
    { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: together } },
  ];
}
