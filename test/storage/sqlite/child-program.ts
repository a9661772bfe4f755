import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { esbuildDoors } from '../../../scripts/doors.js';

/** A process that runs `crash-child.ts`. */
export interface Child {
  readonly process: ChildProcess;
  /** The file of its reports: a report in it was made, however suddenly the process ended. */
  readonly reports: string;
}

/** The program in one file, which plain Node starts faster than any loader. */
export async function bundleChild(directory: string): Promise<string> {
  const outfile = join(directory, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('crash-child.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    plugins: [esbuildDoors()],
    logLevel: 'error',
  });
  return outfile;
}

/** Starts the program, which then waits for its order. */
export function startChild(program: string, reports: string): Child {
  const output = openSync(reports, 'w');
  // The location from which the program resolves the SQLite library.
  const env = { ...process.env, NODE_PATH: fileURLToPath(new URL('../../../node_modules', import.meta.url)) };
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', output, 'inherit'] });
  closeSync(output);
  return { process: child, reports };
}
