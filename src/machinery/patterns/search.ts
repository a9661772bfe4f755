/**
 * Searches a text for a pattern in linear time: all states of the program together, one character at a time (Thompson,
 * 1968; with the order of alternatives, Pike). A search can pause between two characters.
 *
 * @module
 */
import { EMPTY, OP, type Program } from './program.js';

/** A search in progress. */
export interface PatternSearch {
  /** Number of states visited so far: the work that was done. */
  readonly states: number;
  /** Whether a match was found; final when {@link run} has returned true. */
  readonly found: boolean;
  /** Where the match begins, in code units. Only for a search for the first match. */
  readonly start: number;
  /** Where the match ends. Only for a search for the first match. */
  readonly end: number;
  /**
   * Continues the search until about this number of states more has been visited.
   *
   * @returns true when the search has ended
   */
  run(states: number): boolean;
}

/** The states that are active at a position, in the order of preference. */
interface States {
  readonly list: Int32Array;
  /** Place of each state in the list; valid when the list has the state there. */
  readonly places: Int32Array;
  /** Where the match of each state began, by place in the list. */
  readonly starts: Int32Array;
  size: number;
}

/** The memory of one search. Searches of a program that follow each other use the same. */
export interface SearchMemory {
  current: States;
  next: States;
  readonly pending: Int32Array;
}

const newStates = (count: number): States => ({
  list: new Int32Array(count),
  places: new Int32Array(count),
  starts: new Int32Array(count),
  size: 0,
});

/** Returns the memory for searches of a program. */
export function newSearchMemory({ ops: { length } }: Program): SearchMemory {
  return { current: newStates(length), next: newStates(length), pending: new Int32Array(length + 1) };
}

/** No character: before the start of a text, or after its end. */
const NONE = -1;
const NEWLINE = 10;

function isWord(codePoint: number): boolean {
  return (
    (codePoint >= 97 && codePoint <= 122) ||
    (codePoint >= 48 && codePoint <= 57) ||
    (codePoint >= 65 && codePoint <= 90) ||
    codePoint === 95
  );
}

/** Returns which conditions of an empty width hold between two characters. */
function conditionsBetween(before: number, after: number): number {
  return (
    (before === NONE ? EMPTY.beginText | EMPTY.beginLine : before === NEWLINE ? EMPTY.beginLine : 0) |
    (after === NONE ? EMPTY.endText | EMPTY.endLine : after === NEWLINE ? EMPTY.endLine : 0) |
    (isWord(before) === isWord(after) ? EMPTY.noWordBoundary : EMPTY.wordBoundary)
  );
}

function codePointBefore(text: string, position: number): number {
  if (position === 0) return NONE;
  const pair = position > 1 ? (text.codePointAt(position - 2) ?? NONE) : NONE;
  return pair > 0xffff ? pair : text.charCodeAt(position - 1);
}

/** Options of a {@link ProgramSearch}. */
export interface SearchOptions {
  /** Where the search begins, in code units. */
  readonly from: number;
  /** Whether any match will do; otherwise the first match is found with its bounds. */
  readonly any: boolean;
  /** Receives the memory of the search when it has ended. */
  readonly release: (memory: SearchMemory) => void;
}

/** A search of a text for the pattern of a program. */
export class ProgramSearch implements PatternSearch {
  states = 0;
  found = false;
  start = NONE;
  end = NONE;
  readonly #program: Program;
  readonly #memory: SearchMemory;
  readonly #text: string;
  readonly #options: SearchOptions;
  #position: number;
  #character: number;
  #conditions: number;
  #isOver = false;

  constructor(program: Program, memory: SearchMemory, text: string, options: SearchOptions) {
    this.#program = program;
    this.#memory = memory;
    this.#text = text;
    this.#options = options;
    this.#position = options.from;
    this.#character = text.codePointAt(options.from) ?? NONE;
    this.#conditions = conditionsBetween(codePointBefore(text, options.from), this.#character);
    memory.current.size = 0;
  }

