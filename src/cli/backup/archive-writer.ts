import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../storage/sqlite/store-file.js';
import type { StoreSnapshot } from '../../storage/transfer/index.js';
import { headLine, recordLine, tailLine } from './archive-format.js';

/** How a backup is written. */
export interface ArchiveWriteOptions {
  /** RFC 3339. */
  readonly createdAt: string;
  readonly onProgress?: (records: number) => void;
  readonly signal?: AbortSignal;
}

/** What was written. */
export interface WrittenArchive {
  readonly records: number;
  readonly bytes: number;
}

/**
 * Writes a backup. It is made under another name (`.incomplete`) and takes its own when it is whole and on the disk; a file of
 * that name is replaced then. Only its owner may read it, as objects have secrets.
 *
 * @throws Error when the file cannot be written, what the snapshot throws, the signal's reason; nothing is left then
 */
export async function writeArchive(
  snapshot: StoreSnapshot,
  path: string,
  options: ArchiveWriteOptions,
): Promise<WrittenArchive> {
  const made = `${path}.incomplete`;
  await mkdir(dirname(path), { recursive: true });
  await rm(made, { force: true });
  const file = await open(made, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let [records, bytes] = [0, 0];
    const write = async (text: string): Promise<void> => {
      hash.update(text);
      await file.appendFile(text);
      // It is ASCII.
      bytes += text.length;
    };
    await write(headLine({ revision: snapshot.revision, records: snapshot.count, createdAt: options.createdAt }));
    for await (const batch of snapshot.batches()) {
      options.signal?.throwIfAborted();
      await write(batch.map(recordLine).join(''));
      options.onProgress?.((records += batch.length));
    }
    await write(tailLine({ records, sha256: hash.copy().digest('hex') }));
    await file.sync();
    await file.close();
    options.signal?.throwIfAborted();
    await rename(made, path);
    syncDirectory(dirname(path));
    return { records, bytes };
  } catch (error) {
    await file.close();
    await rm(made, { force: true });
    throw error;
  }
}
