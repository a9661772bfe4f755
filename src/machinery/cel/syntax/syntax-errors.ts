/**
 * Syntax errors in the words of Kubernetes. Its generated parser names the sets of tokens that it expects, and
 * distinguishes a token too many from a wrong one.
 *
 * @module
 */
import type { Issue } from './source.js';
import { Scanner, type TokenKind } from './tokens.js';

const END = "'<EOF>'";

/** A token that the grammar does not allow. */
export interface Found {
  readonly text: string;
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** The token as errors show it. */
  readonly shown: string;
  /** The kind and the text of the token behind it. */
  readonly next: TokenKind;
}

/** Returns the current token of a scanner, which remains where it is. */
export function foundBy({ text, kind, start, end, source }: Scanner): Found {
  const behind = new Scanner(text, () => undefined, end);
  return { text, kind, start, end, shown: kind === 'end' ? END : `'${source}'`, next: behind.advance() };
}

const syntax = (message: string, { start }: Found): Issue => ({ offset: start, message: `Syntax error: ${message}` });

/** Tokens that may start an operand, in the order of Kubernetes, and those that other places allow besides. */
const TOKEN_ORDER = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?'];
const OPERAND_STARTS: ReadonlySet<string> = new Set(['[', '{', '(', '.', '-', '!']);
const OPERAND_NAMES = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const OPERAND_KINDS: ReadonlySet<TokenKind> = new Set([
  'identifier',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'true',
  'false',
  'null',
]);

/** Where an operand is missing. */
export type OperandPlace = 'arguments' | 'index' | 'list' | 'map' | 'minus' | 'negation' | 'other';

/** The tokens that may stand in a place besides an operand. */
const ALSO: Readonly<Record<OperandPlace, readonly string[]>> = {
  arguments: [')'],
  index: ['?'],
  list: [']', ',', '?'],
  map: ['}', ',', '?'],
  minus: [],
  negation: [],
  other: [],
};

/** Returns the tokens that may start an operand or are one of `others`. */
function operandOr(others: readonly string[]): string {
  const marks = TOKEN_ORDER.filter((mark) => OPERAND_STARTS.has(mark) || others.includes(mark));
  return `{${marks.map((mark) => `'${mark}'`).join(', ')}, ${OPERAND_NAMES}}`;
}

/** An operand is missing. */
export function missingOperand(found: Found, place: OperandPlace): Issue[] {
  const expected = operandOr(ALSO[place]);
  if (place === 'minus' && found.kind === 'end')
    return [syntax("no viable alternative at input '-'", found), mismatched(found, expected)];
  const isExtra = place === 'negation' || OPERAND_STARTS.has(found.next) || OPERAND_KINDS.has(found.next);
  return [isExtra ? extraneous(found, expected) : mismatched(found, expected)];
}

const mismatched = (found: Found, expected: string): Issue =>
  syntax(`mismatched input ${found.shown} expecting ${expected}`, found);

const extraneous = (found: Found, expected: string): Issue =>
  syntax(`extraneous input ${found.shown} expecting ${expected}`, found);

/** A token continues no rule that the tokens from an offset on may begin. */
export function noAlternative(found: Found, from: number): Issue[] {
  const input = found.text.slice(from, found.kind === 'end' ? found.start : found.end).trimEnd();
  return [syntax(`no viable alternative at input '${input}'`, found)];
}

/** A name is missing. */
export const missingName = (found: Found): Issue[] => [mismatched(found, 'IDENTIFIER')];

const KEYWORDS: ReadonlySet<TokenKind> = new Set(['true', 'false', 'null', 'in']);

/**
 * A name is missing behind a point.
 *
 * @param followsNames whether only names with points between them come before the point. They may name a message: the
 *   parser of Kubernetes then expects another name
 */
export const missingField = (found: Found, point: number, followsNames: boolean): Issue[] =>
  followsNames && KEYWORDS.has(found.kind) ? missingName(found) : noAlternative(found, point);

/** Another token than the end of the text. */
export const expectedEnd = (found: Found): Issue[] => [
  found.next === 'end' ? extraneous(found, '<EOF>') : mismatched(found, '<EOF>'),
];

/** Another token than the colon of a condition or of an entry. */
export const expectedColon = (found: Found): Issue[] => [mismatched(found, "':'")];

/** Another token than a closing bracket. */
export function expectedBracket(found: Found, bracket: ')' | ']' | '}', mayContinue: boolean): Issue[] {
  const expected = mayContinue ? `{'${bracket}', ','}` : `'${bracket}'`;
  if (found.next === bracket) return [extraneous(found, expected)];
  if (found.kind === 'end' && !mayContinue) return [syntax(`missing ${expected} at ${END}`, found)];
  return [mismatched(found, expected)];
}
