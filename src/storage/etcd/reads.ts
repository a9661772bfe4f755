import {
  StorageError,
  type Revision,
  type StorageListOptions,
  type StoragePage,
  type StorageRecord,
} from '../storage.js';
import { storageFailure, type Cluster } from './cluster.js';
import type { KeyRange, KeySpace } from './key-space.js';
import type { Records } from './records.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import type { RangeRequest, RangeResponse } from './wire/key-values.js';

/** Bytes of values that one answer should have. */
const ANSWER_BYTES = 4 * 1024 * 1024;
const FIRST_ANSWER_RECORDS = 500;
const LEAST_RECORDS = 100;
const MOST_RECORDS = 5_000;
/** How often a list of the present begins again, because it was compacted while it was read. */
const ATTEMPTS = 3;

/** Gets and lists. Every read of the present is linearizable: it sees every write that was acknowledged before it. */
export class Reads {
  readonly #cluster: Cluster;
  readonly #keys: KeySpace;
  readonly #records: Records;
  readonly #gets = new SharedReads<
    string,
    { readonly record: StorageRecord | undefined; readonly revision: Revision }
  >();
  readonly #revisions = new SharedReads<number, Revision>();

  constructor(cluster: Cluster, keys: KeySpace, records: Records) {
    this.#cluster = cluster;
    this.#keys = keys;
    this.#records = records;
  }

  /** @throws StorageError `Unavailable` */
  get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    return this.#gets.read(key, async () => {
      const { header, keyValues } = await this.#range({ key: this.#keys.encode(key) });
      return {
        record: keyValues[0] === undefined ? undefined : this.#records.read(keyValues[0]),
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
        return range === undefined ? await this.#emptyPage(options.revision) : await this.#page(range, options);
      } catch (error) {
        const lost = error instanceof StorageError && error.code === 'Compacted' && options.revision === undefined;
        if (!lost || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Reads a page, in several answers when it is large. */
  async #page(range: KeyRange, { revision, limit = 0 }: StorageListOptions): Promise<StoragePage> {
    const wanted = limit > 0 ? limit : Infinity;
    const records: StorageRecord[] = [];
    let { key } = range;
    let shown = revision;
    let next = FIRST_ANSWER_RECORDS;
    for (;;) {
      const answer = await this.#range({
        key,
        rangeEnd: range.rangeEnd,
        limit: Math.min(next, wanted - records.length),
        revision: shown,
      });
      shown ??= answer.header.revision;
      let bytes = 1;
      for (const keyValue of answer.keyValues) {
        records.push(this.#records.read(keyValue));
        bytes += keyValue.value.length;
      }
      const last = answer.keyValues.at(-1);
      const remaining = answer.count - answer.keyValues.length;
      if (remaining <= 0 || last === undefined || records.length >= wanted)
        return { records, revision: shown, remaining: Math.max(0, remaining) };
      key = Buffer.concat([last.key, Buffer.of(0)]);
      next = Math.min(
        Math.max(Math.floor((ANSWER_BYTES * answer.keyValues.length) / bytes), LEAST_RECORDS),
        MOST_RECORDS,
      );
    }
  }

  /** A page of a range that has no place for a key: only whether its revision can be shown is asked. */
  async #emptyPage(revision: Revision | undefined): Promise<StoragePage> {
    const { header } = await this.#range({
      key: this.#keys.all.key,
      countOnly: true,
      revision,
    });
    return { records: [], revision: revision ?? header.revision, remaining: 0 };
  }

  /** The state before the first write, for which etcd has no name; there is none before that. */
  async #beforeEverything(revision: Revision): Promise<StoragePage> {
    await this.#range({ key: this.#keys.all.key, countOnly: true, revision: 1 });
    if (revision < 0) throw new StorageError('Compacted', { revision: 0 });
    return { records: [], revision, remaining: 0 };
  }

  async #range(request: RangeRequest, timeoutMs?: number): Promise<RangeResponse> {
    try {
      return await this.#cluster.range(request, timeoutMs);
    } catch (error) {
      throw await this.#translate(error);
    }
  }

  /** etcd names the revision that it refuses, but not the one that it would take. */
  async #translate(error: unknown): Promise<Error> {
    if (!(error instanceof RpcError) || error.code !== GrpcCode.OutOfRange) return storageFailure(error);
    if (error.message.includes('future'))
      return new StorageError('FutureRevision', { revision: await this.currentRevision(), cause: error });
    const compacted = await this.#cluster
      .compactedRevision(this.#keys.beside('compacted'))
      .catch((failure: unknown) => Promise.reject(storageFailure(failure)));
    return new StorageError('Compacted', { revision: compacted, cause: error });
  }
}

interface Flight<Value> {
  /** The read that was sent. */
  readonly sent: Promise<Value>;
  /** The one that follows it, for all who came meanwhile. */
  next: Promise<Value> | undefined;
}

/**
 * Reads of which many may want the same at the same time, such as the namespace of every write. Who comes while one is under way
 * shares the next with all others who do: it is sent after each of them came, and so sees what each of them must see.
 */
class SharedReads<Key, Value> {
  readonly #flights = new Map<Key, Flight<Value>>();

  /** What `send` reads, when it is called now or later. */
  read(key: Key, send: () => Promise<Value>): Promise<Value> {
    const flight = this.#flights.get(key);
    if (flight === undefined) return this.#send(key, send);
    const follow = (): Promise<Value> => this.#send(key, send);
    return (flight.next ??= flight.sent.then(follow, follow));
  }

  #send(key: Key, send: () => Promise<Value>): Promise<Value> {
    const flight: Flight<Value> = { sent: send(), next: undefined };
    this.#flights.set(key, flight);
    const land = (): void => {
      // Who follows has sent already.
      if (flight.next === undefined) this.#flights.delete(key);
    };
    flight.sent.then(land, land);
    return flight.sent;
  }
}
