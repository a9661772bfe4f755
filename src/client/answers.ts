/**
 * The answers of an in-process client: copies of stored objects, which the caller owns.
 *
 * @module
 */
import { cloneJson, type JsonObject } from '../meta/json.js';
import { visitInTurns } from '../meta/turn.js';
import { listMeta, type ListOutcome } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
import type { ResourceOperations } from '../server/resource-operations.js';
import type { StorageRecord } from '../storage/storage.js';
import type { Call } from './call-audit.js';

/** Returns a copy of a record's object. The definition's schema, which decoded the object, guarantees its type. */
function copyOf<Item>(operations: ResourceOperations, record: StorageRecord): Item {
  return cloneJson(operations.store.read(record)) as Item;
}

/** Returns copies of the objects of many records. */
export async function copiesOf<Item>(
  operations: ResourceOperations,
  records: readonly StorageRecord[],
): Promise<Item[]> {
  const items: Item[] = [];
  await visitInTurns(records, (record) => items.push(copyOf<Item>(operations, record)));
  return items;
}

/** Returns a copy of a record's object as the answer of a call, and shows the object to the interceptor. */
export function answerOf<Item>(operations: ResourceOperations, record: StorageRecord, { interception }: Call): Item {
  interception?.answered(() => operations.store.read(record));
  return copyOf<Item>(operations, record);
}

/** Returns a list as an interceptor sees it. */
export function listView(store: ResourceStore, page: ListOutcome): JsonObject {
  const { apiVersion, listKind } = store.info;
  return {
    apiVersion,
    kind: listKind,
    metadata: { ...listMeta(page) },
    items: page.records.map((record) => store.read(record)),
  };
}
