/** The SQLite result codes that the engine distinguishes (https://sqlite.org/rescode.html). */
export const ResultCode = { Busy: 5, Corrupt: 11, Full: 13, NotADatabase: 26 } as const;

/** A failure of the database or of its thread. */
export class SqliteFailure extends Error {
  /** SQLite's primary result code; 0 when the failure is not SQLite's. */
  readonly code: number;

  /** @param code primary or extended result code */
  constructor(code: number, message: string) {
    super(message);
    this.name = 'SqliteFailure';
    this.code = code & 0xff;
  }
}

/** Returns whether the disk is full. SQLite has then rolled back and can continue. */
export function isFull(error: unknown): boolean {
  return error instanceof SqliteFailure && error.code === ResultCode.Full;
}
