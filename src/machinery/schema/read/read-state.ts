import {
  errors,
  jsonText,
  UNBOUNDED_WORK,
  type ApiError,
  type JsonValue,
  type Work,
} from '../../../foundation/index.js';

/**
 * Most bytes of defaults that a read fills in: as many as a body may have. The items of a list of a few kilobytes may have
 * thousands of fields with defaults, or defaults of a megabyte.
 */
export const MAX_DEFAULT_BYTES = 3 * 1024 * 1024;

/** Memory of a value in an object, in bytes, without its text. */
const VALUE_BYTES = 32;

/** Memory of a byte of text: in the text to store, and while that is made. */
const TEXT_COPIES = 2;

/** Memory that is reserved in one step, in bytes. */
const RESERVED_BYTES = 64 * 1024;

/** The bytes that a default adds to an object. */
export interface Fill {
  /** Length of its text, with the name of its field. */
  readonly length: number;
  /** Its memory, in bytes. */
  readonly memory: number;
}

/** Returns what a default adds to an object. @param name name of its field; empty for an item or a value of a map */
export function fillOf(name: string, value: JsonValue): Fill {
  const length = name.length + 4 + jsonText(value).length;
  return { length, memory: TEXT_COPIES * length + VALUE_BYTES * valuesIn(value) };
}

function valuesIn(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const member of Object.values(value) as (JsonValue | undefined)[]) count += valuesIn(member);
  return count;
}

/** State of one read. */
export class ReadState {
  /** True when an unknown field was found. A second walk names it. */
  unknown = false;
  /** For `user`: keeps a null in a field that is not nullable and has no default, so that validation refuses it. */
  readonly keepNulls: boolean;
  readonly work: Work;
  /** The map that was read last, if it is not empty: finding that out may take long. */
  filled: object | undefined;
  readonly #tooLong: () => Error;
  /** Bytes of defaults that may still be filled in. */
  #room: number;
  /** Memory of what was filled in and is not reserved. */
  #unreserved = 0;

  /**
   * @param maxBytes most bytes of defaults
   * @param tooLong makes the error of more
   */
  constructor(
    keepNulls: boolean,
    work: Work = UNBOUNDED_WORK,
    maxBytes = MAX_DEFAULT_BYTES,
    tooLong: () => Error = defaultsTooLong,
  ) {
    this.keepNulls = keepNulls;
    this.work = work;
    this.#room = maxBytes;
    this.#tooLong = tooLong;
  }

  /** Counts a default before it is filled in. @throws ApiError 413 for too many bytes; 429 for too much memory */
  fill({ length, memory }: Fill): void {
    this.#room -= length;
    if (this.#room < 0) throw this.#tooLong();
    this.#unreserved += memory;
    if (this.#unreserved < RESERVED_BYTES) return;
    this.work.reserve(this.#unreserved);
    this.#unreserved = 0;
  }
}

const defaultsTooLong = (): ApiError =>
  errors.requestEntityTooLarge(`the object has more than ${MAX_DEFAULT_BYTES} bytes of defaults`);
