import { HeldMemory, type RoomMemory } from './held-memory.js';

/** An item that waits for its reader. */
interface Waiting<Item> {
  readonly item: Item;
  readonly taken: () => void;
}

/** The room for the items of several queues: while it is full, each write of them waits for its own reader. */
export class SharedRoom {
  readonly #capacity: number;
  readonly #held: HeldMemory;

  /**
   * @param capacity total size of the items that nobody has read
   * @param memory what the sizes are reserved in; default: nothing
   */
  constructor(capacity: number, memory?: RoomMemory) {
    this.#capacity = capacity;
    this.#held = new HeldMemory(memory);
  }

  get isFull(): boolean {
    return this.#held.bytes >= this.#capacity;
  }

  /** Adds to the size of the items that wait. @throws Error when the memory for them is not granted */
  add(size: number): void {
    this.#held.hold(this.#held.bytes + size);
  }
}

/** Options for the items that nobody has read yet. */
export interface QueueOptions<Item> {
  /** Total size of waiting items from which on a write waits for the reader; default 0. */
  readonly capacity?: number | undefined;
  /** Returns the size of an item; default 0. */
  readonly sizeOf?: ((item: Item) => number) | undefined;
  /** Room that the queue shares with others, besides its own capacity. */
  readonly room?: SharedRoom | undefined;
}

/**
 * A queue between a writer and one reader, with backpressure: a write resolves when its item is taken, or at once while
 * there is room. After the end, writes are dropped.
 */
export class MessageQueue<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #waiting: Waiting<Item>[] = [];
  readonly #capacity: number;
  readonly #sizeOf: (item: Item) => number;
  readonly #room: SharedRoom | undefined;
  #size = 0;
  #reader: ((result: IteratorResult<Item, undefined>) => void) | undefined;
  #ended = false;

  constructor({ capacity = 0, sizeOf = () => 0, room }: QueueOptions<Item> = {}) {
    this.#capacity = capacity;
    this.#room = room;
    this.#sizeOf = sizeOf;
  }

  /** Adds an item. Resolves when the next one may be written. @throws Error when its room has no memory for it */
  write(item: Item): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader({ done: false, value: item });
      return Promise.resolve();
    }
    this.#grow(this.#sizeOf(item));
    if (this.#size < this.#capacity && this.#room?.isFull !== true) {
      this.#waiting.push({ item, taken: () => undefined });
      return Promise.resolve();
    }
    return new Promise((taken) => this.#waiting.push({ item, taken }));
  }

  /** Ends the queue after the items that wait. */
  end(): void {
    this.#ended = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = undefined;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const first = this.#waiting.shift();
    if (first !== undefined) {
      this.#grow(-this.#sizeOf(first.item));
      first.taken();
      return Promise.resolve({ done: false, value: first.item });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => (this.#reader = resolve));
  }

  /** Ends the queue and drops the items that wait. */
  return(): Promise<IteratorResult<Item, undefined>> {
    this.end();
    this.#grow(-this.#size);
    for (const { taken } of this.#waiting.splice(0)) taken();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #grow(size: number): void {
    this.#room?.add(size);
    this.#size += size;
  }
}
