/** Reserves memory before texts are read into it, in bytes. What it throws refuses the read. */
export type ReserveText = (bytes: number) => void;

/** Memory that is reserved for texts of unknown lengths, as a multiple of that of texts of mean length. */
export const HEADROOM = 1.25;

/** The memory that one reader has reserved for texts. What an answer did not need is used for the next one. */
export class TextReservation {
  readonly #reserve: ReserveText | undefined;
  /** Reserved and not used; negative for a text that was longer than expected. */
  #spare = 0;

  constructor(reserve: ReserveText | undefined) {
    this.#reserve = reserve;
  }

  /** Reserves memory for the texts of the next answer. @throws what the function throws */
  need(bytes: number): void {
    if (bytes <= this.#spare) return;
    this.#reserve?.(bytes - this.#spare);
    this.#spare = bytes;
  }

  /** Takes the memory of a text that was read. */
  use(bytes: number): void {
    this.#spare -= bytes;
  }
}
