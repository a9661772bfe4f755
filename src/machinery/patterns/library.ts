/**
 * Patterns of users: regular expressions of RE2, compiled by a library, and matched in slices.
 *
 * @module
 */
import { DEFAULT_DEFINITION_LIMITS, inSlices, nextTurn, type Steps, type Work } from '../../foundation/index.js';
import { readProgram, type Program } from './program.js';
import { newSearchMemory, ProgramSearch, type PatternSearch, type SearchMemory } from './search.js';
import { programSize } from './size.js';
import { WholeSearch } from './whole-search.js';

type Library = typeof import('re2js');
type Compiled = import('re2js').RE2JS;

/** States of a program that are visited before a search may pause: about 0.4 ms. */
const STATES_AT_ONCE = 20_000;

/** A text is not a valid pattern, or too large; the message is that of Go. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** A compiled pattern. */
export interface Pattern {
  /** Instructions of its program. */
  readonly instructions: number;
  /** Memory that it takes, in bytes. */
  readonly bytes: number;
  /** Returns whether the pattern matches anywhere in a text. */
  matches(text: string): boolean;
  /**
   * Begins a search for the first match, and for its bounds.
   *
   * @param from where the search begins, in code units; what is before it is looked at by `\b` and `^`
   */
  search(text: string, from?: number): PatternSearch;
  /** Begins a search for any match, without its bounds: it ends earlier than that for the first. */
  searchAny(text: string): PatternSearch;
}

/** Searches a text in slices. */
export function* searching(search: PatternSearch, work: Work): Steps<PatternSearch> {
  for (;;) {
    const before = search.states;
    const isOver = search.run(STATES_AT_ONCE);
    if (work.spend(search.states - before) && !isOver) yield;
    if (isOver) return search;
  }
}

/** Returns whether a pattern matches anywhere in a text; a promise when a slice does not suffice. */
export function matchesInSlices(pattern: Pattern, text: string, work: Work): boolean | Promise<boolean> {
  const ended = inSlices(work, searching(pattern.searchAny(text), work));
  return ended instanceof Promise ? ended.then(({ found }) => found) : ended.found;
}

/** Compiles patterns with the library. */
export class PatternLibrary {
  readonly #library: Library;
  readonly #maxInstructions: number;

  /** @param maxInstructions most instructions of a pattern's program */
  constructor(library: Library, maxInstructions = DEFAULT_DEFINITION_LIMITS.patternInstructions) {
    this.#library = library;
    this.#maxInstructions = maxInstructions;
  }

  /**
   * Compiles a pattern, which takes up to 15 µs an instruction.
   *
   * @throws PatternError for an invalid pattern, and for one with too many instructions
   */
  compile(text: string): Pattern {
    if (programSize(text, this.#maxInstructions) > this.#maxInstructions)
      throw new PatternError('error parsing regexp: expression too large');
    return patternOf(this.#compiled(text), () => isAsExpected(this.#library));
  }

  /** Returns Go's message for an invalid pattern, or for one with too many instructions; undefined for a valid one. */
  problemOf(text: string): string | undefined {
    try {
      this.compile(text);
      return undefined;
    } catch (error) {
      if (error instanceof PatternError) return error.message;
      throw error;
    }
  }

  #compiled(text: string): Compiled {
    try {
      return this.#library.RE2JS.compile(text);
    } catch (error) {
      if (error instanceof this.#library.RE2JSException) throw new PatternError(error.message, { cause: error });
      throw error;
    }
  }
}

/** Memory of an instruction in bytes: in the library, as measured, and in the program and the sets of a search here. */
const BYTES_OF_INSTRUCTION = 170 + 64;

/**
 * Most states of a search that the library makes: it is faster than the matcher here for short texts, but cannot pause.
 */
const STATES_OF_LIBRARY = 20_000;

/** Returns a pattern. Its program is read for the first long text. */
function patternOf(compiled: Compiled, readsPrograms: () => boolean): Pattern {
  const instructions = compiled.programSize();
  let longSearches: LongSearches | undefined;
  const search = (text: string, from: number, any: boolean): PatternSearch => {
    // The library does not tell how far it has looked, which matters for one search after another.
    if (from === 0 && instructions * (text.length + 1) <= STATES_OF_LIBRARY) return new WholeSearch(compiled, text);
    longSearches ??= longSearchesOf(compiled, readsPrograms());
    return longSearches(text, from, any);
  };
  return Object.freeze<Pattern>({
    instructions,
    bytes: instructions * BYTES_OF_INSTRUCTION,
    matches: (text) => atOnce(search(text, 0, true)).found,
    search: (text, from = 0) => search(text, from, false),
    searchAny: (text) => search(text, 0, true),
  });
}

/** Begins a search of a text from a place, for any match or for the first one. */
type LongSearches = (text: string, from: number, any: boolean) => PatternSearch;

function longSearchesOf(compiled: Compiled, readsPrograms: boolean): LongSearches {
  const program = readsPrograms ? readProgram(compiled.re2()) : undefined;
  return program === undefined ? (text, from) => new WholeSearch(compiled, text, from) : searchesOf(program);
}

/** Returns the searches for the pattern of a program. */
export function searchesOf(program: Program): LongSearches {
  // Searches that are in progress at the same time have memory of their own.
  let kept: SearchMemory | undefined;
  return (text, from, any) => {
    const memory = kept ?? newSearchMemory(program);
    kept = undefined;
    return new ProgramSearch(program, memory, text, { from, any, release: (free) => void (kept = free) });
  };
}

function atOnce(search: PatternSearch): PatternSearch {
  search.run(Infinity);
  return search;
}

/** A pattern with a text and where the first match is. */
type Probe = readonly [pattern: string, text: string, start: number, end: number];

/** Patterns with every operation. */
const PROBES: readonly Probe[] = [
  ['(?i)k[a-c]+?\\b.', 'x\u212Aab-', 1, 5],
  ['^(a|bc)*$', 'bca', 0, 3],
  ['(?m)^\\Bé?$|[^\\n]x', 'ü\nyx', 2, 4],
  ['(?s)a.+[\\pL\\d_]{2}', 'a\n12𝒳', 0, 6],
];

/** Whether the programs of a library are as {@link readProgram} reads them. */
const asExpected = new WeakMap<Library, boolean>();

/**
 * Loads the library, and examines it: at the first search of a long text, this would take more than a turn of the event
 * loop should.
 */
export async function loadPatternLibrary(): Promise<Library> {
  const library = await import('re2js');
  if (asExpected.has(library)) return library;
  let isExpected = true;
  for (const probe of PROBES) {
    // The engine compiles nothing before it has run it often: each takes milliseconds.
    await nextTurn();
    isExpected &&= matchesProbe(library, probe);
  }
  asExpected.set(library, isExpected);
  return library;
}

function isAsExpected(library: Library): boolean {
  const known = asExpected.get(library);
  if (known !== undefined) return known;
  const isExpected = PROBES.every((probe) => matchesProbe(library, probe));
  asExpected.set(library, isExpected);
  return isExpected;
}

function matchesProbe({ RE2JS }: Library, [pattern, text, start, end]: Probe): boolean {
  const program = readProgram(RE2JS.compile(pattern).re2());
  if (program === undefined) return false;
  const search = atOnce(searchesOf(program)(text, 0, false));
  return search.found && search.start === start && search.end === end;
}
