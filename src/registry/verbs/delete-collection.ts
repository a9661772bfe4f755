import { ApiError, shareTurn, workOf, type StoredObject } from '../../foundation/index.js';
import { StorageError, type StorageRecord } from '../../storage/index.js';
import type { RequestContext } from '../store/context.js';
import { storageErrorHandlers } from '../store/storage-errors.js';
import type { ResourceStore } from '../store/store.js';
import { checkPreconditions, planDeletion, remove, type DeleteOptions } from './delete.js';
import type { ListOptions } from './list-options.js';
import type { ListOutcome } from './list.js';

/**
 * Maximum number of removals that wait for the storage at a time, where it commits in order. They share a transaction
 * and a sync, and their results are delivered in one turn of the event loop.
 */
const REMOVALS_AT_ONCE = 32;

/** Of an object without finalizers and dependents, as `Work` counts. */
const UNITS_OF_A_DELETION = 400;

/** Deletes the objects of a list, one after another; see {@link ResourceStore.deleteCollection}. */
export async function deleteCollection(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  list: ListOptions,
  options: DeleteOptions,
): Promise<ListOutcome> {
  const work = workOf(context);
  const page = await store.list(namespace, list, context.signal, context.whileWaiting, context.work);
  const isPresent = list.resourceVersion === undefined && list.continue === undefined;
  const deletion = new CollectionDeletion(store, context, options, isPresent);
  try {
    for (const record of page.records) {
      if (work.spend(UNITS_OF_A_DELETION)) await work.next('delete');
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      await work.measure(() => deletion.next(record));
    }
  } finally {
    // If one of the removals that were begun has failed, its error came first.
    await deletion.finished();
  }
  return page;
}

/**
 * The deletion of the objects of a list, in its order.
 *
 * An object that nothing keeps is removed in the version that the list has: the storage refuses it if there is another
 * one, and only then is the object read. The checks of an object are made after those of the objects before it, so no
 * object is removed after one that is refused; where the storage commits in order, they do not wait for the removals.
 */
class CollectionDeletion {
  readonly #store: ResourceStore;
  readonly #context: RequestContext;
  readonly #options: DeleteOptions;
  /** Whether the versions of the list are tried first. A dry run has no write that would show if they are current. */
  readonly #triesListed: boolean;
  readonly #atOnce: number;
  readonly #rethrow: (error: unknown) => never;
  /** The removals that were begun, in their order, as they end: with nothing, or with an error. */
  readonly #removals: Promise<{ readonly error: unknown } | undefined>[] = [];

  /** @param isPresent whether the list shows the current state, and not an earlier one */
  constructor(store: ResourceStore, context: RequestContext, options: DeleteOptions, isPresent: boolean) {
    this.#store = store;
    this.#context = context;
    this.#options = options;
    this.#triesListed = isPresent && options.dryRun !== true;
    // A conversion that has to wait would change the order.
    const inOrder = store.environment.storage.commitsInOrder === true && !store.waitsForConversion;
    this.#atOnce = inOrder ? REMOVALS_AT_ONCE : 1;
    this.#rethrow = storageErrorHandlers(store.info).delete;
  }

  /** Deletes an object, or begins to remove it. @throws the error of this one or of one before it */
  async next(record: StorageRecord): Promise<void> {
    await this.#endRemovals(this.#atOnce - 1);
    const reading = this.#store.readFor(this.#context.work, record);
    const old = reading instanceof Promise ? await reading : reading;
    const { info } = this.#store;
    if (!this.#triesListed || planDeletion(info, this.#context, old, this.#options).kind !== 'remove') {
      await this.finished();
      return this.#deletePresent(old);
    }
    try {
      checkPreconditions(info, old, this.#options);
      if (this.#options.admit !== undefined) await this.#options.admit(old);
    } catch (error) {
      await this.finished();
      if (await this.#isPresent(record)) throw error;
      return this.#deletePresent(old);
    }
    const asEnded = (error: unknown): { readonly error: unknown } => ({ error });
    this.#removals.push(this.#remove(record, old).then(() => undefined, asEnded));
  }

  /** Waits for all removals that were begun. @throws the first error of one */
  finished(): Promise<void> {
    return this.#endRemovals(0);
  }

  /** Waits until at most some removals have not ended. @throws the first error of one, when all have ended */
  async #endRemovals(most: number): Promise<void> {
    while (this.#removals.length > most) {
      const failed = await this.#removals.shift();
      if (failed === undefined) continue;
      await Promise.all(this.#removals.splice(0));
      throw failed.error;
    }
  }

  /** Removes an object in a version; if there is another one by now, as if it had been read only now. */
  async #remove(record: StorageRecord, old: StoredObject): Promise<void> {
    try {
      await remove(this.#store, this.#context, record, old, this.#options);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      // Another request has deleted the object already.
      if (error.code === 'KeyNotFound') return;
      if (error.code !== 'Conflict') this.#rethrow(error);
      await this.#deletePresent(old);
    }
  }

  async #deletePresent({ metadata: { namespace = '', name = '' } }: StoredObject): Promise<void> {
    try {
      await this.#store.delete(this.#context, namespace, name, this.#options);
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error;
    }
  }

  /** Returns whether a version is the current one, so that what was decided by it holds. */
  async #isPresent({ key, modRevision }: StorageRecord): Promise<boolean> {
    const { record } = await this.#store.environment.storage.get(key).catch(this.#rethrow);
    return record?.modRevision === modRevision;
  }
}
