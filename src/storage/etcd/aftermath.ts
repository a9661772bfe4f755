import { messageOf } from '../../meta/error-message.js';
import { StorageError, type Revision } from '../storage.js';
import type { Cluster } from './cluster.js';
import type { KeySpace } from './key-space.js';
import type { Records } from './records.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import type { KeyValue } from './wire/key-values.js';

/** How many versions of a key are looked through for the one that was written. */
const MAX_STEPS = 32;

/** A write of which no answer came. */
export interface UnansweredWrite {
  readonly key: string;
  readonly value: Buffer;
  /** The newest revision that was known before the write. */
  readonly knownRevision: Revision;
  readonly error: RpcError;
}

/** What a write made. */
export interface Written {
  readonly revision: Revision;
  readonly createRevision: Revision;
}

/**
 * Finds out what became of a write of which no answer came, by reading back. What is found is certain; where nothing can be
 * certain, such as of a write that may still be on its way, that is what is said.
 *
 * A version that has the very text of the write counts as the write: nobody can tell the two apart.
 */
export class Aftermath {
  readonly #cluster: Cluster;
  readonly #keys: KeySpace;
  readonly #records: Records;

  constructor(cluster: Cluster, keys: KeySpace, records: Records) {
    this.#cluster = cluster;
    this.#keys = keys;
    this.#records = records;
  }

  /** @throws StorageError `KeyExists`, or `Unavailable` which says whether the outcome is known */
  async ofCreate(write: UnansweredWrite): Promise<Written> {
    const current = await this.#current(write);
    if (current === undefined) throw this.#undecided(write);
    const { createRevision } = current;
    const first = current.modRevision === createRevision ? current : await this.#versionAt(write, createRevision);
    if (first?.value.equals(write.value) === true && createRevision > write.knownRevision)
      return { revision: createRevision, createRevision };
    // Made before the write began. What was made since may have come behind a creation of ours and its removal.
    if (createRevision <= write.knownRevision)
      throw new StorageError('KeyExists', { key: write.key, current: this.#records.read(current) });
    throw this.#undecided(write);
  }

  /** @throws StorageError `Conflict`, or `Unavailable` which says whether the outcome is known */
  async ofUpdate(write: UnansweredWrite, modRevision: Revision): Promise<Written> {
    const current = await this.#current(write);
    const next = current === undefined ? undefined : await this.#successor(write, current, modRevision);
    if (current === undefined || next === undefined) throw this.#undecided(write);
    if (next.value.equals(write.value)) return { revision: next.modRevision, createRevision: next.createRevision };
    throw new StorageError('Conflict', { key: write.key, current: this.#records.read(current) });
  }

  /** @throws StorageError always: `Conflict`, or `Unavailable` which says whether the outcome is known */
  async ofDelete(write: UnansweredWrite, modRevision: Revision): Promise<never> {
    const current = await this.#current(write);
    const next = current === undefined ? undefined : await this.#successor(write, current, modRevision);
    if (current === undefined || next === undefined) throw this.#undecided(write);
    throw new StorageError('Conflict', { key: write.key, current: this.#records.read(current) });
  }

  /** The version that came directly after the one that was to be replaced; undefined when there is none, or it cannot be found. */
  async #successor(write: UnansweredWrite, current: KeyValue, modRevision: Revision): Promise<KeyValue | undefined> {
    // A key that was made since was removed before.
    if (current.modRevision <= modRevision || current.createRevision > modRevision) return undefined;
    let version: KeyValue | undefined = current;
    for (let step = 0; step < MAX_STEPS && version !== undefined; step += 1) {
      const before: KeyValue | undefined = await this.#versionAt(write, version.modRevision - 1);
      if (before?.modRevision === modRevision) return version;
      version = before;
    }
    return undefined;
  }

  #current(write: UnansweredWrite): Promise<KeyValue | undefined> {
    return this.#read(write, {});
  }

  /** The version that a key had at a revision; undefined when it had none, or that is compacted. */
  #versionAt(write: UnansweredWrite, revision: Revision): Promise<KeyValue | undefined> {
    return this.#read(write, { revision });
  }

  async #read(write: UnansweredWrite, at: { readonly revision?: Revision }): Promise<KeyValue | undefined> {
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

  /** What is said of a write that is not there, or no more. */
  #undecided(write: UnansweredWrite): StorageError {
    // A request that is over does nothing later.
    const message =
      write.error.effect === 'done'
        ? `the write of ${write.key} was refused, and it is not there: ${write.error.message}`
        : unknownOutcome(write);
    return new StorageError('Unavailable', { key: write.key, message, cause: write.error });
  }
}

function unknownOutcome({ key, error }: UnansweredWrite): string {
  return `the outcome of the write of ${key} is unknown: ${error.message}`;
}
