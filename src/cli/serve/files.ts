import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readBoundedFile } from '../../client/node.js';
import { messageOf } from '../../foundation/index.js';
import { StartError, UsageError } from '../usage-error.js';

/** Maximum size of a file that a flag names, in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Reads a text file.
 *
 * @throws Error `open x: no such file or directory`, or when it is longer than {@link MAX_FILE_BYTES}
 */
export async function readText(path: string): Promise<string> {
  return (await readBoundedFile(path, MAX_FILE_BYTES)).toString('utf8');
}

/**
 * Reads a file that a flag names.
 *
 * @throws UsageError that names flag and file
 */
export async function readFlagFile(flag: string, path: string): Promise<string> {
  return orUsageError(flag, () => readText(path));
}

/** Runs work on the value of a flag.
 *
 * @throws UsageError that names the flag, with the message of the error
 */
export async function orUsageError<Result>(flag: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new UsageError(`--${flag}: ${reasonOf(error)}`);
  }
}

/** Writes a file that a flag names, readable by its owner only, and creates its parent folders.
 *
 * @throws StartError that names flag and file
 */
export async function writePrivateFile(flag: string, path: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { mode: 0o600 });
    // The mode above applies only to new files.
    await chmod(path, 0o600);
  } catch (error) {
    throw new StartError(`--${flag}: ${reasonOf(error)}`);
  }
}

/** Returns the message of a file or socket error without its code: `no such file or directory, open 'x'`. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/^E[A-Z]+: /, '');
}
