import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { esbuildDoors } from '../../scripts/doors.js';

/** The package: this module is in it as source, and as a part of the benchmark. */
function packageRoot(): string {
  let directory = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', directory))) directory = new URL('..', directory);
  return fileURLToPath(directory);
}

/** The program `orch-apiserver`, made from the source, and what measures it. */
export interface Program {
  readonly main: string;
  /** Module that is loaded into the server before the program. */
  readonly gauge: string;
  /** Program of the thread of a probe. */
  readonly probe: string;
  remove(): void;
}

/**
 * Bundles the program: it starts in a third of the time that a loader of TypeScript takes. The files are in the package,
 * where they find its dependencies.
 */
export async function bundleProgram(): Promise<Program> {
  const root = packageRoot();
  const directory = `${root}.attacks/${process.pid}`;
  mkdirSync(directory, { recursive: true });
  await build({
    entryPoints: {
      main: `${root}src/cli/main.ts`,
      gauge: `${root}test/attacks/gauge.ts`,
      probe: `${root}test/attacks/probe-thread.ts`,
    },
    ...{ outdir: directory, bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20' },
    packages: 'external',
    plugins: [esbuildDoors()],
    logLevel: 'error',
  });
  const at = (name: string): string => `${directory}/${name}.js`;
  return {
    ...{ main: at('main'), gauge: at('gauge'), probe: at('probe') },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
