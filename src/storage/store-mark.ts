/**
 * The mark of a store: one record beside what the API serves, by which a store says what it is.
 *
 * @module
 */
import { isJsonObject, parsedJson } from '../meta/json.js';
import { StorageError } from './storage.js';
import type { Revision, Storage, StorageRecord } from './storage.js';

/** Key of the mark. */
export const STORE_MARK_KEY = '/internal/store';

/** Keys of all objects start with this. */
const OBJECTS = '/registry/';

/** How objects are kept: keys, texts, and what stands beside them. A server refuses a store of a later layout and writes nothing to it. */
export const STORE_LAYOUT = 1;

/** What a store says of itself. */
export interface StoreMark {
  readonly layout: number;
  /** Name of the dialect that its objects are in; undefined while it is incomplete. */
  readonly dialect: string | undefined;
  /** Secret of the tokens of paged lists, the same for all servers on one store; hexadecimal. Empty while it is incomplete. */
  readonly continueKey: string;
  /** A copy into this store was begun and has not come to its end. */
  readonly incomplete: boolean;
}

/** A store that must be left as it is. The message says why, and what can be done. */
export class UnusableStoreError extends Error {
  override readonly name = 'UnusableStoreError';
}

/** The text of a mark, as an encoder of the storage makes it. */
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
 * @throws UnusableStoreError when it is of a later layout, or no mark
 */
export function readStoreMark(record: Pick<StorageRecord, 'text'>): StoreMark {
  const value = parsedJson(record.text);
  const layout = isJsonObject(value) ? value['layout'] : undefined;
  if (!isJsonObject(value) || typeof layout !== 'number')
    throw new UnusableStoreError(`the mark of the store (${STORE_MARK_KEY}) cannot be read`);
  if (layout > STORE_LAYOUT) {
    throw new UnusableStoreError(
      `the store has layout ${layout}, and this program knows layouts up to ${STORE_LAYOUT}: use the program that wrote it, or a newer one; nothing was changed`,
    );
  }
  const { dialect, continueKey, incomplete } = value;
  return {
    layout,
    dialect: typeof dialect === 'string' ? dialect : undefined,
    continueKey: typeof continueKey === 'string' ? continueKey : '',
    incomplete: incomplete === true,
  };
}

/**
 * Makes sure that a store is one of this layout and dialect. A store without a mark gets one.
 *
 * @param wanted the mark of a store that has none
 * @returns the mark that the store has
 * @throws UnusableStoreError when it is another's, of a later layout, or incomplete; StorageError when the storage fails
 */
export async function claimStore(
  storage: Storage,
  wanted: { readonly dialect: string; readonly continueKey: string },
): Promise<StoreMark> {
  const { record } = await storage.get(STORE_MARK_KEY);
  if (record === undefined) await refuseForeign(storage);
  const mark =
    record === undefined
      ? await leaveMark(storage, { layout: STORE_LAYOUT, ...wanted, incomplete: false })
      : readStoreMark(record);
  if (mark.incomplete)
    throw new UnusableStoreError('the store is incomplete: a copy into it was begun and did not come to its end');
  if (mark.dialect === wanted.dialect) return mark;
  throw new UnusableStoreError(
    `the store holds objects of the dialect ${mark.dialect ?? 'nobody knows'}, and this server speaks ${wanted.dialect}: give every dialect a store of its own`,
  );
}

/** A store without a mark may hold objects, but not what another program keeps there in a form of its own. */
async function refuseForeign(storage: Storage): Promise<void> {
  const [first] = (await storage.list(OBJECTS, { limit: 1 })).records;
  if (first === undefined) return;
  const value = parsedJson(first.text);
  if (isJsonObject(value) && typeof value['kind'] === 'string' && typeof value['apiVersion'] === 'string') return;
  throw new UnusableStoreError(
    `the store holds what this program cannot read (${first.key}): it is another program's; nothing was changed`,
  );
}

async function leaveMark(storage: Storage, mark: StoreMark): Promise<StoreMark> {
  try {
    await storage.create(STORE_MARK_KEY, storeMarkText(mark));
    return mark;
  } catch (error) {
    // Another server on the same store was faster.
    if (error instanceof StorageError && error.code === 'KeyExists' && error.current !== undefined)
      return readStoreMark(error.current);
    throw error;
  }
}
