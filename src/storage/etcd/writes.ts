import { fenced, versionMismatch } from '../state/conditions.js';
import {
  StorageError,
  type Revision,
  type StorageCondition,
  type StorageRecord,
  type StorageWriteOptions,
  type ValueEncoder,
} from '../storage.js';
import { storageFailure, type Cluster } from './cluster.js';
import type { KeySpace } from './key-space.js';
import { isLeaseGone, type LeasePool } from './leases.js';
import type { ReadValue, Records } from './records.js';
import { RpcError } from './rpc/rpc-error.js';
import { isStampable } from '../remote/stamp.js';
import { rangesOf, type Compare, type Operation, type TxnRequest, type TxnResponse } from './wire/key-values.js';
import { WriteOutcome, type Unanswered, type WrittenVersion } from './write-outcome.js';

/** The parts of {@link Writes}. */
export interface WriteParts {
  readonly cluster: Cluster;
  readonly keys: KeySpace;
  readonly records: Records;
  readonly leases: LeasePool;
}

/** Placeholder for the revision in a sent value: the response contains the revision. */
const UNKNOWN_REVISION: Revision = 0;

const NONE: readonly never[] = [];

/**
 * Implements create, update and delete. Each is one transaction that compares the version and writes; when the
 * comparison fails, it reads the current version.
 */
export class Writes {
  readonly #parts: WriteParts;
  readonly #outcome: WriteOutcome;

  constructor(parts: WriteParts) {
    this.#parts = parts;
    this.#outcome = new WriteOutcome(parts.cluster, parts.keys, parts.records);
  }

