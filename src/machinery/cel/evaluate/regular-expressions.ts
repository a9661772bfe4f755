/**
 * Regular expressions in linear time: RE2, as in Kubernetes, never the host's backtracking engine. Constant patterns
 * belong to their expression. Patterns made from data belong to one evaluation, so nothing of them is kept.
 *
 * @module
 */
import { LruMap, type Steps } from '../../../foundation/index.js';
import { PatternError, type Pattern, type PatternLibrary, type PatternSearch } from '../../patterns/index.js';
import type { Meter } from '../cost/meter.js';
import { CelFailure, failure } from './failures.js';

/** Maximum number of instructions of the constant patterns of one expression. */
const MAX_CONSTANT_INSTRUCTIONS = 100_000;

/** Work of compiling an instruction of a pattern, which costs nothing in Kubernetes. */
export const UNITS_OF_INSTRUCTION = 100;

/** Most memory of the patterns that one evaluation makes, in bytes; beyond it, the one that was used least recently goes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** States of a pattern that are visited before a search may pause. */
const STATES_AT_ONCE = 20_000;

/** The patterns of one expression. */
export class ExpressionPatterns {
  readonly #library: PatternLibrary;
  readonly #constants = new Map<string, Pattern | CelFailure>();
  #instructions = 0;

  constructor(library: PatternLibrary) {
    this.#library = library;
  }

  /** Instructions of the constant patterns that have been compiled. */
  get instructions(): number {
    return this.#instructions;
  }

  /** Returns a constant pattern, or Go's error for an invalid one. It is kept with the expression. */
  constant(text: string): Pattern | CelFailure {
    const known = this.#constants.get(text);
    if (known !== undefined) return known;
    let compiled = this.compile(text);
    if (!(compiled instanceof CelFailure)) {
      this.#instructions += compiled.instructions;
      if (this.#instructions > MAX_CONSTANT_INSTRUCTIONS)
        compiled = failure('expression has too many or too large patterns');
    }
    this.#constants.set(text, compiled);
    return compiled;
  }

  /** Returns a pattern if it is constant, compiled or not. */
  known(text: string): Pattern | CelFailure | undefined {
    return this.#constants.get(text);
  }

  /** Compiles a pattern. Returns Go's error for an invalid or too large one. */
  compile(text: string): Pattern | CelFailure {
    try {
      return this.#library.compile(text);
    } catch (error) {
      if (error instanceof PatternError) return failure(error.message);
      throw error;
    }
  }
}

/** The patterns of one evaluation. */
export class EvaluationPatterns {
  readonly #constants: ExpressionPatterns;
  readonly #meter: Meter;
  /** Patterns made from data, the one used last at the end. */
  #made: LruMap<string, Pattern | CelFailure> | undefined;

  constructor(constants: ExpressionPatterns, meter: Meter) {
    this.#constants = constants;
    this.#meter = meter;
  }

  /** Returns the compiled pattern, or Go's error for an invalid one. */
  of(text: string): Pattern | CelFailure {
    return this.#constants.known(text) ?? this.#fromData(text);
  }

  #fromData(text: string): Pattern | CelFailure {
    const made = (this.#made ??= new LruMap<string, Pattern | CelFailure>(MAX_BYTES, { weigh: bytesOf }));
    const known = made.get(text);
    if (known !== undefined) return known;
    const compiled = this.#constants.compile(text);
    made.set(text, compiled);
    this.#meter.work(compiled instanceof CelFailure ? text.length : compiled.instructions * UNITS_OF_INSTRUCTION);
    return compiled;
  }
}

const bytesOf = (pattern: Pattern | CelFailure, text: string): number =>
  2 * text.length + (pattern instanceof CelFailure ? 2 * pattern.message.length : pattern.bytes);

/** Runs a search to its end. */
export function* searched(search: PatternSearch, meter: Meter): Steps<PatternSearch> {
  for (;;) {
    const before = search.states;
    const isOver = search.run(STATES_AT_ONCE);
    // A state takes about half as long as a unit.
    meter.work((search.states - before) / 2);
    if (isOver) return search;
    yield;
  }
}
