import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { refuse } from './refusal.js';

/** Positions of the identifying fields in the file header, https://sqlite.org/fileformat2.html section 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** The identity in the header of a database file. */
export interface FileIdentity {
  readonly applicationId: number;
  /** Version of its layout. */
  readonly version: number;
}

/**
 * Creates an empty file and its directories unless it exists. Only the owner has access, since objects contain secrets.
 * The new directory entries survive a power loss.
 */
export function makeFile(path: string): void {
  if (existsSync(path)) return;
  const directory = dirname(resolve(path));
  const firstCreated = mkdirSync(directory, { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  syncDirectory(directory);
  if (firstCreated === undefined) return;
  for (let created = directory; created.length >= firstCreated.length; created = dirname(created))
    syncDirectory(dirname(created));
}

/**
 * Reads the identity of a file without opening the database. Returns undefined for a file that is not a database; zeros
 * for an empty file.
 */
export function identityOf(path: string): FileIdentity | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, 'r');
  try {
    const length = readSync(descriptor, header, 0, HEADER_BYTES, 0);
    if (length === 0) return { applicationId: 0, version: 0 };
    if (length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
    return { applicationId: header.readUInt32BE(APPLICATION_ID_AT), version: header.readUInt32BE(USER_VERSION_AT) };
  } finally {
    closeSync(descriptor);
  }
}

/** A store's file, and the file that whoever writes to it keeps locked. */
export interface StoreFile {
  readonly file: string;
  readonly lockFile: string;
}

/**
 * Returns the one name of a store that all its paths lead to, relative ones and those with symbolic links, so that all
 * who open it ask for the same lock. The file need not exist, but its directory must.
 *
 * @throws StorageError `Unavailable` when the file has hard links: their locks and logs would differ
 */
export function storeFileAt(path: string): StoreFile {
  const names = statSync(path, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names > 1)
    throw refuse(
      `the store ${path} has ${names} names (hard links), and each would have a log of its own: remove all but one`,
    );
  // The native function also finds the spelling of names on file systems that ignore case.
  const file = existsSync(path)
    ? realpathSync.native(path)
    : join(realpathSync.native(dirname(resolve(path))), basename(path));
  return { file, lockFile: `${file}-lock` };
}

/** Makes the entries of a directory survive a power loss. */
export function syncDirectory(directory: string): void {
  // Windows needs no sync of directories and cannot open them.
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the size of a store's write-ahead log, in bytes. */
export function logSizeOf(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