  /** @throws StorageError `KeyExists`, `Unavailable` */
  async create(key: string, encode: ValueEncoder, options: StorageWriteOptions): Promise<StorageRecord> {
    const { records, keys } = this.#parts;
    const write = this.#begin(key, encode);
    const absent: Compare = { key: keys.encode(key), version: 0 };
    const written = await this.#settle(write, () => this.#put(write, absent, [], options), {
      done: ({ header }) => ({ revision: header.revision, createRevision: header.revision }),
      refused: (current) => new StorageError('KeyExists', { key, current }),
      unanswered: (unanswered) => this.#outcome.ofCreate(unanswered),
      condition: options.while,
    });
    return records.written(key, write.plain, written, options.decoded);
  }

  /** @throws StorageError `KeyNotFound`, `Conflict`, `Unavailable` */
  async update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions,
  ): Promise<StorageRecord> {
    const { records, keys } = this.#parts;
    if (modRevision <= 0) return this.#refuseImpossible(key);
    const write = this.#begin(key, encode);
    const known = records.find(key, modRevision)?.createRevision;
    const etcdKey = keys.encode(key);
    // The response must contain the create revision when it is not known.
    const additional = known === undefined ? [{ range: { key: etcdKey, keysOnly: true } }] : [];
    const written = await this.#settle(
      write,
      () => this.#put(write, { key: etcdKey, modRevision }, additional, options),
      {
        done: (response) => overwrittenBy(response, known),
        refused: (current) => versionMismatch(key, current),
        unanswered: (unanswered) => this.#outcome.ofUpdate(unanswered, modRevision),
        condition: options.while,
      },
    );
    return records.written(key, write.plain, written, options.decoded);
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
    const { cluster, records, keys } = this.#parts;
    if (modRevision <= 0) return this.#refuseImpossible(key);
    const known = records.find(key, modRevision)?.createRevision;
    const etcdKey = keys.encode(key);
    const request: TxnRequest = {
      compare: [{ key: etcdKey, modRevision }, ...this.#comparesOf(condition)],
      success: [{ deleteRange: { key: etcdKey, withPrevious: known === undefined } }],
      failure: [{ range: { key: etcdKey } }, ...this.#readsOf(condition)],
    };
    const version = await this.#settle(
      { key, knownRevision: cluster.newestRevision },
      () => cluster.transact(request),
      {
        done: (response) => overwrittenBy(response, known),
        refused: (current) => versionMismatch(key, current),
        unanswered: (unanswered) => this.#outcome.ofDelete(unanswered, modRevision),
        condition,
      },
    );
    return records.deleted(key, encode(version.revision), version, decoded);
  }

  /** Prepares a write: its key and the bytes to send. @throws TypeError for a text that this engine cannot store */
  #begin(key: string, encode: ValueEncoder): PreparedWrite {
    const { plain, value } = this.#parts.records.encode(key, encode(UNKNOWN_REVISION));
    if (!isStampable(plain.bytes))
      throw new TypeError(`the value of ${key} is not the text of an object with metadata.resourceVersion`);
    return { key, plain, value, knownRevision: this.#parts.cluster.newestRevision };
  }

  /** Puts the value when the comparison holds. */
  async #put(
    write: { readonly value: Buffer },
    compare: Compare,
    additionalOperations: readonly Operation[],
    { ttl, while: condition }: StorageWriteOptions,
  ): Promise<TxnResponse> {
    const { cluster, leases } = this.#parts;
    const { key } = compare;
    const put = (lease?: bigint): Promise<TxnResponse> =>
      cluster.transact({
        compare: [compare, ...this.#comparesOf(condition)],
        success: [{ put: { key, value: write.value, lease } }, ...additionalOperations],
        failure: [{ range: { key } }, ...this.#readsOf(condition)],
      });
    if (ttl === undefined) return put();
    const lease = await leases.take(ttl);
    try {
      return await put(lease.id);
    } catch (error) {
      if (!isLeaseGone(error)) throw error;
      leases.forget(lease);
      return put((await leases.take(ttl)).id);
    }
  }

  #comparesOf(condition: StorageCondition | undefined): readonly Compare[] {
    if (condition === undefined) return NONE;
    return [{ key: this.#parts.keys.encode(condition.key), modRevision: condition.modRevision }];
  }

  /** Returns the read by which a refused write learns whether its condition holds. */
  #readsOf(condition: StorageCondition | undefined): readonly Operation[] {
    if (condition === undefined) return NONE;
    return [{ range: { key: this.#parts.keys.encode(condition.key), keysOnly: true } }];
  }

  /** Sends a write and returns its outcome. */
  async #settle<Write extends Omit<Unanswered, 'error'>>(
    write: Write,
    send: () => Promise<TxnResponse>,
    outcomes: Outcomes<Write>,
  ): Promise<WrittenVersion> {
    let response: TxnResponse;
    try {
      response = await send();
    } catch (error) {
      if (error instanceof RpcError && error.effect !== 'none') return outcomes.unanswered({ ...write, error });
      throw storageFailure(error);
    }
    if (response.succeeded) return outcomes.done(response);
    const { condition } = outcomes;
    const [written, other] = rangesOf(response);
    if (condition !== undefined && (other?.keyValues[0]?.modRevision ?? 0) !== condition.modRevision)
      throw fenced(condition);
    const current = written?.keyValues[0];
    throw outcomes.refused(current === undefined ? undefined : await this.#parts.records.readPrepared(current));
  }

  /** Refuses a write over an impossible version. etcd would take version 0 for a key that does not exist. */
  async #refuseImpossible(key: string): Promise<never> {
    const { cluster, keys, records } = this.#parts;
    const [current] = (
      await cluster.range({ key: keys.encode(key) }).catch((error: unknown) => Promise.reject(storageFailure(error)))
    ).keyValues;
    throw versionMismatch(key, current === undefined ? undefined : await records.readPrepared(current));
  }
}

/** A write before it is sent. */
interface PreparedWrite {
  readonly key: string;
  readonly plain: ReadValue;
  /** The bytes to send. */
  readonly value: Buffer;
  /** The newest revision known before it. */
  readonly knownRevision: Revision;
}

/** Handlers for the possible outcomes of a write. */
interface Outcomes<Write> {
  done(response: TxnResponse): WrittenVersion;
  refused(current: StorageRecord | undefined): StorageError;
  unanswered(write: Write & { readonly error: RpcError }): Promise<WrittenVersion>;
  /** The condition under which the write was made. */
  readonly condition: StorageCondition | undefined;
}

/** Returns the version that replaced or deleted another. @param known create revision of the key, where it is known */
function overwrittenBy(response: TxnResponse, known: Revision | undefined): WrittenVersion {
  return { revision: response.header.revision, createRevision: known ?? createRevisionOf(response) };
}

/** Returns the create revision of the written key from the response of a transaction that requested it. */
function createRevisionOf({ results, header }: TxnResponse): Revision {
  for (const result of results) {
    const found = result === undefined ? undefined : 'range' in result ? result.range.keyValues[0] : result.deleted[0];
    if (found !== undefined) return found.createRevision;
  }
  return header.revision;
}
