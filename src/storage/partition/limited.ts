import { isObjectKey } from '../../foundation/index.js';
import { decorateStorage } from '../decorate.js';
import {
  StorageError,
  type Storage,
  type StorageRecord,
  type StorageWriteOptions,
  type ValueEncoder,
} from '../storage.js';
import type { StoreUsage } from './usage.js';

/** Limits of the content of a store. */
export interface StoreLimits {
  /** Objects of all kinds. */
  readonly objects: number;
  /** Total length of all keys and texts, in bytes. */
  readonly bytes: number;
  /** Objects of some kinds, by the prefix of their keys. */
  readonly collections: ReadonlyMap<string, { readonly max: number; readonly name: string }>;
}

/**
 * Returns a store that refuses writes beyond its limits. The error says which limit. Deletes, and updates that shrink the
 * text, always fit.
 *
 * @param usage follows the same store
 * @param limits called for each write
 */
export function limitedStorage(inner: Storage, usage: StoreUsage, limits: () => StoreLimits): Storage {
  const gate = new Gate(inner, usage, limits);
  return decorateStorage(inner, {
    create: (key, encode, options) => gate.create(key, encode, options),
    update: (key, encode, modRevision, options) =>
      // The end of one write of a key ends the count of all that are pending, so none may follow one that is.
      gate.update(key, encode, options, (checked) =>
        inner.update(key, checked, modRevision, { ...options, accepted: undefined }),
      ),
  });
}

/** Bytes and objects that the current writes of a key will add, and that are not counted yet. */
interface Pending {
  bytes: number;
  creates: number;
}

class Gate {
  readonly #inner: Storage;
  readonly #usage: StoreUsage;
  readonly #limits: () => StoreLimits;
  readonly #pending = new Map<string, Pending>();
  #pendingBytes = 0;
  #pendingCreates = 0;

  constructor(inner: Storage, usage: StoreUsage, limits: () => StoreLimits) {
    this.#inner = inner;
    this.#usage = usage;
    this.#limits = limits;
    usage.onCounted((key) => this.#settle(key));
  }

  create(key: string, encode: ValueEncoder, options: StorageWriteOptions | undefined): Promise<StorageRecord> {
    return this.#write({ key, encode, options, before: -key.length, creates: isObjectKey(key) ? 1 : 0 }, (checked) =>
      this.#inner.create(key, checked, options),
    );
  }

  async update(
    key: string,
    encode: ValueEncoder,
    options: StorageWriteOptions | undefined,
    write: (encode: ValueEncoder) => Promise<StorageRecord>,
  ): Promise<StorageRecord> {
    const isNear = 2 * (this.#usage.bytes + this.#pendingBytes) > this.#limits().bytes;
    const previous = isNear ? (await this.#inner.get(key)).record : undefined;
    return this.#write({ key, encode, options, before: previous?.text.length ?? 0, creates: 0 }, write);
  }

  /** Writes with an encoder that refuses what does not fit, before anything changes. */
  async #write(wanted: Wanted, write: (encode: ValueEncoder) => Promise<StorageRecord>): Promise<StorageRecord> {
    const { key, encode, options, before, creates } = wanted;
    this.#usage.assertFollows();
    try {
      return await write((revision) => {
        const text = encode(revision);
        const growth = text.length - before;
        if (growth > (options?.growthWhenFull ?? 0)) this.#assertFits(wanted, growth);
        this.#hold(key, Math.max(growth, 0), creates);
        return text;
      });
    } finally {
      this.#settle(key);
    }
  }

  /** @throws StorageError `Full` */
  #assertFits({ key, creates }: Wanted, growth: number): void {
    const { objects, bytes, collections } = this.#limits();
    if (growth > 0 && this.#usage.bytes + this.#pendingBytes + growth > bytes)
      throw full(key, `its objects may have ${bytes} bytes of text: delete some, or raise its quota (bytes)`);
    if (creates === 0) return;
    if (this.#usage.objects + this.#pendingCreates >= objects)
      throw full(key, `it may have ${objects} objects: delete some, or raise its quota (objects)`);
    for (const [prefix, { max, name }] of collections)
      if (key.startsWith(prefix) && this.#usage.objectsOf(prefix) + this.#pendingCreates >= max)
        throw full(key, `it may have ${max} ${name}: delete some, or raise its quota (${name})`);
  }

  #hold(key: string, bytes: number, creates: number): void {
    const pending = this.#pending.get(key) ?? { bytes: 0, creates: 0 };
    pending.bytes += bytes;
    pending.creates += creates;
    this.#pending.set(key, pending);
    this.#pendingBytes += bytes;
    this.#pendingCreates += creates;
  }

  /** Ends the pending writes of a key: one has been counted and the others fail, or all have ended. */
  #settle(key: string): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#pending.delete(key);
    this.#pendingBytes -= pending.bytes;
    this.#pendingCreates -= pending.creates;
  }
}

/** A write that may not fit. */
interface Wanted {
  readonly key: string;
  readonly encode: ValueEncoder;
  readonly options: StorageWriteOptions | undefined;
  /** Bytes of the text that it replaces; for a create, the negative length of its key. */
  readonly before: number;
  /** 1 for a new object. */
  readonly creates: number;
}

const full = (key: string, reason: string): StorageError =>
  new StorageError('Full', { key, message: `the workspace is full: ${reason}` });
