/** A memory budget that shares the memory of the process with others. */
export interface MemorySharer {
  /** Returns the bytes of everything that it counts. */
  usedBytes(): number;
  /** Returns the bytes of stored objects and of requests, which cannot be given up. */
  neededBytes(): number;
  /** Gives up as many bytes, as far as there are any that are not needed. */
  giveUp(bytes: number): void;
}

/**
 * Limits the memory of several servers in one process, such as workspaces, each of which has a budget of its own. What is
 * not needed is given up first by those that have most of it. The requests of a server get at most as much as they leave
 * free, so that no server takes all of it.
 */
export class SharedMemory {
  /** Maximum of everything that the budgets count together, in bytes. */
  readonly memoryBytes: number;
  readonly #sharers = new Set<MemorySharer>();
  #usedBytes = 0;
  #neededBytes = 0;

  constructor(memoryBytes: number) {
    this.memoryBytes = memoryBytes;
  }

  /** Bytes of everything that is counted. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Bytes that neither the stored objects nor the requests of any server take. */
  get freeBytes(): number {
    return this.memoryBytes - this.#neededBytes;
  }

  /** Adds a budget, with everything that it counts. */
  join(sharer: MemorySharer): void {
    this.#sharers.add(sharer);
    this.count(sharer.usedBytes());
    this.countNeeded(sharer.neededBytes());
  }

  /** Removes a budget, with everything that it counts. */
  leave(sharer: MemorySharer): void {
    if (!this.#sharers.delete(sharer)) return;
    this.count(-sharer.usedBytes());
    this.countNeeded(-sharer.neededBytes());
  }

  /** Counts bytes of a budget; a negative number releases them. */
  count(bytes: number): void {
    this.#usedBytes += bytes;
  }

  /** Counts those of them that cannot be given up. */
  countNeeded(bytes: number): void {
    this.#neededBytes += bytes;
  }

  /**
   * Returns whether the requests of a server may hold more memory. The only request of a server gets what is free, since it
   * would otherwise be refused each time.
   *
   * @param held bytes that its requests hold
   */
  isFair(held: number, bytes: number): boolean {
    return held === 0 || held + bytes <= this.freeBytes - bytes;
  }

  /** Returns whether more memory fits, after as much has been given up as necessary. */
  hasRoom(bytes: number): boolean {
    if (bytes > this.freeBytes) return false;
    this.makeRoom(bytes);
    return this.#usedBytes + bytes <= this.memoryBytes;
  }

  /** Makes servers give up memory until more fits, as far as they can. */
  makeRoom(bytes: number): void {
    const excess = (): number => this.#usedBytes + bytes - this.memoryBytes;
    if (excess() <= 0 || this.#usedBytes <= this.#neededBytes) return;
    const spare = (sharer: MemorySharer): number => sharer.usedBytes() - sharer.neededBytes();
    for (const sharer of [...this.#sharers].sort((left, right) => spare(right) - spare(left))) {
      if (excess() <= 0 || spare(sharer) <= 0) return;
      sharer.giveUp(excess());
    }
  }
}