  run(states: number): boolean {
    const limit = this.states + states;
    while (!this.#isOver) {
      if (this.states >= limit) return false;
      this.#isOver = this.#step();
    }
    return true;
  }

  /** Takes one character. Returns true when the search is over. */
  #step(): boolean {
    const memory = this.#memory;
    const { anchored, start } = this.#program;
    const { any: isAny } = this.#options;
    const position = this.#position;
    if (!this.found && (!anchored || position === 0)) this.#add(memory.current, start, position, this.#conditions);
    if (memory.current.size === 0 ? this.found || anchored : isAny && this.found) return this.#finish();
    const character = this.#character;
    const after = position + (character > 0xffff ? 2 : 1);
    const next = character === NONE ? NONE : (this.#text.codePointAt(after) ?? NONE);
    const conditions = conditionsBetween(character, next);
    this.#advance(character, after, conditions);
    memory.current.size = 0;
    [memory.current, memory.next] = [memory.next, memory.current];
    if (character === NONE || (isAny && this.found)) return this.#finish();
    this.#position = after;
    this.#character = next;
    this.#conditions = conditions;
    return false;
  }

  #finish(): true {
    this.#options.release(this.#memory);
    return true;
  }

  /** Moves every state over a character, to the states of the next position. */
  #advance(character: number, after: number, conditions: number): void {
    const { ops, outs } = this.#program;
    const { current, next } = this.#memory;
    const { list, starts, size } = current;
    next.size = 0;
    for (let place = 0; place < size; place += 1) {
      const state = list[place] as number;
      if (ops[state] === OP.match) {
        this.found = true;
        this.start = starts[place] as number;
        this.end = this.#position;
        // The states behind are of lower preference.
        break;
      }
      if (this.#takes(state, character)) this.#add(next, outs[state] as number, starts[place] as number, conditions);
    }
    this.states += size;
  }

  /** Returns whether a state takes a character. States that only lead to others take none. */
  #takes(state: number, character: number): boolean {
    if (character === NONE) return false;
    const { ops, ranges, folded } = this.#program;
    switch (ops[state]) {
      case OP.anyCharacter:
        return true;
      case OP.anyButNewline:
        return character !== NEWLINE;
      case OP.oneCharacter:
        return ranges[state]?.[0] === character;
      case OP.ranges:
        return folded[state]?.(character) ?? isIn(ranges[state] as Int32Array, character);
      default:
        return false;
    }
  }

  /** Adds a state, and those that it leads to without a character. */
  #add(states: States, state: number, began: number, conditions: number): void {
    const { ops, outs, args } = this.#program;
    const { pending } = this.#memory;
    const { list, places, starts } = states;
    let waiting = 0;
    let at = state;
    for (;;) {
      const place = places[at] as number;
      if (at !== 0 && !(place < states.size && list[place] === at)) {
        places[at] = states.size;
        list[states.size] = at;
        starts[states.size] = began;
        states.size += 1;
        this.states += 1;
        const op = ops[at] as number;
        if (op <= OP.alternativesMatch) {
          pending[waiting] = args[at] as number;
          waiting += 1;
          at = outs[at] as number;
          continue;
        }
        if (
          op === OP.none ||
          op === OP.capture ||
          (op === OP.emptyWidth && ((args[at] as number) & ~conditions) === 0)
        ) {
          at = outs[at] as number;
          continue;
        }
        if (op === OP.match && this.#options.any) {
          this.found = true;
          return;
        }
      }
      if (waiting === 0) return;
      waiting -= 1;
      at = pending[waiting] as number;
    }
  }
}

/** Returns whether a character is in one of the ranges, which are sorted. */
function isIn(ranges: Int32Array, character: number): boolean {
  if (ranges.length === 1) return ranges[0] === character;
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (character < (ranges[2 * middle] as number)) high = middle;
    else if (character > (ranges[2 * middle + 1] as number)) low = middle + 1;
    else return true;
  }
  return false;
}
