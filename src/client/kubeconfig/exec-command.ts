import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import type { Environment } from './load.js';

/**
 * Where a command is. A path is taken as it is; a bare name is looked for in the folders of `PATH`, of which relative ones
 * are passed over: a command must not come from wherever the process happens to stand.
 *
 * @returns undefined when it is in no folder
 */
export async function findCommand(command: string, env: Environment): Promise<string | undefined> {
  // Windows has rules of its own for what runs; its system calls know them.
  if (command.includes(sep) || process.platform === 'win32') return command;
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, command);
    if (isAbsolute(folder) && (await isExecutable(path))) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
