/**
 * The open parts of an expression that is read from the left: constructs whose end has not come, and operators whose
 * right operand is not complete.
 *
 * @module
 */
import type { Expression } from './ast.js';
import type { TokenKind } from './tokens.js';

/**
 * The kinds of open parts: `whole` is the text, `map` a map at a key, `entry` a map at a value, `then` and `else` are the
 * branches of a condition.
 */
export type OpenKind =
  'whole' | 'group' | 'call' | 'index' | 'list' | 'map' | 'entry' | 'then' | 'else' | 'signs' | 'operator';

/** An open part. All have one shape, since they are made for most tokens. */
export interface OpenPart {
  kind: OpenKind;
  /** How tightly the operator binds; 0 for a construct. */
  readonly precedence: number;
  /** The offset that messages show. */
  readonly offset: number;
  /** The name of the operator or of the called function. */
  readonly name: string;
  /** The number of complete operands below its own. */
  readonly base: number;
  /** The number of selections, indices and method calls before it in its chain: each counts as a level of nesting. */
  readonly links: number;
  /** True for a method call, and for the minus of a number behind a negation. */
  readonly isSpecial: boolean;
  /** Signs in a row, of `signs`. */
  count: number;
  /** Indices of the optional elements or entries; undefined when there is none. */
  optional: Set<number> | undefined;
}

/** Opens a part. */
export const openPart = (
  kind: OpenKind,
  offset: number,
  name: string,
  base: number,
  precedence = 0,
  links = 0,
  isSpecial = false,
): OpenPart => ({ kind, precedence, offset, name, base, links, isSpecial, count: 1, optional: undefined });

/** An operator between two operands. */
export interface Operator {
  readonly name: string;
  readonly precedence: number;
}

/** How tightly signs bind: more than all other operators. */
export const PRECEDENCE_OF_SIGNS = 6;
/** Binds less than all operators. */
export const LEAST_PRECEDENCE = 1;

const levels: readonly (readonly TokenKind[])[] = [
  ['||'],
  ['&&'],
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** The operators between two operands; those of one level are left-associative. */
export const OPERATORS: ReadonlyMap<TokenKind, Operator> = new Map(
  levels.flatMap((marks, level) =>
    marks.map((mark) => [mark, { name: mark === 'in' ? '@in' : `_${mark}_`, precedence: level + LEAST_PRECEDENCE }]),
  ),
);

const LOGIC: ReadonlySet<string> = new Set(['_&&_', '_||_']);

/** A call whose arguments the parser may still extend. */
type GrowingCall = Expression & { readonly kind: 'call'; readonly arguments: Expression[] };

/** The operands of a chain of `&&` or `||` by the call that has them: only the parser adds operands. */
export const isChain = (expression: Expression, name: string): expression is GrowingCall =>
  expression.kind === 'call' && expression.name === name && LOGIC.has(name);
