import type { MemoryBudget } from '../memory-budget.js';
import { plainValues, prepareAll, prepareReadable, type ValueCodec } from '../encrypted/value-codec.js';
import { RecordCache } from '../remote/record-cache.js';
import { SealedRecord } from '../remote/sealed-record.js';
import { placeholderOf, stampDecoded, stampedText } from '../remote/stamp.js';
import { VersionRecord, withProtection } from '../state/records/record.js';
import type { Revision, StorageRecord } from '../storage.js';
import type { VersionRow } from './rows.js';

/** A text as it is stored: with a placeholder where a reader sets the revision. */
export interface StoredText {
  readonly text: string;
  /** Position of the placeholder, in UTF-16 code units; undefined when the text has none. */
  readonly stamp: number | undefined;
}

/** A value before it is written. */
export interface PreparedText {
  /** The text that is stored. */
  readonly stored: StoredText;
  /** The text that readers see, for revision 0. */
  readonly plain: StoredText;
  readonly protection: string | undefined;
}

/** The placeholder: the revision with which values are encoded before their own is known. */
const PLACEHOLDER = '0';

/** Returns the stored form of a value that was encoded for revision 0. @throws TypeError when it cannot be stored */
function storedText(key: string, text: string): StoredText {
  const placeholder = placeholderOf(text);
  if (placeholder === undefined || (placeholder !== 'none' && placeholder.length !== PLACEHOLDER.length))
    throw new TypeError(`the value of ${key} is not the text of an object with metadata.resourceVersion`);
  return { text, stamp: placeholder === 'none' ? undefined : placeholder.start };
}

/** Makes records from stored versions. A recently seen version is the same instance wherever it is read. */
export class Records {
  readonly #cache: RecordCache;
  readonly #codec: ValueCodec;

  /** @param maxTextLength maximum total length of the cached texts, in UTF-16 code units */
  constructor(maxTextLength: number, codec: ValueCodec = plainValues) {
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

  /** Returns the stored form of a value that was encoded for revision 0. @throws TypeError when it cannot be stored */
  encode(key: string, text: string): PreparedText {
    const plain = storedText(key, text);
    const { stored, protection } = this.#codec.encode(key, text);
    return { stored: stored === text ? plain : { text: stored, stamp: undefined }, plain, protection };
  }

  /** Fetches what is needed to read versions; undefined when nothing is missing. @throws UnreadableValueError */
  prepare(rows: readonly VersionRow[]): Promise<void> | undefined {
    return this.#codec.prepare === undefined ? undefined : prepareAll(this.#codec, rows.map(storedOf));
  }

  /** Fetches what can be fetched for {@link Records.readOrSeal}; undefined when nothing is missing. Never rejects. */
  prepareReadable(rows: readonly VersionRow[]): Promise<void> | undefined {
    return this.#codec.prepare === undefined ? undefined : prepareReadable(this.#codec, rows.map(storedOf));
  }

  /** Does the same as {@link Records.read}, and fetches what is needed. @throws ForeignRowError, UnreadableValueError */
  async readPrepared(row: VersionRow): Promise<StorageRecord> {
    await this.prepare([row]);
    return this.read(row);
  }

  /** Returns whether a write of a record's value would protect it in another way. */
  isStale({ key, protection }: StorageRecord): boolean {
    return this.#codec.protectionOf(key) !== protection;
  }

  /**
   * Returns the record of a version.
   *
   * @param revision revision of the record; for the last version of a deleted key, the revision of the delete
   * @throws ForeignRowError, UnreadableValueError
   */
  read(row: VersionRow, revision = row.revision): StorageRecord {
    const { key, value } = row;
    const known = this.find(key, revision);
    if (known !== undefined) return known;
    if (value === undefined) throw new ForeignRowError(`the value of ${key} in PostgreSQL is missing`);
    const { text, protection } = this.#codec.decode(key, value);
    const shown =
      text === value ? stamped(key, row.stamp, value, revision) : (stampedText(Buffer.from(text), revision) ?? text);
    return this.#add(key, shown, { revision, createRevision: row.createRevision }, protection);
  }

  /** Does the same as {@link Records.read}; a version that cannot be read now has a record that says so. */
  readOrSeal(row: VersionRow, revision = row.revision): StorageRecord {
    try {
      return this.read(row, revision);
    } catch (error) {
      const { key, createRevision, value = '' } = row;
      const sealed = {
        ...{ key, modRevision: revision, createRevision, length: value.length },
        read: () => this.read(row, revision),
        prepare: () => this.#codec.prepare?.(key, value),
      };
      return new SealedRecord(sealed, error);
    }
  }

  /** Returns the record of a version that was just written, with the writer's decoded form. */
  written(key: string, { plain, protection }: PreparedText, version: WrittenVersion, decoded: unknown): StorageRecord {
    stampDecoded(decoded, version.revision);
    const record =
      this.find(key, version.revision) ??
      this.#add(key, stamped(key, plain.stamp, plain.text, version.revision), version, protection);
    if (decoded !== undefined) record.decoded = decoded;
    return record;
  }

  /** Returns the record of the last version of a key that was just deleted. @param text its text at the revision of the delete */
  deleted(key: string, text: string, revision: Revision, createRevision: Revision, decoded: unknown): StorageRecord {
    stampDecoded(decoded, revision);
    const record =
      this.find(key, revision) ?? this.#cache.add(new VersionRecord(key, text, revision, createRevision, undefined));
    if (decoded !== undefined) record.decoded = decoded;
    return record;
  }

  #add(
    key: string,
    text: string,
    { revision, createRevision }: WrittenVersion,
    protection: string | undefined,
  ): StorageRecord {
    const record = new VersionRecord(key, text, revision, createRevision, undefined);
    return this.#cache.add(withProtection(record, protection));
  }

  /** Drops all cached records. */
  clear(): void {
    this.#cache.clear();
  }
}

/** A row that the engine did not write. */
export class ForeignRowError extends Error {
  override readonly name = 'ForeignRowError';
}

const storedOf = ({ key, value = '' }: VersionRow): { readonly key: string; readonly stored: string } => ({
  key,
  stored: value,
});

/** The revisions of a version. */
type WrittenVersion = Pick<VersionRow, 'revision' | 'createRevision'>;

function stamped(key: string, stamp: number | undefined, value: string, revision: Revision): string {
  if (stamp === undefined) return value;
  if (value[stamp] !== PLACEHOLDER || value[stamp - 1] !== '"' || value[stamp + 1] !== '"')
    throw new ForeignRowError(`the value of ${key} in PostgreSQL was changed by another program; it is left unchanged`);
  return `${value.slice(0, stamp)}${revision}${value.slice(stamp + 1)}`;
}
