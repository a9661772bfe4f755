/**
 * The program of a compiled pattern, read from the library: its instructions as typed arrays, without those that only
 * record groups.
 *
 * The program is not a documented part of the library, so {@link readProgram} checks every part that it reads.
 *
 * @module
 */

/** Operations of a program, with the numbers of RE2. */
export const OP = Object.freeze({
  alternatives: 1,
  alternativesMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  none: 7,
  ranges: 8,
  oneCharacter: 9,
  anyCharacter: 10,
  anyButNewline: 11,
});

/** Conditions of an empty width: what is on either side of a position. Source: RE2. */
export const EMPTY = Object.freeze({
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
});

/** Bit of an instruction's argument: upper and lower case are the same. */
const FOLD_CASE = 1;

/** Matches a character as the library does. */
type CharacterTest = (codePoint: number) => boolean;

/** A program. The instruction 0 fails. */
export interface Program {
  readonly start: number;
  readonly ops: Uint8Array;
  /** Next instruction. */
  readonly outs: Int32Array;
  /** The other alternative, or the conditions of an empty width. */
  readonly args: Int32Array;
  /** Bounds of the ranges of characters, in pairs; a single number is one character. */
  readonly ranges: readonly (Int32Array | undefined)[];
  /** Tests of characters whose case does not matter. */
  readonly folded: readonly (CharacterTest | undefined)[];
  /** True when a match begins at the start of the text only. */
  readonly anchored: boolean;
}

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(codePoint: number): boolean;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined;

const isIndex = (value: unknown, count: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < count;

function isInstruction(value: unknown, count: number): value is Instruction {
  const op = member(value, 'op');
  const arg = member(value, 'arg');
  return (
    isIndex(op, OP.anyButNewline + 1) &&
    op > 0 &&
    isIndex(member(value, 'out'), count) &&
    typeof arg === 'number' &&
    (op > OP.alternativesMatch || isIndex(arg, count)) &&
    member(value, 'runes') instanceof Int32Array &&
    typeof member(value, 'matchRune') === 'function'
  );
}

/**
 * Reads the program of a pattern that the library has compiled.
 *
 * @param compiled what the library's `re2()` returned
 * @returns undefined when it does not have the expected shape
 */
export function readProgram(compiled: unknown): Program | undefined {
  const program = member(compiled, 'prog');
  const list = member(program, 'inst');
  const start = member(program, 'start');
  if (!Array.isArray(list) || !isIndex(start, list.length)) return undefined;
  const instructions: Instruction[] = [];
  for (const item of list) {
    if (!isInstruction(item, list.length)) return undefined;
    instructions.push(item);
  }
  return flatten(instructions, start);
}

function flatten(instructions: readonly Instruction[], start: number): Program {
  const count = instructions.length;
  const ops = new Uint8Array(count);
  const outs = new Int32Array(count);
  const args = new Int32Array(count);
  const ranges: (Int32Array | undefined)[] = [];
  const folded: (CharacterTest | undefined)[] = [];
  instructions.forEach((instruction, index) => {
    const { op, runes } = instruction;
    ops[index] = op;
    outs[index] = skipped(instructions, instruction.out);
    args[index] = op <= OP.alternativesMatch ? skipped(instructions, instruction.arg) : instruction.arg;
    ranges.push(op === OP.ranges || op === OP.oneCharacter ? runes : undefined);
    const folds = op === OP.ranges && runes.length === 1 && (instruction.arg & FOLD_CASE) !== 0;
    folded.push(folds ? (codePoint) => instruction.matchRune(codePoint) : undefined);
  });
  const first = skipped(instructions, start);
  return { start: first, ops, outs, args, ranges, folded, anchored: isAnchored(instructions, first) };
}

/** Returns the first instruction from an index on that does something. Loops always contain one. */
function skipped(instructions: readonly Instruction[], from: number): number {
  let index = from;
  // A loop of such instructions would be a fault of the library: the search ends, and the states are visited instead.
  for (let steps = 0; steps < instructions.length; steps += 1) {
    const instruction = instructions[index];
    if (instruction === undefined || (instruction.op !== OP.none && instruction.op !== OP.capture)) return index;
    index = instruction.out;
  }
  return index;
}

/** Returns whether every match begins at the start of the text. */
function isAnchored(instructions: readonly Instruction[], start: number): boolean {
  let index = start;
  for (let steps = 0; steps < instructions.length; steps += 1) {
    const instruction = instructions[index];
    if (instruction === undefined) return false;
    const { op, arg, out } = instruction;
    if (op === OP.emptyWidth && (arg & EMPTY.beginText) !== 0) return true;
    if (op !== OP.emptyWidth && op !== OP.none && op !== OP.capture) return false;
    index = out;
  }
  return false;
}
