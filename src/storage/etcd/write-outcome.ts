import { messageOf } from '../../foundation/index.js';
import { StorageError, type Revision } from '../storage.js';
import type { Cluster } from './cluster.js';
import type { KeySpace } from './key-space.js';
import type { Records } from './records.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import type { KeyValue } from './wire/key-values.js';

/** Maximum number of versions of a key that are read in search of the written one. */
const MAX_STEPS = 32;

/** A write or a delete that got no response. */
export interface Unanswered {
  readonly key: string;
  /** The newest revision known before it. */
  readonly knownRevision: Revision;
  readonly error: RpcError;
}

/** A write that got no response. */
interface UnansweredWrite extends Unanswered {
  readonly value: Buffer;
}

/** The version that a write created. */
export interface WrittenVersion {
  readonly revision: Revision;
  readonly createRevision: Revision;
}

/**
 * Determines the outcome of a write that got no response, by reading back. A reported outcome is certain. When none can
 * be certain, for example because the write may still be in flight, the error says so.
 *
 * A version with the same text as the write counts as the write: the two cannot be distinguished.
 */
export class WriteOutcome {
  readonly #cluster: Cluster;
  readonly #keys: KeySpace;
  readonly #records: Records;

  constructor(cluster: Cluster, keys: KeySpace, records: Records) {
    this.#cluster = cluster;
    this.#keys = keys;
    this.#records = records;
  }

  /**
   * Determines the outcome of a create.
   *
   * @throws StorageError `KeyExists`, or `Unavailable` with a message that says whether the outcome is known
   */
  async ofCreate(write: UnansweredWrite): Promise<WrittenVersion> {
    const current = await this.#current(write);
    if (current === undefined) throw this.#undecided(write);
    const { createRevision } = current;
    const first = current.modRevision === createRevision ? current : await this.#versionAt(write, createRevision);
    if (first?.value.equals(write.value) === true && createRevision > write.knownRevision)
      return { revision: createRevision, createRevision };
    // The key was created before the write started. A key created later may follow our own create and its removal.
    if (createRevision <= write.knownRevision)
      throw new StorageError('KeyExists', { key: write.key, current: await this.#records.readPrepared(current) });
    throw this.#undecided(write);
  }

  /**
   * Determines the outcome of an update.
   *
   * @throws StorageError `Conflict`, or `Unavailable` with a message that says whether the outcome is known
   */
  async ofUpdate(write: UnansweredWrite, modRevision: Revision): Promise<WrittenVersion> {
    const current = await this.#current(write);
    const next = current === undefined ? undefined : await this.#successor(write, current, modRevision);
    if (current === undefined || next === undefined) throw this.#undecided(write);
    if (next.value.equals(write.value)) return { revision: next.modRevision, createRevision: next.createRevision };
    throw new StorageError('Conflict', { key: write.key, current: await this.#records.readPrepared(current) });
  }

  /**
   * Determines the outcome of a delete.
   *
   * @throws StorageError always: `Conflict`, or `Unavailable` with a message that says whether the outcome is known
   */
  async ofDelete(write: Unanswered, modRevision: Revision): Promise<never> {
    const current = await this.#current(write);
    const next = current === undefined ? undefined : await this.#successor(write, current, modRevision);
    if (current === undefined || next === undefined) throw this.#undecided(write);
    throw new StorageError('Conflict', { key: write.key, current: await this.#records.readPrepared(current) });
  }

  /**
   * Returns the version that directly followed the replaced one; undefined when there is none or it cannot be found.
   */
  async #successor(write: Unanswered, current: KeyValue, modRevision: Revision): Promise<KeyValue | undefined> {
    // A key created later was removed in between.
    if (current.modRevision <= modRevision || current.createRevision > modRevision) return undefined;
    let version: KeyValue | undefined = current;
    for (let step = 0; step < MAX_STEPS && version !== undefined; step += 1) {
      const before: KeyValue | undefined = await this.#versionAt(write, version.modRevision - 1);
      if (before?.modRevision === modRevision) return version;
      version = before;
    }
    return undefined;
  }

  #current(write: Unanswered): Promise<KeyValue | undefined> {
    return this.#read(write, {});
  }

  /** Returns the version of a key at a revision; undefined when it did not exist or the revision is compacted. */
  #versionAt(write: Unanswered, revision: Revision): Promise<KeyValue | undefined> {
    return this.#read(write, { revision });
  }

  async #read(write: Unanswered, at: { readonly revision?: Revision | undefined }): Promise<KeyValue | undefined> {
    try {
      return (await this.#cluster.range({ key: this.#keys.encode(write.key), ...at })).keyValues[0];
    } catch (error) {
      if (error instanceof RpcError && error.code === GrpcCode.OutOfRange) return undefined;
      throw new StorageError('Unavailable', {
        key: write.key,
        message: `${unknownOutcome(write)}; it could not be read back: ${messageOf(error)}`,
        cause: error,
      });
    }
  }

  /** Returns the error for a write whose version cannot be found. */
  #undecided(write: Unanswered): StorageError {
    // A finished request has no later effect.
    const message =
      write.error.effect === 'done'
        ? `the write of ${write.key} was refused and has not taken effect: ${write.error.message}`
        : unknownOutcome(write);
    const { isDiskFull } = write.error;
    return new StorageError('Unavailable', { key: write.key, message, cause: write.error, isDiskFull });
  }
}

function unknownOutcome({ key, error }: Unanswered): string {
  return `the outcome of the write of ${key} is unknown: ${error.message}`;
}
