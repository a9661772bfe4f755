import type { Storage, StorageIndex, StorageMatches, StorageQuery, TermRequirement } from '../../storage/index.js';
import type { ResourceStore } from '../store/store.js';
import { termsOf } from './selector-terms.js';

/** A question to the index of a kind. */
export interface SelectorQuery extends Omit<StorageQuery, 'requirements'> {
  readonly requirements: readonly TermRequirement[];
  /** The fields in the requirements. */
  readonly fields: readonly string[];
}

/** An index of the storage, and the fields in it besides the labels. */
interface OpenIndex {
  readonly index: StorageIndex;
  readonly fields: ReadonlySet<string>;
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/**
 * The index of one kind: its labels, and the selectable fields that a client has selected by. It opens with the first
 * selector. A new field needs a wider index; until that one is complete, the former one answers what it can.
 */
export class SelectorIndex {
  readonly #store: ResourceStore;
  readonly #open: NonNullable<Storage['index']>;
  #present: OpenIndex | undefined;
  #wider: OpenIndex | undefined;
  #closed = false;

  /** @param open opens an index of the storage */
  constructor(store: ResourceStore, open: NonNullable<Storage['index']>) {
    this.#store = store;
    this.#open = open;
  }

  /** Returns the matching records; undefined when the index cannot answer. See {@link StorageIndex.find}. */
  find(query: SelectorQuery): Promise<StorageMatches | undefined> {
    const loading = this.#store.readable();
    return loading === undefined ? this.#find(query) : loading.then(() => this.#find(query));
  }

  #find({ fields, ...query }: SelectorQuery): Promise<StorageMatches | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const opened = this.#indexWith(fields);
    const finding = opened.index.find(query);
    return opened === this.#present ? finding : this.#presentAfter(opened, finding);
  }

  /** Lets a wider index replace the former one once it answers. */
  async #presentAfter(
    opened: OpenIndex,
    finding: Promise<StorageMatches | undefined>,
  ): Promise<StorageMatches | undefined> {
    const matches = await finding;
    if (matches !== undefined && this.#wider === opened) {
      this.#present?.index.drop();
      this.#present = opened;
      this.#wider = undefined;
    }
    return matches;
  }

  /** Releases the index. */
  close(): void {
    this.#closed = true;
    this.#present?.index.drop();
    this.#wider?.index.drop();
    this.#present = this.#wider = undefined;
  }

  #indexWith(fields: readonly string[]): OpenIndex {
    for (const opened of [this.#present, this.#wider])
      if (opened !== undefined && fields.every((field) => opened.fields.has(field))) return opened;
    const known = this.#wider?.fields ?? this.#present?.fields ?? NO_FIELDS;
    const list = [...new Set([...known, ...fields])];
    const store = this.#store;
    const index = this.#open(store.info.keyPrefix, (record, work) => termsOf(store, record, list, work));
    this.#wider?.index.drop();
    this.#wider = { index, fields: new Set(list) };
    return this.#wider;
  }
}
