/**
 * Reads an expression token by token, with stacks of its own instead of recursion: so it can pause anywhere, and no
 * text exhausts the stack of the host. Operators are reduced by precedence, macros are expanded where their call ends.
 *
 * @module
 */
import { OPTIONAL_SELECT, type Expression, type MapEntry } from './ast.js';
import { bytesValue, doubleValue, integerValue, textValue, unsignedValue, type LiteralValue } from './literals.js';
import { macroKey, type Macro } from './macros.js';
import {
  isChain,
  LEAST_PRECEDENCE,
  openPart,
  OPERATORS,
  PRECEDENCE_OF_SIGNS,
  type OpenKind,
  type OpenPart,
} from './open-parts.js';
import { compileError, MAX_SHOWN_ISSUES, type Issue } from './source.js';
import {
  expectedBracket,
  expectedColon,
  expectedEnd,
  foundBy,
  missingField,
  missingName,
  missingOperand,
  noAlternative,
  type Found,
  type OperandPlace,
} from './syntax-errors.js';
import { Scanner, type TokenKind } from './tokens.js';

/** Names that no variable or function can have. */
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const NONE: ReadonlySet<number> = new Set();
const TOO_DEEP = 'max recursion depth exceeded';
/** Most signs in a row. */
const MAX_SIGNS = 10_000;

/** Where the next operand is: behind an opening bracket, behind a comma, or elsewhere. */
type Place = 'opening' | 'comma' | 'inside';

/** The brackets that end open parts. */
const CLOSING: Readonly<Partial<Record<OpenKind, ')' | ']' | '}'>>> = {
  group: ')',
  call: ')',
  index: ']',
  list: ']',
  map: '}',
  entry: '}',
};

/** Reads one expression. */
export class ExpressionReader {
  readonly #text: string;
  readonly #scanner: Scanner;
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #maxDepth: number;
  readonly #issues: Issue[] = [];
  /** Complete operands, and the height of the tree of each. */
  readonly #operands: Expression[] = [];
  readonly #heights: number[] = [];
  readonly #open: OpenPart[] = [];
  #expectsOperand = true;
  #place: Place = 'inside';
  /** Expressions that may still be nested within each other here. */
  #levels: number;
  /** Links of the chain that ends here. */
  #links = 0;
  /** True when the last operand consists of names with points between them. */
  #isName = false;
  #isTooDeep = false;

  /** @param macros by {@link macroKey} */
  constructor(text: string, macros: ReadonlyMap<string, Macro>, maxDepth: number) {
    this.#text = text;
    this.#macros = macros;
    this.#maxDepth = maxDepth;
    this.#levels = maxDepth;
    this.#scanner = new Scanner(text, (issue) => this.#reportUnknown(issue));
    this.#enter(openPart('whole', 0, '', 0));
    this.#scanner.advance();
  }

  /** The offset up to which the text has been read. */
  get offset(): number {
    return this.#scanner.end;
  }

