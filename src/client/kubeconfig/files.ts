import { open, type FileHandle } from 'node:fs/promises';
import type { Clock } from '../../meta/index.js';
import { systemWords } from './errors.js';

/** Longest file that a configuration may name, in bytes. */
export const DEFAULT_MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads a whole file.
 *
 * @param maxBytes longest file that is taken
 * @throws Error `open /path: no such file or directory` with the system's error as its cause, or when the file is too long
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

/** The beginning of a file. The size that the system tells is no bound: what is read may be a pipe, or grow. */
async function readUpTo(file: FileHandle, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.createReadStream({ autoClose: false, end: length - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** How often a file is read again. */
export interface RereadOptions {
  readonly clock: Clock;
  /** Age from which what was read is read again, in milliseconds. */
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  /** Told when a later read fails; what was read before stays in use. */
  readonly warn: (error: Error) => void;
}

/** What is made of files that somebody else replaces from time to time. Concurrent readers share one read. */
export class RereadFiles<Value> {
  #known: { readonly value: Value; readonly readAt: number } | undefined;
  #reading: Promise<Value> | undefined;

  constructor(
    private readonly paths: readonly string[],
    /** Makes the value of the files' contents; throws when they make none. */
    private readonly make: (contents: readonly string[]) => Value,
    private readonly options: RereadOptions,
  ) {}

  /**
   * The value, as new as the options say.
   *
   * @throws Error when there is none yet and it cannot be read
   */
  get(): Value | Promise<Value> {
    const { clock, maxAgeMs } = this.options;
    if (this.#known !== undefined && clock.now() - this.#known.readAt < maxAgeMs) return this.#known.value;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async #read(): Promise<Value> {
    const { clock, maxBytes, warn } = this.options;
    try {
      const contents = await Promise.all(this.paths.map((path) => readBoundedFile(path, maxBytes)));
      const value = this.make(contents.map((content) => content.toString('utf8')));
      this.#known = { value, readAt: clock.now() };
      return value;
    } catch (error) {
      if (this.#known === undefined || !(error instanceof Error)) throw error;
      warn(error);
      return this.#known.value;
    }
  }
}
