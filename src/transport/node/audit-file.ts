import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  write,
  writeSync,
} from 'node:fs';
import { readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import {
  aBoolean,
  aClock,
  aDuration,
  aName,
  aNumber,
  checkOptions,
  durationMs,
  messageOf,
  silentLogger,
  systemClock,
  withMethods,
  type Clock,
  type Duration,
  type Logger,
  type OptionChecks,
} from '../../foundation/index.js';
import type { AuditOutput } from '../../security/index.js';

/** Options of {@link auditFile}. */
export interface AuditFileOptions {
  /** Path of the file. Its folder is created. */
  readonly path: string;
  /** Maximum age of old files by the time in their names: `168h`. 0 keeps them whatever their age. Default 0. */
  readonly maxAge?: Duration | undefined;
  /** Maximum number of old files; 0 for any. Default 0. */
  readonly maxBackups?: number | undefined;
  /** Size at which the file is rotated, in megabytes (2^20 bytes). Default 100. */
  readonly maxSizeMegabytes?: number | undefined;
  /** Whether old files are compressed with gzip. Default false. */
  readonly compress?: boolean | undefined;
  /** Clock of the ages and of the names of old files; default the host's. */
  readonly clock?: Clock | undefined;
  /** Log of failures to compress and to remove old files; default none. */
  readonly logger?: Logger | undefined;
}

/** A log file that is rotated. */
export interface AuditFile extends AuditOutput {
  /** Writes whole lines. @throws Error when they cannot be written; the next write tries again */
  write(lines: string): void;
  /** Writes a long line without holding up the event loop. @throws as {@link write} */
  writeLong(line: Uint8Array): Promise<void>;
  /** Renames the file, and begins a new one. */
  rotate(): void;
  /** Resolves when old files have been compressed and removed. */
  tidied(): Promise<void>;
  close(): Promise<void>;
}

const optionChecks: OptionChecks<AuditFileOptions> = {
  path: aName,
  maxAge: aDuration,
  maxBackups: aNumber('files'),
  maxSizeMegabytes: aNumber('megabytes', Number.MIN_VALUE),
  compress: aBoolean,
  clock: aClock,
  logger: withMethods('a logger', 'info', 'error'),
};

const written = promisify(write);

const MEGABYTE = 1024 * 1024;
const DEFAULT_MEGABYTES = 100;
const COMPRESSED = '.gz';
/** Readable by the owner only: the log names users and objects. */
const FILE_MODE = 0o600;

/**
 * Opens a log file with rotation. A write is in the operating system's cache when it returns, and so survives the end
 * of the process. The names of old files have the time of their rotation: `audit-2006-01-02T15-04-05.000.log`.
 *
 * @throws TypeError that names an invalid option; Error when the file cannot be opened
 */
export function auditFile(options: AuditFileOptions): AuditFile {
  checkOptions('auditFile', options, optionChecks, ['path']);
  return new RotatedFile(options);
}

class RotatedFile implements AuditFile {
  readonly #options: AuditFileOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #size = 0;
  #rotatedMs = 0;
  #tidying: Promise<void> = Promise.resolve();
  /** The file that a long line is being written to, which is closed once it has been. */
  #busy: { readonly descriptor: number; isLeft: boolean } | undefined;

  constructor(options: AuditFileOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#maxBytes = (options.maxSizeMegabytes ?? DEFAULT_MEGABYTES) * MEGABYTE;
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
    this.#open();
    this.#tidy();
  }

  write(lines: string): void {
    const bytes = Buffer.from(lines);
    const descriptor = this.#fileFor(bytes.length);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    this.#size += bytes.length;
  }

  async writeLong(line: Uint8Array): Promise<void> {
    const descriptor = this.#fileFor(line.length);
    this.#size += line.length;
    const busy = (this.#busy = { descriptor, isLeft: false });
    try {
      for (let at = 0; at < line.length;) at += (await written(descriptor, line, at)).bytesWritten;
    } finally {
      this.#busy = undefined;
      if (busy.isLeft) closeSync(descriptor);
    }
  }

  /** Returns the file with room for some bytes. */
  #fileFor(bytes: number): number {
    if (this.#size > 0 && this.#size + bytes > this.#maxBytes) this.rotate();
    // A rotation that failed has left no file.
    return this.#descriptor ?? this.#open();
  }

  rotate(): void {
    this.#close();
    renameSync(this.#options.path, this.#backupPath());
    this.#open();
    this.#tidy();
  }

  tidied(): Promise<void> {
    return this.#tidying;
  }

  async close(): Promise<void> {
    this.#close();
    await this.#tidying;
  }

  #open(): number {
    const descriptor = openSync(this.#options.path, 'a', FILE_MODE);
    this.#size = fstatSync(descriptor).size;
    this.#descriptor = descriptor;
    return descriptor;
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) return;
    if (this.#busy?.descriptor === descriptor) this.#busy.isLeft = true;
    else closeSync(descriptor);
  }

  /** Two rotations in the same millisecond get different names. */
  #backupPath(): string {
    const { folder, stem, extension } = this.#names();
    this.#rotatedMs = Math.max(this.#clock.now(), this.#rotatedMs + 1);
    const time = new Date(this.#rotatedMs).toISOString().replaceAll(':', '-').replace('Z', '');
    return join(folder, `${stem}-${time}${extension}`);
  }

  #names(): { readonly folder: string; readonly stem: string; readonly extension: string } {
    const { path } = this.#options;
    const extension = extname(path);
    return { folder: dirname(path), stem: basename(path, extension), extension };
  }

  /** Compresses and removes old files, one round after the other. A failure is logged: the log goes on. */
  #tidy(): void {
    this.#tidying = this.#tidying
      .then(() => this.#tidyOnce())
      .catch((error: unknown) =>
        this.#logger.error('old audit files cannot be compressed or removed', { error: messageOf(error) }),
      );
  }

  async #tidyOnce(): Promise<void> {
    const { maxAge = 0, maxBackups = 0, compress = false } = this.#options;
    const backups = await this.#backups();
    const maxAgeMs = durationMs(maxAge);
    const oldestMs = maxAgeMs === 0 ? -Infinity : this.#clock.now() - maxAgeMs;
    const most = maxBackups === 0 ? Infinity : maxBackups;
    for (const [index, { path, atMs }] of backups.entries()) {
      if (index >= most || atMs < oldestMs) await unlink(path);
      else if (compress && !path.endsWith(COMPRESSED)) await compressed(path);
    }
  }

  /** Returns the old files, the newest first. Other files of the folder are not touched. */
  async #backups(): Promise<{ readonly path: string; readonly atMs: number }[]> {
    const { folder, stem, extension } = this.#names();
    const backups = (await readdir(folder)).flatMap((name) => {
      const plain = name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name;
      if (!plain.startsWith(`${stem}-`) || !plain.endsWith(extension)) return [];
      const atMs = timeOf(plain.slice(stem.length + 1, plain.length - extension.length));
      return atMs === undefined ? [] : [{ path: join(folder, name), atMs }];
    });
    return backups.sort((one, other) => other.atMs - one.atMs);
  }
}

const BACKUP_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}\.\d{3})$/;

/** Returns the time in the name of an old file; undefined for other names. */
function timeOf(text: string): number | undefined {
  const match = BACKUP_TIME.exec(text);
  if (match === null) return undefined;
  const atMs = Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Compresses a file. The compressed one appears when it is complete. */
async function compressed(path: string): Promise<void> {
  const unfinished = `${path}${COMPRESSED}.tmp`;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: FILE_MODE }));
    await rename(unfinished, `${path}${COMPRESSED}`);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await unlink(path);
}
