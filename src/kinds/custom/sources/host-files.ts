import { hostModule, wrapError } from '../../../foundation/index.js';

/** The part of Node's `fs/promises` module that is used. */
interface HostFiles {
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ readonly size: number; isDirectory(): boolean }>;
}

/** A text file. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Maximum size of a file, in bytes. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Names of files in a directory that are read. */
const READ_NAMES = /\.(yaml|yml|json)$/;

function isHostFiles(module: unknown): module is HostFiles {
  return typeof module === 'object' && module !== null && 'readFile' in module && 'readdir' in module;
}

function hostFiles(path: string): HostFiles {
  const files = hostModule('node:fs/promises');
  if (!isHostFiles(files)) throw new Error(`${path}: this platform has no files; pass the content instead of a path`);
  return files;
}

/**
 * Reads a file, or all files of a directory whose names end in .yaml, .yml or .json, in the order of their names.
 *
 * @throws Error that names the file, also on a platform without files
 */
export async function readTextFiles(
  path: string,
): Promise<{ readonly isDirectory: boolean; readonly files: TextFile[] }> {
  const files = hostFiles(path);
  try {
    if (!(await files.stat(path)).isDirectory())
      return { isDirectory: false, files: [await readTextFile(files, path)] };
    const names = (await files.readdir(path)).filter((name) => READ_NAMES.test(name)).sort();
    const paths = names.map((name) => `${path.replace(/\/+$/, '')}/${name}`);
    return { isDirectory: true, files: await Promise.all(paths.map((file) => readTextFile(files, file))) };
  } catch (error) {
    throw wrapError(path, error);
  }
}

async function readTextFile(files: HostFiles, path: string): Promise<TextFile> {
  const { size } = await files.stat(path);
  if (size > MAX_FILE_BYTES) throw new Error(`the file is longer than ${MAX_FILE_BYTES} bytes`);
  return { path, text: await files.readFile(path, 'utf8') };
}
