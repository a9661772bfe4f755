import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
