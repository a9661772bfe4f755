import {
  StorageError,
  type Revision,
  type StorageListOptions,
  type StoragePage,
  type StorageRecord,
} from '../storage.js';
import { SharedReads } from '../remote/shared-reads.js';
import { storageFailure, type Cluster } from './cluster.js';
import type { KeySpace } from './key-space.js';
import { PageReader } from './page-reader.js';
import type { Records } from './records.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import type { RangeRequest, RangeResponse } from './wire/key-values.js';

/** Maximum attempts of a list of the current state that is compacted while it is read. */
const MAX_ATTEMPTS = 3;

/**
 * Implements get and list. Every read of the current state is linearizable: it sees every write that was acknowledged
 * before it.
 */
export class Reads {
  readonly #cluster: Cluster;
  readonly #keys: KeySpace;
  readonly #records: Records;
  readonly #pages: PageReader;
  readonly #gets = new SharedReads<
    string,
    { readonly record: StorageRecord | undefined; readonly revision: Revision }
  >();
  readonly #revisions = new SharedReads<number, Revision>();

  constructor(cluster: Cluster, keys: KeySpace, records: Records) {
    this.#cluster = cluster;
    this.#keys = keys;
    this.#records = records;
    this.#pages = new PageReader(
      {
        range: (request) => this.#range(request),
        ranges: (requests) => this.#translated(cluster.ranges(requests)),
      },
      records,
    );
  }

  /** @throws StorageError `Unavailable` */
  get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    return this.#gets.read(key, async () => {
      const { header, keyValues } = await this.#range({ key: this.#keys.encode(key) });
      return {
        record: keyValues[0] === undefined ? undefined : await this.#records.readPrepared(keyValues[0]),
        revision: header.revision,
      };
    });
  }

  /** @throws StorageError `Unavailable` */
  currentRevision(timeoutMs?: number): Promise<Revision> {
    return this.#revisions.read(
      timeoutMs ?? 0,
      async () => (await this.#range({ key: this.#keys.all.key, countOnly: true }, timeoutMs)).header.revision,
    );
  }

  /** @throws StorageError `Compacted`, `FutureRevision`, `Unavailable` */
  async list(prefix: string, options: StorageListOptions): Promise<StoragePage> {
    if (options.revision !== undefined && options.revision < 1) return this.#beforeEverything(options.revision);
    const range = this.#keys.range(prefix, options.after);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return range === undefined
          ? await this.#emptyPage(options.revision)
          : await this.#pages.read(range, prefix, options);
      } catch (error) {
        const lost = error instanceof StorageError && error.code === 'Compacted' && options.revision === undefined;
        if (!lost || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Returns the page of an empty range. The request only checks that its revision is readable. */
  async #emptyPage(revision: Revision | undefined): Promise<StoragePage> {
    const { header } = await this.#range({ key: this.#keys.all.key, countOnly: true, revision });
    return { records: [], revision: revision ?? header.revision, remaining: 0 };
  }

  /** Returns the state before the first write. etcd has no name for that revision; earlier ones do not exist. */
  async #beforeEverything(revision: Revision): Promise<StoragePage> {
    await this.#range({ key: this.#keys.all.key, countOnly: true, revision: 1 });
    if (revision < 0) throw new StorageError('Compacted', { revision: 0 });
    return { records: [], revision, remaining: 0 };
  }

  #range(request: RangeRequest, timeoutMs?: number): Promise<RangeResponse> {
    return this.#translated(this.#cluster.range(request, timeoutMs));
  }

  /** Returns the result of a call, or fails with the error of a storage operation. */
  async #translated<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      throw await this.#translate(error);
    }
  }

  /** Translates an error of etcd. etcd reports the refused revision but not the compacted one. */
  async #translate(error: unknown): Promise<Error> {
    if (!(error instanceof RpcError) || error.code !== GrpcCode.OutOfRange) return storageFailure(error);
    if (error.message.includes('future'))
      return new StorageError('FutureRevision', { revision: await this.currentRevision(), cause: error });
    const compacted = await this.#cluster
      .compactedRevision(this.#keys.outsideKey('compacted'))
      .catch((failure: unknown) => Promise.reject(storageFailure(failure)));
    return new StorageError('Compacted', { revision: compacted, cause: error });
  }
}
