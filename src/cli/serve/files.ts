import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError, UsageError } from '../usage-error.js';

/**
 * Reads a file that a flag names.
 *
 * @throws UsageError that names flag and file
 */
export async function readFlagFile(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--${flag}: ${reasonOf(error)}`);
  }
}

/**
 * Writes a file that a flag names and only its owner may read, and the folders above it.
 *
 * @throws StartError that names flag and file
 */
export async function writePrivateFile(flag: string, path: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { mode: 0o600 });
    // The mode above counts only for a new file.
    await chmod(path, 0o600);
  } catch (error) {
    throw new StartError(`--${flag}: ${reasonOf(error)}`);
  }
}

/** Why something went wrong with a file or a socket: `no such file or directory, open 'x'`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^E[A-Z]+: /, '') : String(error);
}
