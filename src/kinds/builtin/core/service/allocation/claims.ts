import {
  isJsonObject,
  parsedJson,
  shareTurn,
  stringOrEmpty,
  visitInTurns,
  type Entropy,
} from '../../../../../foundation/index.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatch,
} from '../../../../../storage/index.js';
import { OffsetSet } from './offset-set.js';
import type { ServiceRange } from './ranges.js';

/** Number of records per page of the first list. */
const PAGE_SIZE = 500;

/** A number of a range that a service has taken. */
export interface Claim {
  readonly offset: number;
  /** `namespace/name` of the service. */
  readonly owner: string;
}

interface KnownClaim extends Claim {
  readonly modRevision: Revision;
}

/**
 * The numbers of a range that are taken. The storage decides: taking a number creates a key, which only one of all
 * servers on a store can do. Each server follows the keys with a watch, so it finds a free number without reading them.
 *
 * Release 1.31 keeps one bitmap per range instead, and rewrites it with every change.
 */
export class Claims {
  readonly range: ServiceRange;
  readonly #storage: Storage;
  readonly #entropy: Entropy;
  readonly #prefix: string;
  readonly #known = new Map<number, KnownClaim>();
  readonly #taken: OffsetSet;
  #watch: StorageWatch | undefined;
  #loaded = false;
  #stopped = false;

  constructor(range: ServiceRange, storage: Storage, entropy: Entropy) {
    this.range = range;
    this.#storage = storage;
    this.#entropy = entropy;
    this.#prefix = `/internal/ranges/${range.name}/`;
    this.#taken = new OffsetSet(range.size);
  }

  /** Whether the claims are followed. A watch may end. */
  get isLoaded(): boolean {
    return this.#loaded;
  }

  /**
   * Reads the claims and follows them.
   *
   * @throws StorageError when the storage fails
   */
  async load(): Promise<void> {
    this.#known.clear();
    this.#taken.clear();
    const revision = await this.#read((record) => this.#add(record));
    if (!this.#stopped) this.#follow(revision);
  }

  /** Stops following the claims. */
  stop(): void {
    this.#stopped = true;
    this.#watch?.stop();
  }

  /** The claims that this server knows. */
  known(): Iterable<Claim> {
    return this.#known.values();
  }

  /** Returns whether a number is taken, as far as this server knows. */
  isTaken(offset: number): boolean {
    return this.#taken.has(offset);
  }

  /**
   * Returns whether a number is taken. Another server may have given it back, which the watch has not reported yet, so the
   * storage is asked about a number that seems to be taken.
   *
   * @throws StorageError when the storage fails
   */
  async isStillTaken(offset: number): Promise<boolean> {
    if (!this.isTaken(offset) || this.#storage.isShared !== true) return this.isTaken(offset);
    const { record } = await this.#storage.get(this.#keyOf(offset));
    if (record === undefined) this.#remove(offset);
    else this.#add(record);
    return record !== undefined;
  }

  /**
   * Takes a number.
   *
   * @returns false when it is taken already
   * @throws StorageError when the storage fails
   */
  async take(offset: number, owner: string): Promise<boolean> {
    if (await this.isStillTaken(offset)) return false;
    try {
      this.#add(await this.#storage.create(this.#keyOf(offset), claimText(owner)));
      return true;
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'KeyExists') throw error;
      // Another server has taken it, and the watch has not reported that yet.
      if (error.current === undefined) this.#taken.add(offset);
      else this.#add(error.current);
      return false;
    }
  }

  /**
   * Takes a random free number.
   *
   * @returns undefined when all are taken
   * @throws StorageError when the storage fails
   */
  async takeAny(owner: string): Promise<number | undefined> {
    for (let isCurrent = this.#storage.isShared !== true; ;) {
      const offset = this.#taken.randomAbsent(this.range.staticSize, this.#entropy);
      if (offset !== undefined) {
        if (await this.take(offset, owner)) return offset;
      } else if (isCurrent) return undefined;
      else {
        await this.#refresh();
        isCurrent = true;
      }
    }
  }

  /**
   * Gives a number back, if this service has it.
   *
   * @throws StorageError when the storage fails
   */
  async release(offset: number, owner: string): Promise<void> {
    const key = this.#keyOf(offset);
    const { record } = await this.#storage.get(key);
    if (record === undefined) {
      this.#remove(offset);
      return;
    }
    if (ownerOf(record.text) !== owner) return;
    try {
      await this.#storage.delete(key, claimText(owner), record.modRevision);
    } catch (error) {
      // Another server has released it, and another service may have it now: the watch will report that.
      if (error instanceof StorageError && (error.code === 'KeyNotFound' || error.code === 'Conflict')) return;
      throw error;
    }
    if (this.#known.get(offset)?.modRevision === record.modRevision) this.#remove(offset);
  }

  /** Learns what other servers have given back, and the watch has not reported yet. */
  async #refresh(): Promise<void> {
    const listed = new Set<number>();
    const revision = await this.#read((record) => {
      this.#add(record);
      const offset = this.#offsetOf(record.key);
      if (offset !== undefined) listed.add(offset);
    });
    await visitInTurns([...this.#known.values()], ({ offset, modRevision }) => {
      if (modRevision <= revision && !listed.has(offset)) this.#remove(offset);
    });
  }

  /** Reads all claims of one revision. @returns the revision */
  async #read(each: (record: StorageRecord) => void): Promise<Revision> {
    let after: string | undefined;
    let revision: Revision | undefined;
    do {
      const page = await this.#storage.list(this.#prefix, { after, revision, limit: PAGE_SIZE });
      for (const record of page.records) each(record);
      revision = page.revision;
      after = page.remaining > 0 ? page.records.at(-1)?.key : undefined;
      await shareTurn();
    } while (after !== undefined);
    return revision;
  }

  #follow(revision: Revision): void {
    this.#loaded = true;
    this.#watch = this.#storage.watch(this.#prefix, revision, {
      events: (events) => events.forEach((event) => this.#apply(event)),
      progress: () => undefined,
      end: () => {
        this.#loaded = false;
      },
    });
  }

  #apply({ type, record }: StorageEvent): void {
    if (type !== 'delete') return this.#add(record);
    const offset = this.#offsetOf(record.key);
    if (offset !== undefined && (this.#known.get(offset)?.modRevision ?? 0) < record.modRevision) this.#remove(offset);
  }

  #add({ key, text, modRevision }: StorageRecord): void {
    const offset = this.#offsetOf(key);
    // A claim of an earlier range of the server is not in the current one.
    if (offset === undefined || (this.#known.get(offset)?.modRevision ?? 0) > modRevision) return;
    this.#known.set(offset, { offset, owner: ownerOf(text), modRevision });
    this.#taken.add(offset);
  }

  #remove(offset: number): void {
    this.#known.delete(offset);
    this.#taken.delete(offset);
  }

  #keyOf(offset: number): string {
    return this.#prefix + this.range.textAt(offset);
  }

  #offsetOf(key: string): number | undefined {
    return this.range.offsetOf(key.slice(this.#prefix.length));
  }
}

/** Returns an encoder of the text of a claim. */
const claimText =
  (service: string) =>
  (revision: Revision): string =>
    JSON.stringify({
      kind: 'ServiceClaim',
      apiVersion: 'internal/v1',
      metadata: { resourceVersion: String(revision) },
      service,
    });

function ownerOf(text: string): string {
  const value = parsedJson(text);
  const owner = isJsonObject(value) ? value['service'] : undefined;
  return stringOrEmpty(owner);
}
