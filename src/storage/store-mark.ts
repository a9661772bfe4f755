/**
 * The mark of a store: one record, outside the API's keys, that identifies the store.
 *
 * @module
 */
import { isJsonObject, OBJECT_KEYS, parsedJson, stringOrEmpty } from '../foundation/index.js';
import { replaceRecord, untilWritten } from './replace-record.js';
import { StorageError } from './storage.js';
import { LAYOUT_VERSIONS, OLDEST_LAYOUT, STORE_LAYOUT } from './store-layout.js';
import type { Revision, Storage, StorageRecord } from './storage.js';

/** Key of the mark. */
export const STORE_MARK_KEY = '/internal/store';

/** The contents of a mark. */
export interface StoreMark {
  /** The {@link STORE_LAYOUT layout} that the store may hold. A build that does not read it leaves the store unchanged. */
  readonly layout: number;
  /** First version of the package that reads the layout; undefined for the oldest layout. */
  readonly minReader?: string | undefined;
  /** Name of the dialect of the store's objects; undefined while the store is incomplete. */
  readonly dialect: string | undefined;
  /**
   * Secret key of continue tokens, shared by all servers on one store; hexadecimal. Empty while the store is
   * incomplete.
   */
  readonly continueKey: string;
  /** Whether a copy into this store has started and not finished. */
  readonly incomplete: boolean;
}

/** A store that cannot be used and is left unchanged. The message says why and how to proceed. */
export class UnusableStoreError extends Error {
  override readonly name = 'UnusableStoreError';
}

/** Returns an encoder for the text of a mark. */
export function storeMarkText(mark: StoreMark): (revision: Revision) => string {
  return (revision) =>
    JSON.stringify({
      kind: 'Store',
      apiVersion: 'internal/v1',
      metadata: { resourceVersion: String(revision) },
      ...mark,
    });
}

/**
 * Reads a mark.
 *
 * @throws UnusableStoreError when it has a layout that this build does not read, or is not a mark
 */
export function readStoreMark(record: Pick<StorageRecord, 'text'>): StoreMark {
  const value = parsedJson(record.text);
  const layout = isJsonObject(value) ? value['layout'] : undefined;
  if (!isJsonObject(value) || typeof layout !== 'number')
    throw new UnusableStoreError(`the mark of the store (${STORE_MARK_KEY}) cannot be read`);
  const { dialect, continueKey, incomplete, minReader } = value;
  checkLayout(layout, typeof minReader === 'string' ? minReader : undefined);
  return {
    layout,
    ...(typeof minReader === 'string' ? { minReader } : {}),
    dialect: typeof dialect === 'string' ? dialect : undefined,
    continueKey: stringOrEmpty(continueKey),
    incomplete: incomplete === true,
  };
}

/**
 * Checks that this build reads a layout.
 *
 * @param minReader first version of the package that reads it, as far as the store says
 * @throws UnusableStoreError with the remedy
 */
export function checkLayout(layout: number, minReader: string | undefined): void {
  if (layout > STORE_LAYOUT) {
    const program =
      minReader === undefined ? 'the program that wrote it, or a newer one' : `version ${minReader} or later`;
    throw new UnusableStoreError(
      `the store has layout ${layout}, but this program supports layouts up to ${STORE_LAYOUT}: use ${program}; nothing was changed`,
    );
  }
  if (layout < OLDEST_LAYOUT) {
    const between = minReaderOf(OLDEST_LAYOUT) ?? 'an earlier version';
    throw new UnusableStoreError(
      `the store has layout ${layout}, but this program supports layouts from ${OLDEST_LAYOUT} on: first run 'orch-apiserver migrate --raise-layout' of version ${between}; nothing was changed`,
    );
  }
}

/** Returns the first version of the package that reads a layout, as far as this build knows. */
export const minReaderOf = (layout: number): string | undefined => LAYOUT_VERSIONS.get(layout);

/**
 * Raises the layout in the mark of a store. Builds that do not read it refuse the store from then on. Call it before the
 * first write in the layout, and only when no server that does not read it may be running.
 *
 * @throws UnusableStoreError when the store has no mark or is not complete; StorageError when the storage fails
 */
export async function raiseLayoutOfMark(storage: Storage, layout: number): Promise<void> {
  await untilWritten(STORE_MARK_KEY, async () => {
    const { record } = await storage.get(STORE_MARK_KEY);
    const mark = record && readStoreMark(record);
    if (record === undefined || mark === undefined || mark.incomplete)
      throw new UnusableStoreError('the store has no mark, or is incomplete: start a server on it first');
    if (mark.layout >= layout) return true;
    const raised = { ...mark, layout, minReader: minReaderOf(layout) };
    return replaceRecord(storage, STORE_MARK_KEY, record, storeMarkText(raised));
  });
}

/**
 * Checks that a store has this layout and dialect. Writes a mark to a store that has none.
 *
 * @param wanted the mark for a store that has none
 * @returns the mark of the store
 * @throws UnusableStoreError when the store belongs to another program or dialect, has a later layout, or is
 * incomplete; StorageError when the storage fails
 */
export async function claimStore(
  storage: Storage,
  wanted: { readonly dialect: string; readonly continueKey: string },
): Promise<StoreMark> {
  const { record } = await storage.get(STORE_MARK_KEY);
  if (record === undefined) await refuseForeign(storage);
  const mark =
    record === undefined
      ? await writeMark(storage, { layout: OLDEST_LAYOUT, ...wanted, incomplete: false })
      : readStoreMark(record);
  if (mark.incomplete)
    throw new UnusableStoreError('the store is incomplete: a copy into it was started but not finished');
  if (mark.dialect === wanted.dialect) return mark;
  throw new UnusableStoreError(
    `the store holds objects of the dialect ${mark.dialect ?? 'unknown'}, but this server uses ${wanted.dialect}: use a separate store for each dialect`,
  );
}

/** Refuses a store without a mark whose first value is not an API object. */
async function refuseForeign(storage: Storage): Promise<void> {
  const [first] = (await storage.list(OBJECT_KEYS, { limit: 1 })).records;
  if (first === undefined) return;
  const value = parsedJson(first.text);
  if (isJsonObject(value) && typeof value['kind'] === 'string' && typeof value['apiVersion'] === 'string') return;
  throw new UnusableStoreError(
    `the store contains a value that this program cannot read (${first.key}): it belongs to another program; nothing was changed`,
  );
}

async function writeMark(storage: Storage, mark: StoreMark): Promise<StoreMark> {
  try {
    await storage.create(STORE_MARK_KEY, storeMarkText(mark));
    return mark;
  } catch (error) {
    // Another server on the same store has written the mark first.
    if (error instanceof StorageError && error.code === 'KeyExists' && error.current !== undefined)
      return readStoreMark(error.current);
    throw error;
  }
}
