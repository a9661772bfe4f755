import type { MemoryBudget } from '../memory-budget.js';
import { isEncryptedBytes } from '../encrypted/stored-form.js';
import {
  plainValues,
  prepareAll,
  prepareReadable,
  type PlainValue,
  type ValueCodec,
} from '../encrypted/value-codec.js';
import { RecordCache } from '../remote/record-cache.js';
import { SealedRecord } from '../remote/sealed-record.js';
import { VersionRecord, withProtection } from '../state/records/record.js';
import type { Revision, StorageRecord } from '../storage.js';
import type { KeySpace } from './key-space.js';
import { stampDecoded, stampedText } from '../remote/stamp.js';
import type { KeyValue } from './wire/key-values.js';
import type { WrittenVersion } from './write-outcome.js';

/** A value that another program wrote. */
export class ForeignValueError extends Error {
  override readonly name = 'ForeignValueError';
}

/**
 * Makes records from etcd's key-values. A recently seen version is the same instance wherever it is read, so its text
 * is made and decoded once.
 */
export class Records {
  readonly #keys: KeySpace;
  readonly #cache: RecordCache;
  readonly #codec: ValueCodec;

  constructor(keys: KeySpace, maxTextLength: number, codec: ValueCodec = plainValues) {
    this.#keys = keys;
    this.#codec = codec;
    this.#cache = new RecordCache(maxTextLength);
  }

  /** Counts the cached versions against a budget; they take at most a share of it. */
  shareBudget(budget: MemoryBudget): void {
    this.#cache.shareBudget(budget);
  }

  /** Returns the cached version of a key. */
  find(key: string, revision: Revision): StorageRecord | undefined {
    return this.#cache.find(key, revision);
  }

  /** Returns the cached record of a version; its value may be absent. For a deletion, its own revision is given. */
  cached({ key, modRevision }: KeyValue, revision = modRevision): StorageRecord | undefined {
    const record = this.#cache.get(revision);
    return record !== undefined && this.#keys.matches(key, record.key) ? record : undefined;
  }

  /**
   * Returns the record of a version.
   *
   * @param revision revision of the record; for the last version of a deleted key, the revision of the delete
   * @throws ForeignValueError, UnreadableValueError
   */
  read(version: KeyValue, revision = version.modRevision): StorageRecord {
    const cached = this.cached(version, revision);
    if (cached !== undefined) return cached;
    const key = this.#keys.decode(version.key);
    return this.#make(key, this.#read(key, version.value), revision, version.createRevision);
  }

  /** Does the same as {@link Records.read}; a version that cannot be read now has a record that says so. */
  readOrSeal(version: KeyValue, revision = version.modRevision): StorageRecord {
    try {
      return this.read(version, revision);
    } catch (error) {
      const { createRevision, value } = version;
      const key = this.#keys.decode(version.key);
      const sealed = {
        ...{ key, modRevision: revision, createRevision, length: value.length },
        read: () => this.read(version, revision),
        prepare: () => this.#codec.prepare?.(key, value.toString()),
      };
      return new SealedRecord(sealed, error);
    }
  }

  /** Fetches what is needed to read versions; undefined when nothing is missing. @throws UnreadableValueError */
  prepare(versions: readonly KeyValue[]): Promise<void> | undefined {
    return this.#codec.prepare === undefined ? undefined : prepareAll(this.#codec, this.#storedOf(versions));
  }

  /** Fetches what can be fetched for {@link Records.readOrSeal}; undefined when nothing is missing. Never rejects. */
  prepareReadable(versions: readonly KeyValue[]): Promise<void> | undefined {
    return this.#codec.prepare === undefined ? undefined : prepareReadable(this.#codec, this.#storedOf(versions));
  }

  /** Does the same as {@link Records.read}, and fetches what is needed. @throws ForeignValueError, UnreadableValueError */
  async readPrepared(version: KeyValue): Promise<StorageRecord> {
    await this.prepare([version]);
    return this.read(version);
  }

  /** Returns the stored form of a value that was encoded for revision 0. @throws UnwritableValueError */
  encode(key: string, text: string): { readonly plain: ReadValue; readonly value: Buffer } {
    const bytes = Buffer.from(text);
    const { stored, protection } = this.#codec.encode(key, text);
    return { plain: { bytes, protection }, value: stored === text ? bytes : Buffer.from(stored) };
  }

  /** Returns whether a write of a record's value would protect it in another way. */
  isStale({ key, protection }: StorageRecord): boolean {
    return this.#codec.protectionOf(key) !== protection;
  }

  /** Returns the record of a version that was just written, with the writer's decoded form. */
  written(
    key: string,
    plain: ReadValue,
    { revision, createRevision }: WrittenVersion,
    decoded: unknown,
  ): StorageRecord {
    stampDecoded(decoded, revision);
    // Its event may have arrived before the response.
    const record = this.find(key, revision) ?? this.#make(key, plain, revision, createRevision);
    if (decoded !== undefined) record.decoded = decoded;
    return record;
  }

  /**
   * Returns the record of the last version of a key that was just deleted, with its text at the revision of the delete
   * and the decoded form of who deleted it.
   */
  deleted(key: string, text: string, version: WrittenVersion, decoded: unknown): StorageRecord {
    const { revision, createRevision } = version;
    stampDecoded(decoded, revision);
    // Its event mostly arrives after the response, and then needs no text of its own.
    const record =
      this.find(key, revision) ?? this.#cache.add(new VersionRecord(key, text, revision, createRevision, undefined));
    if (decoded !== undefined) record.decoded = decoded;
    return record;
  }

  /** Drops all cached records. */
  clear(): void {
    this.#cache.clear();
  }

  #storedOf(versions: readonly KeyValue[]): { readonly key: string; readonly stored: string }[] {
    return versions.map(({ key, value }) => ({ key: this.#keys.decode(key), stored: value.toString() }));
  }

  #make(key: string, { bytes, protection }: ReadValue, revision: Revision, createRevision: Revision): StorageRecord {
    const record = new VersionRecord(key, textOf(key, bytes, revision), revision, createRevision, undefined);
    return this.#cache.add(withProtection(record, protection));
  }

  #read(key: string, value: Buffer): ReadValue {
    // Most values need no decoding to a string before their revision is known.
    if (this.#codec === plainValues && !isEncryptedBytes(value)) return { bytes: value, protection: undefined };
    const { text, protection } = this.#codec.decode(key, value.toString());
    return { bytes: Buffer.from(text), protection };
  }
}

/** A value as readers see it, encoded for revision 0. */
export interface ReadValue extends Pick<PlainValue, 'protection'> {
  readonly bytes: Buffer;
}

function textOf(key: string, value: Buffer, revision: Revision): string {
  const text = stampedText(value, revision);
  if (text === undefined)
    throw new ForeignValueError(
      `the value of ${key} in etcd does not have the form of a stored object: another program wrote it; it is left unchanged`,
    );
  return text;
}
