import { HeldMemory, type RoomMemory } from '../../foundation/index.js';

const LINE_FEED = 0x0a;
/** Size of the blocks into which short chunks are copied: each chunk of its own would take memory besides its bytes. */
const BLOCK_BYTES = 64 * 1024;

function breaksIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === LINE_FEED) count += 1;
  return count;
}

interface Block {
  readonly bytes: Uint8Array;
  length: number;
  /** Number of line breaks. */
  breaks: number;
}

/** The last lines of a text that arrives in chunks. It holds little more than those lines, in time linear in the text. */
export class LastLines {
  readonly #count: number;
  readonly #held: HeldMemory;
  readonly #blocks: Block[] = [];
  #breaks = 0;

  /** @param memory the blocks are reserved in it before they are made; default: nothing limits them */
  constructor(count: number, memory?: RoomMemory) {
    this.#count = count;
    this.#held = new HeldMemory(memory);
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    return this.#held.bytes;
  }

  /** Takes the next chunk. @throws what the memory throws when the lines do not fit into it */
  take(chunk: Uint8Array): void {
    if (this.#count === 0) return;
    for (let at = 0; at < chunk.length;) at += this.#copy(chunk.subarray(at, at + BLOCK_BYTES));
  }

  /** Yields the lines. */
  *lines(): Generator<Uint8Array, void, undefined> {
    const last = this.#blocks.at(-1);
    const isOpen = last !== undefined && last.bytes[last.length - 1] !== LINE_FEED;
    let skipped = Math.max(0, this.#breaks + (isOpen ? 1 : 0) - this.#count);
    for (const { bytes, length } of this.#blocks) {
      let from = 0;
      for (; skipped > 0 && from < length; from += 1) if (bytes[from] === LINE_FEED) skipped -= 1;
      if (from < length) yield bytes.subarray(from, length);
    }
  }

  /** @returns the number of bytes that found room */
  #copy(part: Uint8Array): number {
    const block = this.#room();
    const taken = part.subarray(0, block.bytes.length - block.length);
    block.bytes.set(taken, block.length);
    block.length += taken.length;
    const breaks = breaksIn(taken);
    block.breaks += breaks;
    this.#breaks += breaks;
    this.#drop();
    return taken.length;
  }

  #room(): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.length < last.bytes.length) return last;
    this.#held.hold(this.#held.bytes + BLOCK_BYTES);
    const block = { bytes: new Uint8Array(BLOCK_BYTES), length: 0, breaks: 0 };
    this.#blocks.push(block);
    return block;
  }

  /** Gives up the blocks before the lines. */
  #drop(): void {
    for (let [first] = this.#blocks; first !== undefined; [first] = this.#blocks) {
      // One line more, since the last one may be incomplete.
      if (this.#breaks - first.breaks <= this.#count) break;
      this.#breaks -= first.breaks;
      this.#blocks.shift();
      this.#held.hold(this.#held.bytes - BLOCK_BYTES);
    }
  }
}
