/**
 * Parses text into a tree. Only this file uses the parsing library. It rewrites the library's trees into ours: adds the
 * offsets of operators, corrects the precedence to cel-spec's grammar, and expands macros.
 *
 * @module
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { OPTIONAL_SELECT, type Expression } from './ast.js';
import { appendAll } from '../meta/append-to.js';
import { codePointCount } from '../encoding/code-points.js';
import { CelCompileError } from './failures.js';
import { readLiteral, type LibraryLiteral } from './literals.js';
import type { ExpressionLimits } from './limits.js';
import type { Macro } from './macros.js';
import { correctedLiteral, correctText, type CorrectedText } from './corrected-text.js';
import { markOptionalElements, type MarkedText } from './optional-elements.js';
import { isParenthesized, openingParenthesis, operatorAfter, skipTrivia } from './token-offsets.js';
import { compileError, type Issue } from './source.js';
import { syntaxIssues, trailingComma, unknownToken } from './syntax-errors.js';

/** Parses an expression. */
export type Parser = (text: string) => Expression;

/** Macros by the form of their calls. */
type Macros = ReadonlyMap<string, Macro>;
const macroKey = (name: string, arity: number, isMethod: boolean): string => `${isMethod ? '.' : ''}${name}/${arity}`;

/** Operators of one precedence level in the grammar, left-associative. The library has two levels. */
const RELATIONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const NONE: ReadonlySet<number> = new Set();
const TOO_DEEP = 'max recursion depth exceeded';

/**
 * Creates a parser.
 *
 * @param library the parsing library, loaded on first use
 * @throws CelCompileError (from the parser) for an invalid expression, or one beyond the limits
 */
export function createParser(
  library: typeof import('@marcbachmann/cel-js'),
  macros: readonly Macro[],
  limits: ExpressionLimits,
): Parser {
  const { maxLength, maxDepth } = limits;
  const environment = new library.Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    limits: {
      maxDepth,
      maxAstNodes: maxLength,
      maxListElements: maxLength,
      maxMapEntries: maxLength,
      maxCallArguments: maxLength,
    },
  });
  const byKey: Macros = new Map(macros.map((macro) => [macroKey(macro.name, macro.arity, macro.isMethod), macro]));
  return (text) => {
    const length = text.length <= maxLength ? text.length : codePointCount(text);
    if (length > maxLength)
      throw compileError(text, [
        { message: `expression code point size exceeds limit: size: ${length}, limit ${maxLength}` },
      ]);
    const issues: Issue[] = [];
    const { text: corrected, literals } = correctText(text);
    const marked = markOptionalElements(corrected);
    const tree = readTree((source) => environment.parse(source).ast, marked.text, text, limits);
    const expression = new Rewriter({ ...marked, literals }, byKey, maxDepth, issues).rewrite(tree, 0);
    if (issues.length > 0) throw compileError(text, issues);
    return expression;
  };
}

/** Maximum number of unknown tokens that are reported. */
const MAX_UNKNOWN_TOKENS = 30;

/** Reads the tree of a text. Unknown tokens are reported and skipped, so that the errors after them are found too. */
function readTree(parse: (text: string) => ASTNode, source: string, text: string, limits: ExpressionLimits): ASTNode {
  const issues: Issue[] = [];
  let rest = source;
  for (;;) {
    try {
      const tree = parse(rest);
      const comma = trailingComma(rest);
      if (comma !== undefined) issues.push(comma);
      if (issues.length > 0) throw compileError(text, issues);
      return tree;
    } catch (error) {
      if (error instanceof CelCompileError) throw error;
      // The library recurses for a run of `!` or `-`, which can exhaust the stack.
      if (error instanceof RangeError) throw compileError(text, [{ message: TOO_DEEP }]);
      const unknown = issues.length < MAX_UNKNOWN_TOKENS ? unknownToken(error, rest) : undefined;
      if (unknown === undefined) throw compileError(text, [...issues, ...syntaxIssues(error, rest, limits)]);
      const { start, text: token } = unknown;
      issues.push({ offset: start, message: `Syntax error: token recognition error at: '${token}'` });
      rest = rest.slice(0, start) + ' '.repeat(token.length) + rest.slice(start + token.length);
    }
  }
}

