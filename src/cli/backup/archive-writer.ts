import { createHash } from 'node:crypto';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreSnapshot } from '../../storage/index.js';
import { syncDirectory } from '../../storage/node.js';
import { digestOf, headLine, recordLine, tailLine } from './archive-format.js';

/** Options of {@link writeArchive}. */
export interface ArchiveWriteOptions {
  /** Creation time, RFC 3339. */
  readonly createdAt: string;
  readonly onProgress?: ((records: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether an existing file is replaced. */
  readonly replace: boolean;
}

/** The file of the backup exists, and must not be replaced. */
export class ArchiveExistsError extends Error {
  override readonly name = 'ArchiveExistsError';
}

/** Errors of file systems that have no hard links. */
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Size of a written backup. */
export interface WrittenArchive {
  readonly records: number;
  readonly bytes: number;
  /** Of the whole file: `sha256:` and the hexadecimal SHA-256. */
  readonly digest: string;
}

/**
 * Writes a backup to a temporary file (`.incomplete`) and renames it when it is complete and synced. Only the owner can
 * read the file, because it contains secrets.
 *
 * @throws ArchiveExistsError when the file exists by then and is not to be replaced; Error when the file cannot be written; errors of the snapshot; the signal's reason. The temporary file is
 *   then removed
 */
export async function writeArchive(
  snapshot: StoreSnapshot,
  path: string,
  options: ArchiveWriteOptions,
): Promise<WrittenArchive> {
  const temporary = `${path}.incomplete`;
  await mkdir(dirname(path), { recursive: true });
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let [records, bytes] = [0, 0];
    const write = async (text: string): Promise<void> => {
      hash.update(text);
      await file.appendFile(text);
      // The text is ASCII, so its length is its size in bytes.
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
    await (options.replace ? rename(temporary, path) : moveToNew(temporary, path));
    syncDirectory(dirname(path));
    return { records, bytes, digest: digestOf(hash) };
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Renames a file without replacing another. @throws ArchiveExistsError */
async function moveToNew(from: string, to: string): Promise<void> {
  try {
    // A rename would replace a file that another process made meanwhile.
    await link(from, to);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw new ArchiveExistsError(to);
    if (!WITHOUT_LINKS.has(code)) throw error;
    return rename(from, to);
  }
  await rm(from);
}