  /**
   * Reads some tokens.
   *
   * @returns the expression; undefined before the end of the text
   * @throws CelCompileError for an invalid expression, or one beyond the limits
   */
  read(tokens: number): Expression | undefined {
    for (let count = 0; count < tokens; count += 1) {
      if (this.#expectsOperand) this.#readOperand();
      else if (this.#readAfterOperand()) return this.#result();
    }
    return undefined;
  }

  /** Adds an issue of the scanner. A text with more errors than are shown is not read to its end. */
  #reportUnknown(issue: Issue): void {
    this.#issues.push(issue);
    if (this.#issues.length > MAX_SHOWN_ISSUES) throw compileError(this.#text, this.#issues);
  }

  #result(): Expression {
    const [tree] = this.#operands;
    if (this.#isTooDeep || tree === undefined) throw compileError(this.#text, [{ message: TOO_DEEP }]);
    if (this.#issues.length > 0) throw compileError(this.#text, this.#issues);
    return tree;
  }

  #fail(issuesOf: (found: Found) => Issue[]): never {
    throw compileError(this.#text, [...this.#issues, ...issuesOf(foundBy(this.#scanner))]);
  }

  /** The innermost open part. */
  #innermost(): OpenPart {
    const part = this.#open.at(-1);
    if (part === undefined) throw new Error('the text is the outermost open part');
    return part;
  }

  // Operands.

  #readOperand(): void {
    const { kind, start } = this.#scanner;
    const sign = this.#innermost();
    const isSigned = sign.kind === 'signs';
    if (isSigned && sign.isSpecial && kind !== 'int' && kind !== 'double')
      this.#fail((found) => noAlternative(found, sign.offset));
    switch (kind) {
      case 'identifier':
        return this.#readName();
      case 'int':
      case 'double':
        return this.#readNumber(kind === 'int' ? integerValue : doubleValue);
      case 'uint':
        return this.#literal(start, unsignedValue(this.#scanner.source));
      case 'string':
        return this.#literal(start, textValue(this.#scanner.source));
      case 'bytes':
        return this.#literal(start, bytesValue(this.#scanner.source));
      case 'true':
      case 'false':
        return this.#literal(start, { value: kind === 'true' });
      case 'null':
        return this.#literal(start, { value: null });
      case '.':
        return this.#readLeadingPoint();
      case '!':
      case '-':
        return this.#readSign(kind);
      case '(':
        return this.#begin(openPart('group', start, '', this.#operands.length));
      case '[':
        return this.#begin(openPart('list', start, '', this.#operands.length));
      case '{':
        return this.#begin(openPart('map', start, '', this.#operands.length));
      default:
        this.#readNoOperand();
    }
  }

  /** A token where an operand may be left out, or a syntax error. */
  #readNoOperand(): void {
    const { kind } = this.#scanner;
    const part = this.#innermost();
    const isElement = this.#place !== 'inside' && (part.kind === 'list' || part.kind === 'map');
    if (isElement && kind === '?') {
      const operands = this.#operands.length - part.base;
      (part.optional ??= new Set()).add(part.kind === 'list' ? operands : operands / 2);
      return this.#expectOperand('inside');
    }
    const isClosing = (token: TokenKind): boolean => token === CLOSING[part.kind];
    if (isElement && this.#place === 'opening' && kind === ',' && isClosing(foundBy(this.#scanner).next))
      this.#scanner.advance();
    const mayClose = isElement || (part.kind === 'call' && this.#place === 'opening');
    if (!mayClose || !isClosing(this.#scanner.kind))
      this.#fail((found) => missingOperand(found, this.#operandPlace(part)));
    this.#close(part);
  }

  #operandPlace(part: OpenPart): OperandPlace {
    if (part.kind === 'signs') return part.name === '!_' ? 'negation' : 'minus';
    if (this.#place !== 'opening') return 'other';
    if (part.kind === 'call') return 'arguments';
    return part.kind === 'index' || part.kind === 'list' || part.kind === 'map' ? part.kind : 'other';
  }

  #readName(): void {
    const { start, source: name } = this.#scanner;
    if (RESERVED.has(name)) this.#issues.push({ offset: start, message: `reserved identifier: ${name}` });
    if (this.#scanner.advance() === '(')
      return this.#begin(openPart('call', this.#scanner.start, name, this.#operands.length));
    this.#push({ kind: 'identifier', offset: start, name }, 0);
    this.#isName = true;
  }

  /** The point before a name that is looked up in the outermost container; here, there is only one. */
  #readLeadingPoint(): void {
    const { start } = this.#scanner;
    if (this.#scanner.advance() !== 'identifier') this.#fail((found) => noAlternative(found, start));
    this.#readName();
  }

  /** Signs of one kind in a row. A minus behind a negation must belong to a number. */
  #readSign(kind: '!' | '-'): void {
    const { start } = this.#scanner;
    const name = `${kind}_`;
    const before = this.#innermost();
    const isBehindSign = before.kind === 'signs';
    if (isBehindSign && before.name === name) before.count += 1;
    else if (isBehindSign && kind === '!') this.#fail((found) => noAlternative(found, before.offset));
    else this.#open.push(openPart('signs', start, name, this.#operands.length, PRECEDENCE_OF_SIGNS, 0, isBehindSign));
    if (before.count > MAX_SIGNS) throw compileError(this.#text, [{ message: TOO_DEEP }]);
    this.#scanner.advance();
  }

  /** A minus directly before a number belongs to the number. */
  #readNumber(read: (source: string, sign: '-' | '') => LiteralValue): void {
    const { start, source } = this.#scanner;
    const sign = this.#innermost();
    if (sign.kind !== 'signs' || sign.name !== '-_' || sign.count > 1) return this.#literal(start, read(source, ''));
    this.#open.pop();
    this.#literal(sign.offset, read(source, '-'));
  }

  #literal(offset: number, { value, problem }: LiteralValue): void {
    if (problem !== undefined) this.#issues.push({ offset, message: problem });
    this.#push({ kind: 'literal', offset, value }, 0);
    this.#isName = false;
    this.#scanner.advance();
  }

  /** Adds a complete operand. */
  #push(expression: Expression, height: number): void {
    if (height > this.#maxDepth) this.#isTooDeep = true;
    this.#operands.push(expression);
    this.#heights.push(height);
    this.#expectsOperand = false;
  }

  #popHeight(): number {
    return this.#heights.pop() ?? 0;
  }

  #popOperand(): Expression {
    const operand = this.#operands.pop();
    if (operand === undefined) throw new Error('an operator has its operands');
    return operand;
  }

