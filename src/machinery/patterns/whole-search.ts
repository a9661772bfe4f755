import type { PatternSearch } from './search.js';

/** Most states of a search that the library makes in one piece: its instructions by the characters of the text. */
const MAX_STATES = 1_000_000;

type Compiled = import('re2js').RE2JS;

/**
 * A search by the library, which cannot pause: of a short text, or of any text when the programs of the library have
 * another shape than expected.
 */
export class WholeSearch implements PatternSearch {
  states = 0;
  found = false;
  start = -1;
  end = -1;
  readonly #compiled: Compiled;
  readonly #text: string;
  readonly #from: number;

  constructor(compiled: Compiled, text: string, from = 0) {
    this.#compiled = compiled;
    this.#text = text;
    this.#from = from;
  }

  /** @throws RangeError when the search would take too long in one piece */
  run(): true {
    const states = this.#compiled.programSize() * (this.#text.length - this.#from + 1);
    if (states > MAX_STATES)
      throw new RangeError(`a text of ${this.#text.length} characters is too long for the pattern`);
    this.states = states;
    const matcher = this.#compiled.matcher(this.#text);
    this.found = matcher.find(this.#from);
    if (this.found) [this.start, this.end] = [matcher.start(), matcher.end()];
    return true;
  }
}