/** The text for the library, and what was removed from it. */
type ReadText = MarkedText & CorrectedText;

class Rewriter {
  readonly #text: string;

  readonly #marked: ReadText;
  readonly #macros: Macros;
  readonly #maxDepth: number;
  readonly #issues: Issue[];

  constructor(marked: ReadText, macros: Macros, maxDepth: number, issues: Issue[]) {
    this.#marked = marked;
    this.#macros = macros;
    this.#maxDepth = maxDepth;
    this.#issues = issues;
    this.#text = marked.text;
  }

  rewrite(node: ASTNode, depth: number): Expression {
    if (depth > this.#maxDepth) throw compileError(this.#text, [{ message: TOO_DEEP }]);
    const inside = depth + 1;
    switch (node.op) {
      case 'value':
        return this.#literal(node.args, node.start, node.end);
      case 'id':
        return { kind: 'identifier', offset: node.start, name: node.args };
      case '.':
      case '.?':
        return this.#select(node.args[0], node.args[1], node.op === '.?', inside);
      case '[]':
      case '[?]':
        return this.#operator(node.op === '[]' ? '_[_]' : '_[?_]', node.args, inside);
      case 'call':
        return this.#call(
          node.args[0],
          openingParenthesis(this.#text, node.start, node.args[0]),
          undefined,
          node.args[1],
          inside,
        );
      case 'rcall':
        return this.#method(...node.args, inside);
      case 'list':
        return {
          kind: 'list',
          offset: node.start,
          elements: node.args.map((element) => this.rewrite(element, inside)),
          optional: this.#marked.optional.get(node.start) ?? NONE,
        };
      case 'map':
        return this.#map(node.start, node.args, inside);
      case '?:':
        return this.#operator('_?_:_', node.args, inside);
      case '||':
      case '&&':
        return this.#logic(node, inside);
      case '!_':
      case '-_':
        return this.#unary(node, inside);
      default:
        return RELATIONS.has(node.op)
          ? this.#relation(node, inside)
          : this.#operator(`_${node.op}_`, node.args, inside);
    }
  }

  #map(offset: number, entries: readonly (readonly [ASTNode, ASTNode])[], depth: number): Expression {
    const optional = this.#marked.optional.get(offset) ?? NONE;
    return {
      kind: 'map',
      offset,
      entries: entries.map(([key, value], index) => ({
        key: this.rewrite(key, depth),
        value: this.rewrite(value, depth),
        isOptional: optional.has(index),
      })),
    };
  }

  #literal(literal: LibraryLiteral, offset: number, end: number): Expression {
    const source = this.#text.slice(offset, end);
    if (this.#marked.literals.has(offset)) return { kind: 'literal', offset, value: correctedLiteral(literal, source) };
    const { value, problem } = readLiteral(literal, source);
    if (problem !== undefined) this.#issues.push({ offset, message: problem });
    return { kind: 'literal', offset, value };
  }

  #operator(name: string, operands: readonly ASTNode[], depth: number): Expression {
    const offset = operatorAfter(this.#text, operands[0]?.end ?? 0);
    return { kind: 'call', offset, name, arguments: operands.map((operand) => this.rewrite(operand, depth)) };
  }

  #select(operandNode: ASTNode, field: string, isOptional: boolean, depth: number): Expression {
    const offset = operatorAfter(this.#text, operandNode.end);
    const operand = this.rewrite(operandNode, depth);
    if (!isOptional) return { kind: 'select', offset, operand, field, testOnly: false };
    return {
      kind: 'call',
      offset,
      name: OPTIONAL_SELECT,
      arguments: [operand, { kind: 'literal', offset, value: field }],
    };
  }

  #method(name: string, target: ASTNode, args: readonly ASTNode[], depth: number): Expression {
    const nameStart = skipTrivia(this.#text, operatorAfter(this.#text, target.end) + 1);
    return this.#call(name, openingParenthesis(this.#text, nameStart, name), target, args, depth);
  }

