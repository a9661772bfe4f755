/**
 * The events of a watch as the client returns them.
 *
 * @module
 */
import { cloneJson } from '../meta/json.js';
import type { WatchNotice } from '../registry/watch.js';
import type { ResourceOperations } from '../server/resource-operations.js';
import type { StorageRecord } from '../storage/storage.js';
import type { ClientBackend } from './backend.js';
import { rethrow } from './call-errors.js';
import type { WatchEvent } from './client.js';

/** A watch, and the operations of the kind when it began. */
export interface OpenedWatch {
  readonly operations: ResourceOperations;
  readonly notices: AsyncIterableIterator<WatchNotice>;
}

/**
 * Waits for the opening of a watch, at most for the request timeout. A watch that opens later is ended.
 *
 * @throws ApiError 504 after the request timeout; errors of the opening
 */
export function openInTime(backend: ClientBackend, opening: Promise<OpenedWatch>): Promise<OpenedWatch> {
  return backend.bounded(opening).catch((error: unknown) => {
    void opening.then(({ notices }) => notices.return?.()).catch(() => undefined);
    throw error;
  });
}

/** Converts a notice of a watch to an event. The definition's schema guarantees the type of its object. */
export function eventOf<Item>({ store }: ResourceOperations, notice: WatchNotice): WatchEvent<Item> {
  if (notice.type === 'ERROR') return { type: 'ERROR', object: notice.status };
  const { info, environment } = store;
  if (notice.type === 'BOOKMARK') {
    const annotations = notice.initialEventsEnd
      ? { annotations: { [environment.dialect.initialEventsEndAnnotation]: 'true' } }
      : {};
    const object = {
      apiVersion: info.apiVersion,
      kind: info.kind,
      metadata: { resourceVersion: String(notice.revision), ...annotations },
    };
    return { type: 'BOOKMARK', object } as WatchEvent<Item>;
  }
  return new ObjectEvent(notice.type, () => objectOf<Item>(store, notice.record, notice.revision));
}

/** An event that copies its object on first access: most watchers read only a few objects. */
class ObjectEvent<Item> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly #copy: () => Item;
  #object: Item | undefined;

  constructor(type: 'ADDED' | 'MODIFIED' | 'DELETED', copy: () => Item) {
    this.type = type;
    this.#copy = copy;
  }

  /** The object, which the caller owns. */
  get object(): Item {
    return (this.#object ??= this.#copy());
  }
}

/** Returns a copy of a record's object, with the revision of the event. @throws ApiError 500 when it is unreadable */
function objectOf<Item>(store: ResourceOperations['store'], record: StorageRecord, revision: number): Item {
  try {
    const object = cloneJson(store.read(record));
    if (record.modRevision !== revision)
      (object['metadata'] as { resourceVersion?: string }).resourceVersion = String(revision);
    return object as Item;
  } catch (error) {
    return rethrow(error, undefined);
  }
}
