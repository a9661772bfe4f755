import { isArray, isJsonObject, shareTurn, SharedWork, type JsonValue } from '../../foundation/index.js';
import type { MemoryBudget, NeededAccount } from '../../storage/index.js';

/** Part of the memory budget that what is kept of the documents of other servers may take. */
const KEPT_SHARE = 1 / 16;

/** The memory of the documents of other servers. */
export class DocumentMemory {
  readonly #reading: NeededAccount;
  readonly #kept: NeededAccount;
  readonly #mostBytes: number;

  constructor(budget: Pick<MemoryBudget, 'open' | 'memoryBytes'>) {
    this.#reading = budget.open('bodies');
    this.#kept = budget.open('objects');
    this.#mostBytes = budget.memoryBytes * KEPT_SHARE;
  }

  /** Begins the work on the documents of one read. */
  begin(): DocumentWork {
    return new DocumentWork(this.#reading);
  }

  /**
   * Counts what is kept of a document.
   *
   * @param before bytes that it replaces
   * @returns its bytes
   * @throws Error when it does not fit; then nothing changes
   */
  async keep(entries: readonly JsonValue[], before: number): Promise<number> {
    let bytes = 0;
    for (const entry of entries) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      bytes += heldBytes(entry);
    }
    const more = bytes - before;
    if (more > 0 && this.#kept.usedBytes + more > this.#mostBytes)
      throw new Error(`the discovery documents of other servers take more than ${Math.floor(this.#mostBytes)} bytes`);
    if (more > 0 && !this.#kept.tryHold(more)) throw outOfMemory();
    if (more < 0) this.#kept.hold(more);
    return bytes;
  }

  /** Releases what was kept of a document. */
  forget(bytes: number): void {
    this.#kept.hold(-bytes);
  }

  close(): void {
    this.#reading.close();
    this.#kept.close();
  }
}

/** The work on the documents of one read: in slices, with its memory reserved before it is allocated. */
export class DocumentWork extends SharedWork {
  readonly #account: NeededAccount;
  #heldBytes = 0;

  constructor(account: NeededAccount) {
    super();
    this.#account = account;
  }

  /** @throws Error when it does not fit into the memory budget */
  override reserve(bytes: number): void {
    if (!this.#account.tryHold(bytes)) throw outOfMemory();
    this.#heldBytes += bytes;
  }

  override release(bytes: number): void {
    const released = Math.min(bytes, this.#heldBytes);
    this.#account.hold(-released);
    this.#heldBytes -= released;
  }

  /** Releases everything. */
  end(): void {
    this.release(this.#heldBytes);
  }
}

const outOfMemory = (): Error => new Error('the memory budget of the server is used up');

/** Estimated memory of an object or a list, of a member, and of a text besides its characters, in bytes. */
const CONTAINER_BYTES = 64;
const MEMBER_BYTES = 16;
const TEXT_BYTES = 24;

/** Returns the memory of a value, in bytes. */
function heldBytes(value: JsonValue): number {
  if (typeof value === 'string') return TEXT_BYTES + value.length;
  if (isArray(value)) return value.reduce((sum: number, item) => sum + MEMBER_BYTES + heldBytes(item), CONTAINER_BYTES);
  if (!isJsonObject(value)) return 0;
  let sum = CONTAINER_BYTES;
  for (const name in value) sum += MEMBER_BYTES + name.length + heldBytes(value[name] ?? null);
  return sum;
}
