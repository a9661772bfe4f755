/**
 * Parses text into a tree, by the grammar of cel-spec as Kubernetes 1.31 has it.
 *
 * @module
 */
import { codePointCount, type Steps, type Work } from '../../../foundation/index.js';
import type { defaultExpressionLimits } from '../cost/limits.js';
import type { Expression } from './ast.js';
import { ExpressionReader } from './expression-reader.js';
import { macroKey, type Macro } from './macros.js';
import { compileError } from './source.js';

/**
 * Parses an expression. It pauses between tokens.
 *
 * @throws CelCompileError for an invalid expression, or one beyond the limits
 */
export type Parser = (text: string, work: Work) => Steps<Expression>;

/** Tokens that are read without a pause. */
const TOKENS_OF_PIECE = 256;
/** Work of parsing a character of an expression. */
const UNITS_OF_CHARACTER = 5;

/** Creates a parser. */
export function createParser(
  macros: readonly Macro[],
  { maxLength, maxDepth }: typeof defaultExpressionLimits,
): Parser {
  const byKey = new Map(macros.map((macro) => [macroKey(macro.name, macro.arity, macro.isMethod), macro]));
  return function* (text, work) {
    const length = text.length <= maxLength ? text.length : codePointCount(text);
    if (length > maxLength)
      throw compileError(text, [
        { message: `expression code point size exceeds limit: size: ${length}, limit ${maxLength}` },
      ]);
    const reader = new ExpressionReader(text, byKey, maxDepth);
    for (let read = 0; ;) {
      const tree = reader.read(TOKENS_OF_PIECE);
      const { offset } = reader;
      if (work.spend((offset - read) * UNITS_OF_CHARACTER)) yield;
      if (tree !== undefined) return tree;
      read = offset;
    }
  };
}
