/** Bytes that ws takes for a frame of a message besides its content. */
const FRAME_BYTES = 160;
/** Bytes that a chunk takes at least: one of a byte is an object of its own, too. */
const LEAST_CHUNK_BYTES = 256;

const FINAL = 0x80;
const OPCODE = 0x0f;
/** Opcodes from here on are those of control frames, which may come between the frames of a message. */
const CONTROL = 0x08;
const MASKED = 0x80;
const LENGTH = 0x7f;
const MASK_BYTES = 4;
/** Lengths that say how long the length that follows is. */
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * Counts the memory of the message of a client that is not complete, from the bytes as they arrive: ws keeps its frames,
 * and tells nobody before the last one.
 *
 * @see RFC 6455, section 5.2, for the form of a frame
 */
export class OpenMessage {
  readonly #header = new DataView(new ArrayBuffer(14));
  #headerBytes = 0;
  /** Bytes of the content of the current frame that have not arrived. */
  #missing = 0;
  /** Bytes of the current frame. */
  #frameBytes = 0;
  /** Memory of the message's complete frames. */
  #messageBytes = 0;
  #smallChunks = 0;
  /** Number of frames so far. */
  frames = 0;

  /** Memory of what is not complete, in bytes. */
  get bytes(): number {
    return this.#messageBytes + this.#frameBytes + this.#smallChunks;
  }

  /** Takes the next bytes of the client. */
  take(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) at += this.#missing > 0 ? this.#content(chunk.length - at) : this.#head(chunk[at] ?? 0);
    if (this.#messageBytes + this.#frameBytes === 0) this.#smallChunks = 0;
    else this.#smallChunks += Math.max(0, LEAST_CHUNK_BYTES - chunk.length);
  }

  /** @returns the bytes that belong to the content of the current frame */
  #content(available: number): number {
    const taken = Math.min(available, this.#missing);
    this.#missing -= taken;
    this.#frameBytes += taken;
    if (this.#missing === 0) this.#endFrame();
    return taken;
  }

  /** Takes a byte of the head of a frame. */
  #head(byte: number): 1 {
    this.#header.setUint8(this.#headerBytes++, byte);
    this.#frameBytes += 1;
    if (this.#headerBytes >= 2 && this.#headerBytes === this.#headLength()) {
      this.#missing = this.#contentLength();
      if (this.#missing === 0) this.#endFrame();
    }
    return 1;
  }

  #headLength(): number {
    const second = this.#header.getUint8(1);
    const length = second & LENGTH;
    const longer = length === LENGTH_16 ? 2 : length === LENGTH_64 ? 8 : 0;
    return 2 + longer + ((second & MASKED) === 0 ? 0 : MASK_BYTES);
  }

  #contentLength(): number {
    const length = this.#header.getUint8(1) & LENGTH;
    if (length === LENGTH_16) return this.#header.getUint16(2);
    return length === LENGTH_64 ? Number(this.#header.getBigUint64(2)) : length;
  }

  #endFrame(): void {
    this.frames += 1;
    const first = this.#header.getUint8(0);
    const isControl = (first & OPCODE) >= CONTROL;
    if (!isControl && (first & FINAL) !== 0) this.#messageBytes = this.#smallChunks = 0;
    else if (!isControl) this.#messageBytes += this.#frameBytes + FRAME_BYTES;
    this.#frameBytes = this.#headerBytes = 0;
  }
}
