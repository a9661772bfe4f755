import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Where SQLite keeps what identifies a file, https://sqlite.org/fileformat2.html section 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** What a database file says of itself. */
export interface FileIdentity {
  readonly applicationId: number;
  /** Version of its layout. */
  readonly version: number;
}

/**
 * Makes an empty file, and the directories to it, unless it exists. What is stored is for the owner's eyes only, as objects
 * have secrets. The new entries of directories are made to survive a power cut.
 */
export function makeFile(path: string): void {
  if (existsSync(path)) return;
  const directory = dirname(resolve(path));
  const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  syncDirectory(directory);
  if (firstMade === undefined) return;
  for (let made = directory; made.length >= firstMade.length; made = dirname(made)) syncDirectory(dirname(made));
}

/** What a file says of itself, without opening the database; undefined of one that is not a database; zeros of an empty one. */
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

/** Makes the entries of a directory survive a power cut. */
export function syncDirectory(directory: string): void {
  // Windows keeps its directories safe by itself, and opens none.
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Bytes of the write-ahead log of a store. */
export function logSizeOf(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
