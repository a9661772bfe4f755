/** Memory that is reserved before it is used. */
export interface RoomMemory {
  /** @throws Error when it is not granted */
  reserve(bytes: number): void;
  release(bytes: number): void;
}

/** The share of a memory that one holder has reserved. */
export class HeldMemory {
  readonly #memory: RoomMemory | undefined;
  #bytes = 0;

  /** @param memory default: nothing limits the holder */
  constructor(memory?: RoomMemory) {
    this.#memory = memory;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reserves what is missing to a number of bytes, or releases what is beyond it. @throws Error when it is not granted */
  hold(bytes: number): void {
    if (bytes > this.#bytes) this.#memory?.reserve(bytes - this.#bytes);
    else if (bytes < this.#bytes) this.#memory?.release(this.#bytes - bytes);
    this.#bytes = bytes;
  }
}