  #call(
    name: string,
    offset: number,
    targetNode: ASTNode | undefined,
    argumentNodes: readonly ASTNode[],
    depth: number,
  ): Expression {
    const target = targetNode === undefined ? undefined : this.rewrite(targetNode, depth);
    const parts = {
      offset,
      target,
      arguments: argumentNodes.map((argument) => this.rewrite(argument, depth)),
    };
    const macro = this.#macros.get(macroKey(name, argumentNodes.length, target !== undefined));
    return macro?.expand({ ...parts, report: (issue) => this.#issues.push(issue) }) ?? { kind: 'call', name, ...parts };
  }

  /** Rewrites a chain of one operator as one call, so that its length does not count as depth. */
  #logic(node: ASTNode & { op: '||' | '&&' }, depth: number): Expression {
    const terms: ASTNode[] = [];
    let rest: ASTNode = node;
    while (rest.op === node.op) {
      terms.push(rest.args[1]);
      rest = rest.args[0];
    }
    terms.push(rest);
    terms.reverse();
    return this.#operator(`_${node.op}_`, terms, depth);
  }

  /** Two negations cancel each other; the minus before a number belongs to the number. */
  #unary(node: ASTNode & { op: '!_' | '-_' }, depth: number): Expression {
    let operand: ASTNode = node;
    let count = 0;
    while (operand.op === node.op) {
      operand = operand.args;
      count += 1;
    }
    const offset = node.start;
    const number = node.op === '-_' ? this.#numberOf(operand) : undefined;
    const inner = number === undefined ? this.rewrite(operand, depth) : this.#literal(-number, offset, operand.end);
    const isNegated = (number === undefined ? count : count - 1) % 2 === 1;
    return isNegated ? { kind: 'call', offset, name: node.op, arguments: [inner] } : inner;
  }

  /** Returns the value of a number literal. */
  #numberOf(node: ASTNode): bigint | number | undefined {
    if (node.op !== 'value') return undefined;
    if (typeof node.args !== 'bigint' && typeof node.args !== 'number') return undefined;
    const isCorrected = this.#marked.literals.has(node.start);
    return isCorrected ? Number(`.${this.#text.slice(node.start, node.end)}`) : node.args;
  }

  /** `a == b < c` is `(a == b) < c`; the library reads `a == (b < c)`. */
  #relation(node: ASTNode, depth: number): Expression {
    const { first, rest } = this.#relationChain(node);
    // The outermost comparison has the given depth; each further one is one level deeper, as in a sum.
    const innermost = depth + rest.length - 1;
    if (innermost > this.#maxDepth) throw compileError(this.#text, [{ message: TOO_DEEP }]);
    let left = this.rewrite(first, innermost);
    for (const { operator, offset, operand } of rest) {
      left = {
        kind: 'call',
        offset,
        name: operator === 'in' ? '@in' : `_${operator}_`,
        arguments: [left, this.rewrite(operand, depth)],
      };
    }
    return left;
  }

  #relationChain(node: ASTNode): RelationChain {
    const reversed: Relation[] = [];
    let first = node;
    while (isRelation(first)) {
      const [left, right] = first.args;
      const offset = operatorAfter(this.#text, left.end);
      const nested = isRelation(right) && !isParenthesized(this.#text, offset + first.op.length, right.start);
      const chain = nested ? this.#relationChain(right) : { first: right, rest: [] };
      appendAll(reversed, chain.rest.toReversed());
      reversed.push({ operator: first.op, offset, operand: chain.first });
      first = left;
    }
    return { first, rest: reversed.reverse() };
  }
}

type RelationNode = ASTNode & { op: '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' };
const isRelation = (node: ASTNode): node is RelationNode => RELATIONS.has(node.op);

interface Relation {
  readonly operator: string;
  readonly offset: number;
  readonly operand: ASTNode;
}

/** Operands of one precedence level and the operators between them. */
interface RelationChain {
  readonly first: ASTNode;
  readonly rest: readonly Relation[];
}
