import { isBlankOrEnd, isBreak, PIECE, SPACE, TAB, YamlCursor, type YamlText } from './yaml-cursor.js';
import { readAnchor, readDirective, readTag } from './yaml-properties.js';
import { BlockScalar, PlainScalar, QuotedScalar, type OpenScalar } from './yaml-scalar-text.js';
import { TokenKind, type YamlToken } from './yaml-token.js';

/** Greatest distance of the colon behind a key from its beginning, in characters. */
const LONGEST_KEY = 1024;
/** Tokens that are read in one piece. */
const TOKENS = 64;

/** A token that becomes a key if a colon follows on its line. */
interface PossibleKey {
  isPossible: boolean;
  /** Whether only a key may be there. */
  isRequired: boolean;
  /** Number of its first token. */
  token: number;
  pos: number;
  line: number;
  column: number;
}

const noKey = (): PossibleKey => ({ isPossible: false, isRequired: false, token: 0, pos: 0, line: 0, column: 0 });

/**
 * Divides a YAML stream into tokens, in pieces, as libyaml does: indentation becomes tokens that begin and end blocks,
 * and a key is recognised at the colon behind it.
 */
export class YamlScanner {
  readonly #cursor: YamlCursor;
  readonly #queue: YamlToken[] = [];
  #head = 0;
  /** Number of tokens that have been taken. */
  #taken = 0;
  /** Whether a part of a token has been read. */
  #isReading = false;
  /** Column of the current block; -1 outside. */
  #indent = -1;
  readonly #indents: number[] = [];
  /** The possible key of each level of flow collections, and of the blocks around them. */
  readonly #keys: PossibleKey[] = [noKey()];
  #allowsKey = true;
  #scalar: OpenScalar | undefined;

  constructor(text: YamlText) {
    this.#cursor = new YamlCursor(text);
  }

  /** Number of characters that have been read. */
  get position(): number {
    return this.#cursor.pos;
  }

  /**
   * Reads on until the next token is known.
   *
   * @returns the token, without taking it; undefined when it takes more than a piece: call again
   * @throws DecodeProblem for text that has no tokens
   */
  peek(): YamlToken | undefined {
    for (let count = 0; count < TOKENS; count += 1) {
      const token = this.#isReading ? undefined : this.#queue[this.#head];
      if (token !== undefined && !this.#mayBecomeKey()) return token;
      this.#isReading = !this.#read();
      if (this.#isReading) return undefined;
    }
    return undefined;
  }

  /** Takes the token that {@link peek} has returned. */
  take(): void {
    this.#head += 1;
    this.#taken += 1;
    if (this.#head < this.#queue.length || this.#head < TOKENS) return;
    this.#queue.length = 0;
    this.#head = 0;
  }

  /** Returns true when the next token may be the beginning of a key: the token of the key goes before it then. */
  #mayBecomeKey(): boolean {
    const keys = this.#keys;
    // The tokens of the keys ascend with their levels.
    let low = 0;
    let high = keys.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((keys[middle] as PossibleKey).token < this.#taken) low = middle + 1;
      else high = middle;
    }
    const key = keys[low] as PossibleKey;
    return key.token === this.#taken && this.#isKeyValid(key);
  }

  #isKeyValid(key: PossibleKey): boolean {
    if (!key.isPossible) return false;
    const { line, pos } = this.#cursor;
    if (key.line === line && key.pos + LONGEST_KEY >= pos) return true;
    if (key.isRequired) throw this.#cursor.problem("could not find expected ':'");
    key.isPossible = false;
    return false;
  }

  get #key(): PossibleKey {
    return this.#keys[this.#keys.length - 1] as PossibleKey;
  }

