import { SharedWork } from '../../foundation/index.js';

/** Work of a controller that may not take more than some memory: what users store may multiply. */
export class LimitedWork extends SharedWork {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    super();
    this.#maxBytes = maxBytes;
  }

  /** @throws Error when all of the work takes more memory than it may */
  override reserve(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) throw new Error(`needs more than ${this.#maxBytes} bytes`);
  }

  override release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
