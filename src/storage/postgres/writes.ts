import { fenced, versionMismatch } from '../state/conditions.js';
import {
  StorageError,
  type Revision,
  type StorageRecord,
  type StorageWriteOptions,
  type ValueEncoder,
} from '../storage.js';
import { checkKey } from './key-range.js';
import type { Reads } from './reads.js';
import type { Records } from './records.js';
import type { GroupedWrite, WriteGroups } from './write-groups.js';

/** Implements create, update and delete: prepares the text of a write, and turns its outcome into a record or an error. */
export class Writes {
  readonly #groups: WriteGroups;
  readonly #reads: Reads;
  readonly #records: Records;

  constructor(groups: WriteGroups, reads: Reads, records: Records) {
    this.#groups = groups;
    this.#reads = reads;
    this.#records = records;
  }

  /** @throws StorageError `KeyExists`, `Unavailable` */
  create(key: string, encode: ValueEncoder, options: StorageWriteOptions): Promise<StorageRecord> {
    checkKey(key);
    return this.#send(this.#put(key, encode, 0, options), (current) => new StorageError('KeyExists', { key, current }));
  }

  /** @throws StorageError `KeyNotFound`, `Conflict`, `Unavailable` */
  async update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions,
  ): Promise<StorageRecord> {
    if (modRevision <= 0) return this.#refuseImpossible(key);
    return this.#send(this.#put(key, encode, modRevision, options), (current) => versionMismatch(key, current));
  }

  /**
   * Deletes a version of a key. Its text is not sent, so it is encoded when the revision is known.
   *
   * @throws StorageError `KeyNotFound`, `Conflict`, `Unavailable`
   */
  async delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    { decoded, while: condition }: StorageWriteOptions,
  ): Promise<StorageRecord> {
    if (modRevision <= 0) return this.#refuseImpossible(key);
    const write: GroupedWrite = {
      key,
      text: undefined,
      stamp: undefined,
      expected: modRevision,
      ttlMs: undefined,
      condition,
      recordOf: (revision, createRevision) =>
        this.#records.deleted(key, encode(revision), revision, createRevision, decoded),
    };
    return this.#send(write, (current) => versionMismatch(key, current));
  }

  #put(
    key: string,
    encode: ValueEncoder,
    expected: Revision,
    { ttl, decoded, while: condition }: StorageWriteOptions,
  ): GroupedWrite {
    const prepared = this.#records.encode(key, encode(0));
    const { text, stamp } = prepared.stored;
    return {
      key,
      text,
      stamp,
      expected,
      ttlMs: ttl,
      condition,
      recordOf: (revision, createRevision) =>
        this.#records.written(key, prepared, { revision, createRevision }, decoded),
    };
  }

  async #send(
    write: GroupedWrite,
    refusal: (current: StorageRecord | undefined) => StorageError,
  ): Promise<StorageRecord> {
    const outcome = await this.#groups.add(write);
    if (outcome.isDone) return outcome.record;
    if (outcome.isFenced && write.condition !== undefined) throw fenced(write.condition);
    throw refusal(outcome.current === undefined ? undefined : await this.#records.readPrepared(outcome.current));
  }

  async #refuseImpossible(key: string): Promise<never> {
    throw versionMismatch(key, (await this.#reads.get(key)).record);
  }
}
