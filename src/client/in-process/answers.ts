/**
 * The answers of an in-process client: copies of stored objects, which the caller owns.
 *
 * @module
 */
import { shareTurn, toError, type JsonObject } from '../../foundation/index.js';
import {
  listMeta,
  reportUnreadable,
  type ListOutcome,
  type ResourceStore,
  type UnreadableObject,
} from '../../registry/index.js';
import type { StorageRecord } from '../../storage/index.js';
import { copyInTurns, type ObjectForm } from './object-form.js';
import type { RunningCall } from './running-call.js';

/**
 * Returns copies of the objects of many records.
 *
 * @param onUnreadable called for each object that cannot be read and is left out
 * @throws ApiError 500 when an object cannot be read and `onUnreadable` is undefined
 */
export async function copiesOf<Item>(
  form: ObjectForm<Item>,
  store: ResourceStore,
  records: readonly StorageRecord[],
  onUnreadable?: (unreadable: UnreadableObject) => void,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const record of records) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    try {
      const copy = copyInTurns(form, store, record);
      items.push(copy instanceof Promise ? await copy : copy);
    } catch (error) {
      if (onUnreadable === undefined) throw error;
      reportUnreadable(store, record, toError(error), onUnreadable);
    }
  }
  return items;
}

/** Returns a copy of a record's object as the answer of a call, and shows the object to the interceptor. */
export function answerOf<Item>(
  form: ObjectForm<Item>,
  store: ResourceStore,
  record: StorageRecord,
  { interception }: Pick<RunningCall, 'interception'>,
): Item | Promise<Item> {
  interception?.answered(() => form.view(store, record));
  return copyInTurns(form, store, record);
}

/** Returns a list as an interceptor sees it. */
export function listView<Item>(form: ObjectForm<Item>, store: ResourceStore, page: ListOutcome): JsonObject {
  const { apiVersion, listKind } = form.names(store);
  return {
    apiVersion,
    kind: listKind,
    metadata: { ...listMeta(page) },
    items: page.records.map((record) => form.view(store, record)),
  };
}
