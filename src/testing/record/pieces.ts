import { jsonValue, type JsonValue } from '../../foundation/index.js';
import type { RecordedPiece } from './conversation.js';

/** Returns the value of a text in JSON, otherwise the text. */
export function jsonOf(text: string): JsonValue {
  try {
    return jsonValue(text);
  } catch {
    return text;
  }
}

/** The pieces of a stream: its lines. Events of a watch are one line each. */
export class Pieces {
  readonly all: RecordedPiece[] = [];
  readonly #clean: (value: JsonValue) => JsonValue;
  readonly #decoder = new TextDecoder();
  #rest = '';

  /** @param clean removes from a piece what must not be written */
  constructor(clean: (value: JsonValue) => JsonValue) {
    this.#clean = clean;
  }

  /** @param writes number of writes that have begun */
  add(chunk: Uint8Array, writes: number): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#push(line, writes);
  }

  /** Adds a last line without a line break. */
  end(writes: number): void {
    if (this.#rest !== '') this.#push(this.#rest, writes);
    this.#rest = '';
  }

  #push(line: string, writes: number): void {
    if (line !== '') this.all.push({ writes, value: this.#clean(jsonOf(line)) });
  }
}
