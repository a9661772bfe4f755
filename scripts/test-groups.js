/**
 * Divides the test files into groups by what they do to the process that runs them. State of the source belongs to
 * servers, so most files share a process with others, which loads the source once for all of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Files for which vitest itself loads the source, each in a process of its own: those that replace modules, and those that
 * count code, whose limits are for the code as vitest compiles it.
 */
const NEEDS_VITEST = [/\bvi\.(?:mock|doMock)\(/, /support\/units\.js'/];

/** Files that change or measure the process: each has one of its own. */
const NEEDS_A_PROCESS = [
  // Replaces globals, the clock of the process or members of classes.
  /\bvi\.(?:stubGlobal|stubEnv|useFakeTimers)\(/,
  /\bspyOn\((?:globalThis|process|console|performance|JSON|Object|Math|Date|\w+\.prototype)\b/,
  /\.prototype\.\w+ = |'reflect-metadata'/,
  /\bprocess\.(?:chdir\(|on\(|once\(|env\[[^\]]+\] = )/,
  // Measures memory, or counts sockets.
  /\bprocess\.(?:memoryUsage|getActiveResourcesInfo)\b|\bheapUsed\b/,
  // Runs code that it writes.
  /@vite-ignore/,
  // Opens many SQLite stores: libsql, a native library, damages the heap of a process that goes on for long.
  /sqlite|--data-dir|\/(?:serving|stores|fake-host)\.js'/i,
];

/** Returns the group of a test file: `shared`, `isolated` or `inlined`. @param text its text */
export function groupOf(text) {
  if (NEEDS_VITEST.some((pattern) => pattern.test(text))) return 'inlined';
  return NEEDS_A_PROCESS.some((pattern) => pattern.test(text)) ? 'isolated' : 'shared';
}

/** Returns the test files of each group, relative to the repository. */
export function testGroups() {
  const groups = { shared: [], isolated: [], inlined: [] };
  for (const name of readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue;
    const path = `test/${name.replaceAll('\\', '/')}`;
    groups[groupOf(readFileSync(root + path, 'utf8'))].push(path);
  }
  return groups;
}
