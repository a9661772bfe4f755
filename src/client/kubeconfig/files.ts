import { open, type FileHandle } from 'node:fs/promises';
import { monotonicMs, type Clock } from '../../foundation/index.js';
import { systemWords } from './errors.js';

/** Default maximum size of a file in a configuration, in bytes. */
export const DEFAULT_MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads a whole file.
 *
 * @param maxBytes maximum size of the file
 * @throws Error `open /path: no such file or directory` with the system error as its cause, or when the file is too
 *   long
 */
export async function readBoundedFile(path: string, maxBytes: number = DEFAULT_MAX_FILE_BYTES): Promise<Buffer> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new Error(`open ${path}: ${systemWords(cause)}`, { cause });
  });
  try {
    const content = await readUpTo(file, maxBytes + 1).catch((cause: unknown) => {
      throw new Error(`read ${path}: ${systemWords(cause)}`, { cause });
    });
    if (content.length > maxBytes) throw new Error(`read ${path}: the file is longer than ${maxBytes} bytes`);
    return content;
  } finally {
    await file.close();
  }
}

/** Reads the beginning of a file. The file size is not reliable: the file may be a pipe, or grow. */
async function readUpTo(file: FileHandle, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.createReadStream({ autoClose: false, end: length - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Options of reread files. */
export interface RereadOptions {
  readonly clock: Clock;
  /** Maximum age of the value, in milliseconds. */
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  /** Called when a later read fails; the previous value stays in use. */
  readonly warn: (error: Error) => void;
}

/** A value derived from files that others replace over time. Concurrent callers share a read. */
export class RereadFiles<Value> {
  #cached: { readonly value: Value; readonly readAt: number } | undefined;
  #reading: Promise<Value> | undefined;
  readonly #paths: readonly string[];
  readonly #derive: (contents: readonly string[]) => Value;
  readonly #options: RereadOptions;

  /** @param derive derives the value from the files' contents; throws when they are invalid */
  constructor(paths: readonly string[], derive: (contents: readonly string[]) => Value, options: RereadOptions) {
    this.#paths = paths;
    this.#derive = derive;
    this.#options = options;
  }

  /**
   * Returns the value, at most as old as the options allow.
   *
   * @throws Error when the first read fails
   */
  get(): Value | Promise<Value> {
    const { clock, maxAgeMs } = this.#options;
    if (this.#cached !== undefined && monotonicMs(clock) - this.#cached.readAt < maxAgeMs) return this.#cached.value;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async #read(): Promise<Value> {
    const { clock, maxBytes, warn } = this.#options;
    try {
      const contents = await Promise.all(this.#paths.map((path) => readBoundedFile(path, maxBytes)));
      const value = this.#derive(contents.map((content) => content.toString('utf8')));
      this.#cached = { value, readAt: monotonicMs(clock) };
      return value;
    } catch (error) {
      if (this.#cached === undefined || !(error instanceof Error)) throw error;
      warn(error);
      return this.#cached.value;
    }
  }
}