  /** Removes the operands of a construct that is complete. */
  #take(base: number): { readonly parts: Expression[]; readonly height: number } {
    let height = -1;
    for (let index = base; index < this.#heights.length; index += 1)
      height = Math.max(height, this.#heights[index] ?? 0);
    this.#heights.length = base;
    return { parts: this.#operands.splice(base), height: height + 1 };
  }

  // The tokens that may follow an operand.

  /** @returns true at the end of the text */
  #readAfterOperand(): boolean {
    const { kind, start } = this.#scanner;
    if (kind === '.') this.#readField();
    else if (kind === '[') this.#readIndex();
    else {
      this.#levels += this.#links;
      this.#links = 0;
      const operator = OPERATORS.get(kind);
      this.#reduce(operator?.precedence ?? LEAST_PRECEDENCE);
      if (operator === undefined) return this.#readStructure(kind);
      this.#open.push(openPart('operator', start, operator.name, this.#operands.length - 1, operator.precedence));
      this.#expectOperand('inside');
    }
    return false;
  }

  #expectOperand(place: Place): void {
    this.#expectsOperand = true;
    this.#place = place;
    this.#scanner.advance();
  }

  /** `.name`, `.?name` or `.name(…)` */
  #readField(): void {
    const scanner = this.#scanner;
    const { start: point } = scanner;
    this.#link();
    const isOptional = scanner.advance() === '?';
    if ((isOptional ? scanner.advance() : scanner.kind) !== 'identifier')
      this.#fail((found) => (isOptional ? missingName(found) : missingField(found, point, this.#isName)));
    const { source: name } = scanner;
    if (scanner.advance() === '(' && !isOptional) {
      const base = this.#operands.length - 1;
      return this.#begin(openPart('call', scanner.start, name, base, 0, this.#links, true));
    }
    const height = this.#popHeight() + 1;
    const operand = this.#popOperand();
    if (!isOptional)
      return this.#push({ kind: 'select', offset: point, operand, field: name, testOnly: false }, height);
    const field: Expression = { kind: 'literal', offset: point, value: name };
    this.#push({ kind: 'call', offset: point, name: OPTIONAL_SELECT, arguments: [operand, field] }, height);
    this.#isName = false;
  }

  /** `[…]` or `[?…]` */
  #readIndex(): void {
    const { start } = this.#scanner;
    this.#link();
    const isOptional = this.#scanner.advance() === '?';
    const links = this.#links;
    this.#enter(openPart('index', start, isOptional ? '_[?_]' : '_[_]', this.#operands.length - 1, 0, links));
    this.#place = isOptional ? 'inside' : 'opening';
    this.#expectsOperand = true;
    if (isOptional) this.#scanner.advance();
  }

  /** Counts a link of a chain as a level of nesting. */
  #link(): void {
    this.#useLevel();
    this.#links += 1;
  }

  /** Completes the operators that bind at least as tightly. */
  #reduce(precedence: number): void {
    for (;;) {
      const part = this.#innermost();
      if (part.precedence < precedence) return;
      this.#open.pop();
      if (part.kind === 'signs') this.#applySigns(part);
      else this.#applyOperator(part);
    }
  }

  /** Two signs cancel each other. */
  #applySigns({ offset, name, count }: OpenPart): void {
    const height = this.#popHeight() + 1;
    const operand = this.#popOperand();
    this.#push(count % 2 === 0 ? operand : { kind: 'call', offset, name, arguments: [operand] }, height);
  }

  /** A chain of `&&` or `||` is one call, so that its length does not count as depth. */
  #applyOperator({ offset, name }: OpenPart): void {
    const rightHeight = this.#popHeight() + 1;
    const leftHeight = this.#popHeight();
    const right = this.#popOperand();
    const left = this.#popOperand();
    if (isChain(left, name)) {
      left.arguments.push(right);
      return this.#push(left, Math.max(leftHeight, rightHeight));
    }
    this.#push({ kind: 'call', offset, name, arguments: [left, right] }, Math.max(leftHeight + 1, rightHeight));
  }

  // Constructs.

  /** Begins a construct in which an expression comes next. */
  #begin(part: OpenPart): void {
    this.#enter(part);
    this.#expectOperand('opening');
  }

  /** Enters an expression within a construct. */
  #enter(part: OpenPart): void {
    this.#useLevel();
    this.#links = 0;
    this.#open.push(part);
  }

  #useLevel(): void {
    if (this.#levels === 0)
      throw compileError(this.#text, [
        ...this.#issues,
        { message: `expression recursion limit exceeded: ${this.#maxDepth}` },
      ]);
    this.#levels -= 1;
  }

  /** @returns true at the end of the text */
  #readStructure(kind: TokenKind): boolean {
    const condition = this.#innermost();
    if (kind === '?' && condition.kind !== 'then') {
      this.#enter(openPart('then', this.#scanner.start, '_?_:_', this.#operands.length - 1));
      this.#expectOperand('inside');
      return false;
    }
    if (condition.kind === 'else') this.#completeConditions();
    const part = this.#innermost();
    if (kind === 'end' && part.kind === 'whole') return true;
    if (kind === CLOSING[part.kind] && part.kind !== 'map') this.#close(part);
    else if (kind === ':' && (part.kind === 'then' || part.kind === 'map')) {
      part.kind = part.kind === 'then' ? 'else' : 'entry';
      this.#expectOperand('inside');
    } else if (kind === ',' && (part.kind === 'list' || part.kind === 'entry' || part.kind === 'call')) {
      if (part.kind === 'entry') part.kind = 'map';
      this.#expectOperand('comma');
    } else this.#fail((found) => expectedAfterOperand(found, part.kind));
    return false;
  }

  /** Completes the conditions whose last branch ends here. */
  #completeConditions(): void {
    for (let part = this.#innermost(); part.kind === 'else'; part = this.#innermost()) {
      this.#open.pop();
      this.#levels += 1;
      const { parts, height } = this.#take(part.base);
      this.#push({ kind: 'call', offset: part.offset, name: part.name, arguments: parts }, height);
    }
  }

  /** Completes a construct at its closing bracket. */
  #close(part: OpenPart): void {
    this.#open.pop();
    this.#levels += 1;
    this.#links = part.links;
    if (part.kind !== 'group') {
      const { parts, height } = this.#take(part.base);
      this.#push(this.#construct(part, parts), height);
    }
    this.#isName = false;
    this.#scanner.advance();
  }

  #construct({ kind, offset, name, isSpecial, optional: marked }: OpenPart, parts: Expression[]): Expression {
    const optional: ReadonlySet<number> = marked ?? NONE;
    if (kind === 'index') return { kind: 'call', offset, name, arguments: parts };
    if (kind === 'list') return { kind: 'list', offset, elements: parts, optional };
    if (kind === 'map' || kind === 'entry') return { kind: 'map', offset, entries: entriesOf(parts, optional) };
    const target = isSpecial ? parts.shift() : undefined;
    const macro = this.#macros.get(macroKey(name, parts.length, target !== undefined));
    const call = { offset, target, arguments: parts };
    return (
      macro?.expand({ ...call, report: (issue) => this.#issues.push(issue) }) ?? {
        kind: 'call',
        offset,
        name,
        target,
        arguments: parts,
      }
    );
  }
}

function entriesOf(parts: readonly Expression[], optional: ReadonlySet<number>): MapEntry[] {
  const entries: MapEntry[] = [];
  let key: Expression | undefined;
  for (const part of parts) {
    if (key !== undefined) entries.push({ key, value: part, isOptional: optional.has(entries.length) });
    key = key === undefined ? part : undefined;
  }
  return entries;
}

/** The issues of a token that neither continues nor ends an open part. */
function expectedAfterOperand(found: Found, kind: OpenKind): Issue[] {
  const bracket = CLOSING[kind];
  if (kind === 'then' || kind === 'map') return expectedColon(found);
  if (bracket === undefined) return expectedEnd(found);
  return expectedBracket(found, bracket, kind === 'list' || kind === 'entry');
}
