/**
 * The events of a watch as the client returns them.
 *
 * @module
 */
import { LONG_TEXT, type ObjectMeta } from '../../foundation/index.js';
import type { ResourceStore, WatchNotice } from '../../registry/index.js';
import type { ResourceOperations } from '../../server/index.js';
import { lengthOfText, type Revision, type StorageRecord } from '../../storage/index.js';
import type { WatchEvent } from '../client.js';
import { rethrow } from './call-errors.js';
import { copyInTurns, type ObjectForm } from './object-form.js';
import type { InProcessServices } from './services.js';

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
export function openInTime(services: InProcessServices, opening: Promise<OpenedWatch>): Promise<OpenedWatch> {
  return services.bounded(opening).catch((error: unknown) => {
    void opening.then(({ notices }) => notices.return?.()).catch(() => undefined);
    throw error;
  });
}

/** Converts a notice of a watch to an event; the object of a long text is copied in several turns. */
export function eventOf<Item>(
  form: ObjectForm<Item>,
  store: ResourceStore,
  notice: WatchNotice,
): WatchEvent<Item> | Promise<WatchEvent<Item>> {
  if (notice.type === 'ERROR') return { type: 'ERROR', object: notice.status };
  if (notice.type === 'BOOKMARK') {
    const { apiVersion, kind } = form.names(store);
    const annotations = notice.initialEventsEnd
      ? { annotations: { [store.environment.dialect.initialEventsEndAnnotation]: 'true' } }
      : {};
    const object = {
      apiVersion,
      kind,
      metadata: { resourceVersion: String(notice.revision), ...annotations },
    };
    return { type: 'BOOKMARK', object } as WatchEvent<Item>;
  }
  const { type, record, revision } = notice;
  const event = (copy: () => Item): WatchEvent<Item> => new ObjectEvent(type, () => objectOf(copy, record, revision));
  if (lengthOfText(record) < LONG_TEXT) return event(() => form.copy(store, record));
  return longCopy(form, store, record).then(event);
}

/** Copies the object of a long text in several turns. The result returns it, or throws why it is unreadable. */
async function longCopy<Item>(
  form: ObjectForm<Item>,
  store: ResourceStore,
  record: StorageRecord,
): Promise<() => Item> {
  try {
    const object = await copyInTurns(form, store, record);
    return () => object;
  } catch (error) {
    return () => {
      throw error;
    };
  }
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

/** Returns the object of an event, with the revision of the event. @throws ApiError 500 when it is unreadable */
function objectOf<Item>(copy: () => Item, record: StorageRecord, revision: Revision): Item {
  try {
    const object = copy();
    if (record.modRevision !== revision)
      (object as { metadata: ObjectMeta }).metadata.resourceVersion = String(revision);
    return object;
  } catch (error) {
    return rethrow(error, undefined);
  }
}
