import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { messageOf } from '../../foundation/index.js';
import type { SnapshotRecord, StoreSnapshot } from '../../storage/index.js';
import { digestOf, readHead, readLine, type ArchiveHead } from './archive-format.js';

/** Maximum length of a line, in bytes; a quoted object is far shorter. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
/** Number of records per batch. */
const BATCH = 500;
const LINE_FEED = 0x0a;

/** A backup that was read completely and verified. */
export interface CheckedArchive extends StoreSnapshot {
  /** Creation time, RFC 3339. */
  readonly createdAt: string;
}

/**
 * Reads and verifies a complete backup. The returned batches read and verify the file again.
 *
 * @param digest of the whole file, as `sha256:…`; undefined when it is not known
 * @param onProgress called with the number of records read so far
 * @throws Error that describes the problem, in which case the backup must not be used; the signal's reason
 */
export async function checkArchive(
  path: string,
  digest: string | undefined,
  onProgress?: (records: number, all: number) => void,
  signal?: AbortSignal,
): Promise<CheckedArchive> {
  const { revision, createdAt, records: expected } = await headOf(path);
  let count = 0;
  for await (const batch of archiveBatches(path, digest)) {
    signal?.throwIfAborted();
    onProgress?.((count += batch.length), expected);
  }
  return { revision, createdAt, count, batches: () => archiveBatches(path, digest) };
}

async function headOf(path: string): Promise<ArchiveHead> {
  for await (const line of linesOf(path)) return readHead(line.toString('latin1'));
  throw new Error('it is empty');
}

/**
 * Yields the records of a backup. Throws at the end if the checksum does not match, so callers must not commit records
 * before the end.
 *
 * @param digest of the whole file, which must match, too
 */
export async function* archiveBatches(path: string, digest?: string): AsyncGenerator<readonly SnapshotRecord[], void> {
  const hash = createHash('sha256');
  let batch: SnapshotRecord[] = [];
  let [number, records, ended] = [0, 0, false];
  for await (const bytes of linesOf(path)) {
    number += 1;
    const text = bytes.toString('latin1');
    if (ended) throw new Error(`it continues after its end, in line ${number}`);
    if (number === 1) readHead(text);
    else {
      const line = inLine(number, () => readLine(text));
      if ('tail' in line) {
        if (line.tail.sha256 !== hash.copy().digest('hex') || line.tail.records !== records)
          throw new Error('it is damaged: its checksum does not match');
        ended = true;
      } else {
        records += 1;
        batch.push(line.record);
      }
    }
    hash.update(bytes);
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (!ended) throw new Error('it ends early: its last line is missing');
  const found = digestOf(hash);
  if (digest !== undefined && found !== digest) throw new Error(`its digest is ${found}, not ${digest}`);
  if (batch.length > 0) yield batch;
}

function inLine<Result>(number: number, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new Error(`${messageOf(error)} in line ${number}`, { cause: error });
  }
}

/**
 * Yields the lines of a file with their line feeds. @throws Error when the last line has no line feed, or a line is too
 * long
 */
async function* linesOf(path: string): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...parts, bytes.subarray(start, end + 1)]);
      [parts, length, start] = [[], 0, end + 1];
    }
    parts.push(bytes.subarray(start));
    length += bytes.length - start;
    if (length > MAX_LINE_BYTES) throw new Error('it has a line that is too long');
  }
  if (length > 0) throw new Error('it ends early, within a line');
}
