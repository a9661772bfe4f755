import { shareTurn, type Clock } from '../../foundation/index.js';
import { StorageError, type Revision, type Storage, type StorageRecord } from '../storage.js';

/** Options of {@link rewriteStale}. */
export interface RewriteOptions {
  /** Clock for the remaining time of keys that expire. */
  readonly clock: Clock;
  /** Returns a text with the revision of its new record. */
  readonly stampRevision: (text: string, revision: Revision) => string;
  /** Counts the records that would be rewritten, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Called after each page with the records that were read, and all records. */
  readonly onProgress?: ((records: number, all: number) => void) | undefined;
  /** Ends the work between two pages. A later call continues: what is rewritten is not stale any more. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of {@link rewriteStale}. */
export interface RewrittenRecords {
  readonly records: number;
  /** Records that were stored in another way than a write would store them. */
  readonly rewritten: number;
}

const PAGE = 200;

/**
 * Writes the records whose values a write would protect in another way again, as they are. Other writes win: they protect
 * the value, too.
 *
 * @throws StorageError when the storage fails; UnreadableValueError; the signal's reason
 */
export async function rewriteStale(storage: Storage, options: RewriteOptions): Promise<RewrittenRecords> {
  const { dryRun = false, onProgress, signal } = options;
  const expiries = await storage.expiries();
  let [records, rewritten] = [0, 0];
  for (let after: string | undefined, remaining = 1; remaining > 0;) {
    signal?.throwIfAborted();
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    const page = await storage.list('', { after, limit: PAGE });
    const stale = page.records.filter((record) => storage.isStale?.(record) === true);
    if (!dryRun) await Promise.all(stale.map((record) => rewrite(storage, record, expiries, options)));
    rewritten += stale.length;
    records += page.records.length;
    ({ remaining } = page);
    after = page.records.at(-1)?.key ?? after;
    onProgress?.(records, records + remaining);
  }
  return { records, rewritten };
}

async function rewrite(
  storage: Storage,
  { key, text, modRevision }: StorageRecord,
  expiries: ReadonlyMap<string, number>,
  { clock, stampRevision }: RewriteOptions,
): Promise<void> {
  const expiresAt = expiries.get(key);
  const ttl = expiresAt === undefined ? undefined : expiresAt - clock.now();
  if (ttl !== undefined && ttl <= 0) return;
  const encode = (revision: Revision): string => stampRevision(text, revision);
  try {
    await storage.update(key, encode, modRevision, ttl === undefined ? {} : { ttl, encodeExpired: encode });
  } catch (error) {
    if (!(error instanceof StorageError) || (error.code !== 'Conflict' && error.code !== 'KeyNotFound')) throw error;
  }
}