  get #isInFlow(): boolean {
    return this.#keys.length > 1;
  }

  #saveKey(): void {
    if (!this.#allowsKey) return;
    this.#removeKey();
    const key = this.#key;
    const { pos, line, column } = this.#cursor;
    key.isPossible = true;
    key.isRequired = !this.#isInFlow && this.#indent === column;
    key.token = this.#taken + this.#queue.length - this.#head;
    key.pos = pos;
    key.line = line;
    key.column = column;
  }

  #removeKey(): void {
    const key = this.#key;
    if (key.isPossible && key.isRequired) throw this.#cursor.problem("could not find expected ':'");
    key.isPossible = false;
  }

  #add(kind: TokenKind, text = '', line = this.#cursor.line): void {
    this.#queue.push({ kind, line, text, suffix: '' });
  }

  /** Begins a block at a column, unless it is that of the current one. @param at number of the token before which */
  #rollIndent(column: number, kind: TokenKind, line: number, at?: number): void {
    if (this.#isInFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (at === undefined) this.#add(kind, '', line);
    else this.#queue.splice(at - this.#taken + this.#head, 0, { kind, line, text: '', suffix: '' });
  }

  /** Ends the blocks to the right of a column. */
  #unrollIndent(column: number): void {
    if (this.#isInFlow) return;
    while (this.#indent > column) {
      this.#add(TokenKind.BLOCK_END);
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  /** Reads a token, or a part of a long one. Returns false when it is not complete. */
  #read(): boolean {
    const cursor = this.#cursor;
    if (this.#scalar !== undefined) return this.#readScalar(this.#scalar);
    if (!this.#skipToToken()) return false;
    this.#unrollIndent(cursor.column);
    if (cursor.isAtEnd) return this.#endStream();
    if (cursor.column === 0) {
      if (cursor.code === 0x25) return this.#outside(() => this.#queue.push(readDirective(cursor)));
      if (cursor.isAtDocumentMarker()) return this.#documentMarker();
    }
    return this.#indicator(cursor.code);
  }

  /** Skips blanks, comments and line breaks. Returns false when more follow than fit into a piece. */
  #skipToToken(): boolean {
    const cursor = this.#cursor;
    for (let lines = 0; lines < PIECE; lines += 1) {
      if (cursor.column === 0 && cursor.code === 0xfeff) cursor.pos += 1;
      if (this.#isInFlow || !this.#allowsKey) cursor.skipBlanks();
      else cursor.skipSpaces();
      if (cursor.code === 0x23) cursor.pos = cursor.lineEnd;
      if (!isBreak(cursor.code)) return true;
      cursor.skipBreak();
      if (!this.#isInFlow) this.#allowsKey = true;
    }
    return false;
  }

  #readScalar(scalar: OpenScalar): boolean {
    this.#scalar = scalar;
    if (!scalar.read(this.#cursor)) return false;
    this.#scalar = undefined;
    this.#allowsKey = scalar.allowsKey;
    this.#add(scalar.isPlain ? TokenKind.PLAIN : TokenKind.QUOTED, scalar.text, scalar.line);
    return true;
  }

  /** Ends all blocks, and reads what stands between documents. */
  #outside(read: () => void): true {
    this.#unrollIndent(-1);
    this.#removeKey();
    this.#allowsKey = false;
    read();
    return true;
  }

  #endStream(): true {
    this.#cursor.endLine();
    return this.#outside(() => {
      this.#add(TokenKind.STREAM_END);
    });
  }

  #documentMarker(): true {
    const kind = this.#cursor.code === 0x2d ? TokenKind.DOCUMENT_START : TokenKind.DOCUMENT_END;
    return this.#outside(() => {
      this.#add(kind);
      this.#cursor.pos += 3;
    });
  }

  #indicator(code: number): boolean {
    const cursor = this.#cursor;
    switch (code) {
      case 0x5b: // [
        return this.#openFlow(TokenKind.FLOW_SEQUENCE_START);
      case 0x7b: // {
        return this.#openFlow(TokenKind.FLOW_MAPPING_START);
      case 0x5d: // ]
        return this.#closeFlow(TokenKind.FLOW_SEQUENCE_END);
      case 0x7d: // }
        return this.#closeFlow(TokenKind.FLOW_MAPPING_END);
      case 0x2c: // ,
        this.#removeKey();
        this.#allowsKey = true;
        return this.#simple(TokenKind.FLOW_ENTRY);
      case 0x2d: // -
        if (isBlankOrEnd(cursor.codeAt(1))) return this.#blockEntry();
        return this.#plain();
      case 0x3f: // ?
        if (this.#isInFlow || isBlankOrEnd(cursor.codeAt(1))) return this.#explicitKey();
        return this.#plain();
      case 0x3a: // :
        if (this.#isInFlow || isBlankOrEnd(cursor.codeAt(1))) return this.#value();
        return this.#plain();
      case 0x2a: // *
        return this.#property(() => readAnchor(cursor, TokenKind.ALIAS));
      case 0x26: // &
        return this.#property(() => readAnchor(cursor, TokenKind.ANCHOR));
      case 0x21: // !
        return this.#property(() => readTag(cursor));
      case 0x22: // "
      case 0x27: // '
        return this.#quoted(code);
      case 0x7c: // |
      case 0x3e: // >
        if (!this.#isInFlow) return this.#block(code === 0x7c);
        break;
      case SPACE:
      case TAB:
      case 0x23: // #
      case 0x25: // %
      case 0x40: // @
      case 0x60: // `
        break;
      default:
        return this.#plain();
    }
    throw cursor.problem('found character that cannot start any token');
  }

  /** Adds the token of an indicator of one character. */
  #simple(kind: TokenKind): true {
    this.#add(kind);
    this.#cursor.pos += 1;
    return true;
  }

  #openFlow(kind: TokenKind): true {
    this.#saveKey();
    this.#keys.push({ ...noKey(), token: this.#taken + this.#queue.length - this.#head });
    this.#allowsKey = true;
    return this.#simple(kind);
  }

  #closeFlow(kind: TokenKind): true {
    this.#removeKey();
    if (this.#isInFlow) this.#keys.pop();
    this.#allowsKey = false;
    return this.#simple(kind);
  }

  #blockEntry(): true {
    const { line, column } = this.#cursor;
    if (!this.#isInFlow) {
      if (!this.#allowsKey) throw this.#cursor.problem('block sequence entries are not allowed in this context');
      this.#rollIndent(column, TokenKind.BLOCK_SEQUENCE_START, line);
    }
    this.#removeKey();
    this.#allowsKey = true;
    return this.#simple(TokenKind.BLOCK_ENTRY);
  }

  #explicitKey(): true {
    const { line, column } = this.#cursor;
    if (!this.#isInFlow) {
      if (!this.#allowsKey) throw this.#cursor.problem('mapping keys are not allowed in this context');
      this.#rollIndent(column, TokenKind.BLOCK_MAPPING_START, line);
    }
    this.#removeKey();
    this.#allowsKey = !this.#isInFlow;
    return this.#simple(TokenKind.KEY);
  }

  #value(): true {
    const key = this.#key;
    if (this.#isKeyValid(key)) {
      this.#queue.splice(key.token - this.#taken + this.#head, 0, {
        kind: TokenKind.KEY,
        line: key.line,
        text: '',
        suffix: '',
      });
      this.#rollIndent(key.column, TokenKind.BLOCK_MAPPING_START, key.line, key.token);
      key.isPossible = false;
      this.#allowsKey = false;
    } else {
      const { line, column } = this.#cursor;
      if (!this.#isInFlow) {
        if (!this.#allowsKey) throw this.#cursor.problem('mapping values are not allowed in this context');
        this.#rollIndent(column, TokenKind.BLOCK_MAPPING_START, line);
      }
      this.#allowsKey = !this.#isInFlow;
    }
    return this.#simple(TokenKind.VALUE);
  }

  #property(read: () => YamlToken): true {
    this.#saveKey();
    this.#allowsKey = false;
    this.#queue.push(read());
    return true;
  }

  #plain(): boolean {
    this.#saveKey();
    this.#allowsKey = false;
    return this.#readScalar(new PlainScalar(this.#cursor.line, this.#isInFlow, this.#indent + 1));
  }

  #quoted(quote: number): boolean {
    this.#saveKey();
    this.#allowsKey = false;
    const { line } = this.#cursor;
    this.#cursor.pos += 1;
    return this.#readScalar(new QuotedScalar(line, quote));
  }

  #block(isLiteral: boolean): boolean {
    this.#removeKey();
    this.#allowsKey = true;
    this.#cursor.pos += 1;
    return this.#readScalar(new BlockScalar(this.#cursor, isLiteral, this.#indent));
  }
}
