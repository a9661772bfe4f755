import { refusalOf } from '../state/conditions.js';
import {
  StorageError,
  type Revision,
  type StorageRecord,
  type StorageWriteOptions,
  type ValueEncoder,
} from '../storage.js';
import { Aftermath, type UnansweredWrite, type Written } from './aftermath.js';
import { storageFailure, type Cluster } from './cluster.js';
import type { KeySpace } from './key-space.js';
import { isLeaseGone, type LeasePool } from './leases.js';
import type { Records } from './records.js';
import { RpcError } from './rpc/rpc-error.js';
import { isStampable } from './stamp.js';
import type { Compare, Operation, TxnResponse } from './wire/key-values.js';

/** The parts that {@link Writes} work with. */
export interface WriteParts {
  readonly cluster: Cluster;
  readonly keys: KeySpace;
  readonly records: Records;
  readonly leases: LeasePool;
}

/** Stands for the revision in what is sent: the cluster gives it with its answer. */
const UNKNOWN_REVISION: Revision = 0;

/** Creates, updates and deletes: each is one transaction that compares the version and writes, and reads the present one where it must not. */
export class Writes {
  readonly #parts: WriteParts;
  readonly #aftermath: Aftermath;

  constructor(parts: WriteParts) {
    this.#parts = parts;
    this.#aftermath = new Aftermath(parts.cluster, parts.keys, parts.records);
  }

  /** @throws StorageError `KeyExists`, `Unavailable` */
  async create(key: string, encode: ValueEncoder, options: StorageWriteOptions): Promise<StorageRecord> {
    const { records, keys } = this.#parts;
    const write = this.#begin(key, encode);
    const absent: Compare = { key: keys.encode(key), version: 0 };
    const written = await this.#settle(write, () => this.#put(write, absent, [], options), {
      done: ({ header }) => ({ revision: header.revision, createRevision: header.revision }),
      refused: (current) => new StorageError('KeyExists', { key, current }),
      unanswered: (unanswered) => this.#aftermath.ofCreate(unanswered),
    });
    return records.written(key, write.value, written.revision, written.createRevision, options.decoded);
  }

  /** @throws StorageError `KeyNotFound`, `Conflict`, `Unavailable` */
  update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions,
  ): Promise<StorageRecord> {
    return this.#overwrite(key, encode, modRevision, options, {
      send: (write, place, wanted) =>
        this.#put(
          write,
          { key: place, modRevision },
          wanted ? [{ range: { key: place, keysOnly: true } }] : [],
          options,
        ),
      unanswered: (unanswered) => this.#aftermath.ofUpdate(unanswered, modRevision),
    });
  }

  /** @throws StorageError `KeyNotFound`, `Conflict`, `Unavailable` */
  delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions,
  ): Promise<StorageRecord> {
    return this.#overwrite(key, encode, modRevision, options, {
      send: (_write, place, wanted) =>
        this.#parts.cluster.transact({
          compare: [{ key: place, modRevision }],
          success: [{ deleteRange: { key: place, withPrevious: wanted } }],
          failure: [{ range: { key: place } }],
        }),
      unanswered: (unanswered) => this.#aftermath.ofDelete(unanswered, modRevision),
    });
  }

  /** Makes a write over a version of a key, which has to say when the key was created where that is not known. */
  async #overwrite(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    { decoded }: StorageWriteOptions,
    overwriting: Overwriting,
  ): Promise<StorageRecord> {
    const { records, keys } = this.#parts;
    if (modRevision <= 0) return this.#refuseImpossible(key);
    const write = this.#begin(key, encode);
    const known = records.find(key, modRevision)?.createRevision;
    const written = await this.#settle(write, () => overwriting.send(write, keys.encode(key), known === undefined), {
      done: (response) => ({ revision: response.header.revision, createRevision: known ?? createRevisionOf(response) }),
      refused: (current) => refusalOf(key, current),
      unanswered: overwriting.unanswered,
    });
    return records.written(key, write.value, written.revision, written.createRevision, decoded);
  }

  /** A key with the bytes that are sent. @throws TypeError for a text that this engine does not keep */
  #begin(
    key: string,
    encode: ValueEncoder,
  ): { readonly key: string; readonly value: Buffer; readonly knownRevision: Revision } {
    const value = Buffer.from(encode(UNKNOWN_REVISION));
    if (!isStampable(value))
      throw new TypeError(`the value of ${key} is not the text of an object with a place for its revision`);
    return { key, value, knownRevision: this.#parts.cluster.newestRevision };
  }

  /** Puts the value where what is compared holds. */
  async #put(
    write: { readonly value: Buffer },
    compare: Compare,
    further: readonly Operation[],
    { ttlMs }: StorageWriteOptions,
  ): Promise<TxnResponse> {
    const { cluster, leases } = this.#parts;
    const { key } = compare;
    const put = (lease?: bigint): Promise<TxnResponse> =>
      cluster.transact({
        compare: [compare],
        success: [{ put: { key, value: write.value, lease } }, ...further],
        failure: [{ range: { key } }],
      });
    if (ttlMs === undefined) return put();
    const lease = await leases.take(ttlMs);
    try {
      return await put(lease.id);
    } catch (error) {
      if (!isLeaseGone(error)) throw error;
      leases.forget(lease);
      return put((await leases.take(ttlMs)).id);
    }
  }

  /** Sends a write and says what came of it. */
  async #settle(
    write: Omit<UnansweredWrite, 'error'>,
    send: () => Promise<TxnResponse>,
    outcomes: Outcomes,
  ): Promise<Written> {
    let response: TxnResponse;
    try {
      response = await send();
    } catch (error) {
      if (error instanceof RpcError && error.effect !== 'none') return outcomes.unanswered({ ...write, error });
      throw storageFailure(error);
    }
    if (response.succeeded) return outcomes.done(response);
    const current = response.results.flatMap((result) =>
      result !== undefined && 'range' in result ? result.range.keyValues : [],
    )[0];
    throw outcomes.refused(current === undefined ? undefined : this.#parts.records.read(current));
  }

  /** The refusal of a write over a version that there cannot be; etcd would take it for that of a key that does not exist. */
  async #refuseImpossible(key: string): Promise<never> {
    const { cluster, keys, records } = this.#parts;
    const [current] = (
      await cluster.range({ key: keys.encode(key) }).catch((error: unknown) => Promise.reject(storageFailure(error)))
    ).keyValues;
    throw refusalOf(key, current === undefined ? undefined : records.read(current));
  }
}

/** What a write may come to. */
interface Outcomes {
  done(response: TxnResponse): Written;
  refused(current: StorageRecord | undefined): StorageError;
  unanswered(write: UnansweredWrite): Promise<Written>;
}

/** How a version of a key is overwritten. */
interface Overwriting {
  /** @param wanted whether the answer has to tell when the key was created */
  send(write: { readonly value: Buffer }, place: Buffer, wanted: boolean): Promise<TxnResponse>;
  unanswered(write: UnansweredWrite): Promise<Written>;
}

/** The creation of the key that was written, as a transaction that was asked for it tells. */
function createRevisionOf({ results, header }: TxnResponse): Revision {
  for (const result of results) {
    const found = result === undefined ? undefined : 'range' in result ? result.range.keyValues[0] : result.deleted[0];
    if (found !== undefined) return found.createRevision;
  }
  return header.revision;
}
