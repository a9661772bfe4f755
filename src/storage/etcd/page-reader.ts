import { appendAll, visitInTurns } from '../../foundation/index.js';
import type { Revision, StorageListOptions, StoragePage, StorageRecord } from '../storage.js';
import { keyAfter, type KeyRange } from './key-space.js';
import type { Records } from './records.js';
import type { KeyValue, RangeRequest, RangeResponse } from './wire/key-values.js';

/** Target size of the values in one answer, in bytes. An answer is decoded in one turn of the event loop. */
const ANSWER_BYTES = 2 * 1024 * 1024;
const FIRST_ANSWER_RECORDS = 500;
const MIN_RECORDS = 100;
const MAX_RECORDS = 5_000;
/** Share of an answer that must be cached for the next one to be read without values. */
const CACHED_SHARE = 0.9;
/** Maximum number of ranges in one request; the default limit of etcd is 128. */
const MAX_OPERATIONS = 100;
/** Maximum number of prefixes that are remembered as cached. */
const MAX_CACHED_PREFIXES = 1_000;

/** The requests of a {@link PageReader}. Both throw StorageError. */
export interface RangeRequests {
  /** Reads a range. */
  range(request: RangeRequest): Promise<RangeResponse>;
  /** Reads several ranges in one request. */
  ranges(requests: readonly RangeRequest[]): Promise<readonly RangeResponse[]>;
}

/** A request whose answer is on its way. */
interface SentRequest {
  /** Whether the answer lacks the values. */
  readonly keysOnly: boolean;
  readonly answer: Promise<RangeResponse>;
}

/** An answer of which the cached versions are known. */
interface TakenAnswer {
  /** The records in order; undefined for the versions that are not cached. */
  readonly cached: readonly (StorageRecord | undefined)[];
  /** The versions that are not cached, in order. */
  readonly others: readonly KeyValue[];
}

/**
 * Reads the pages of ranges.
 *
 * A long page takes several requests; the next one is sent before the records of an answer are made. Where the versions
 * of a prefix are mostly cached, etcd is asked for the keys with their revisions only, and then for the values of
 * versions that are not cached. The page shows the same state either way.
 */
export class PageReader {
  readonly #requests: RangeRequests;
  readonly #records: Records;
  /** Prefixes whose versions were mostly cached when they were last read. */
  readonly #cachedPrefixes = new Set<string>();

  constructor(requests: RangeRequests, records: Records) {
    this.#requests = requests;
    this.#records = records;
  }

  /**
   * Reads a page.
   *
   * @param range range within the prefix
   * @param prefix prefix of the list, for the decision whether its versions are cached
   * @throws StorageError, ForeignValueError
   */
  async read(range: KeyRange, prefix: string, options: StorageListOptions): Promise<StoragePage> {
    const { revision, limit = 0, acceptsUnreadable = false } = options;
    const wanted = limit > 0 ? limit : Infinity;
    const records: StorageRecord[] = [];
    let shown = revision;
    let size = FIRST_ANSWER_RECORDS;
    const send = (key: Buffer, missing: number): SentRequest => {
      const keysOnly = this.#cachedPrefixes.has(prefix);
      const most = Math.min(keysOnly ? MAX_RECORDS : size, missing);
      const answer = this.#requests.range({ key, rangeEnd: range.rangeEnd, limit: most, revision: shown, keysOnly });
      // It may fail while the answer before it is used. The error is thrown where the answer is awaited.
      answer.catch(() => undefined);
      return { keysOnly, answer };
    };
    let sent = send(range.key, wanted);
    for (;;) {
      const { header, keyValues, count } = await sent.answer;
      const { keysOnly } = sent;
      shown ??= header.revision;
      if (!keysOnly) size = sizeAfter(keyValues);
      const remaining = Math.max(0, count - keyValues.length);
      const missing = wanted - records.length - keyValues.length;
      const last = keyValues.at(-1);
      const more = remaining > 0 && missing > 0 && last !== undefined;
      if (more) sent = send(keyAfter(last.key), missing);
      const complete = await this.#taken(prefix, keyValues, keysOnly ? shown : undefined);
      await this.#read(complete, acceptsUnreadable, records);
      if (!more) return { records, revision: shown, remaining };
    }
  }

  /**
   * Returns the cached records of an answer, and the versions of the others with their values.
   *
   * @param valuesAt the revision of the answer if it lacks the values; undefined if it has them
   */
  async #taken(prefix: string, keyValues: readonly KeyValue[], valuesAt: Revision | undefined): Promise<TakenAnswer> {
    const cached = keyValues.map((keyValue) => this.#records.cached(keyValue));
    const others = keyValues.filter((_, index) => cached[index] === undefined);
    this.#remember(prefix, others.length, keyValues.length);
    return { cached, others: valuesAt === undefined ? others : await this.#withValues(others, valuesAt) };
  }

  /** Adds the records of an answer. */
  async #read({ cached, others }: TakenAnswer, acceptsUnreadable: boolean, into: StorageRecord[]): Promise<void> {
    const records = this.#records;
    await (acceptsUnreadable ? records.prepareReadable(others) : records.prepare(others));
    const read = (version: KeyValue): StorageRecord =>
      acceptsUnreadable ? records.readOrSeal(version) : records.read(version);
    let next = 0;
    await visitInTurns(cached, (record) => into.push(record ?? read(others[next++] as KeyValue)));
  }

  /** Reads the values of keys at a revision. */
  async #withValues(keyValues: readonly KeyValue[], revision: Revision): Promise<readonly KeyValue[]> {
    const complete: KeyValue[] = [];
    for (let from = 0; from < keyValues.length; from += MAX_OPERATIONS) {
      const part = keyValues.slice(from, from + MAX_OPERATIONS);
      for (const answer of await this.#requests.ranges(part.map(({ key }) => ({ key, revision }))))
        appendAll(complete, answer.keyValues);
    }
    if (complete.length !== keyValues.length)
      throw new Error(`etcd returned ${complete.length} of ${keyValues.length} keys of revision ${revision}`);
    return complete;
  }

  /** Decides how the prefix is read from now on. */
  #remember(prefix: string, others: number, all: number): void {
    const prefixes = this.#cachedPrefixes;
    if (all === 0 || others > all * (1 - CACHED_SHARE)) prefixes.delete(prefix);
    else prefixes.add(prefix);
    if (prefixes.size <= MAX_CACHED_PREFIXES) return;
    for (const oldest of prefixes) {
      prefixes.delete(oldest);
      return;
    }
  }
}

/** Returns how many records like these an answer may have. */
function sizeAfter(keyValues: readonly KeyValue[]): number {
  let bytes = 1;
  for (const { value } of keyValues) bytes += value.length;
  return Math.min(Math.max(Math.floor((ANSWER_BYTES * keyValues.length) / bytes), MIN_RECORDS), MAX_RECORDS);
}
