/**
 * Translates errors of the parsing library into messages of Kubernetes. The generated parser of Kubernetes names sets
 * of tokens, and distinguishes a token too many from a wrong one; when the library does not provide enough detail, its
 * own message follows `Syntax error:`.
 *
 * @module
 */
import type { ExpressionLimits } from './limits.js';
import type { Issue } from './source.js';
import { endsOperand, tokensOf, type Token } from './tokens.js';

/** The used members of the library's error. */
interface LibraryError {
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number; readonly end: number } | undefined;
}

const isLibraryError = (error: unknown): error is LibraryError =>
  error instanceof Error && 'code' in error && 'summary' in error;

/** Tokens that may start an operand, in the order of Kubernetes, and those that other places allow besides. */
const TOKEN_ORDER = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?'];
const OPERAND_STARTS: ReadonlySet<string> = new Set(['[', '{', '(', '.', '-', '!']);
const OPERAND_NAMES = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

/** Returns the tokens that may start an operand or are one of `others`. */
function operandOr(...others: readonly string[]): string {
  const marks = TOKEN_ORDER.filter((mark) => OPERAND_STARTS.has(mark) || others.includes(mark));
  return `{${marks.map((mark) => `'${mark}'`).join(', ')}, ${OPERAND_NAMES}}`;
}

/** An error with the tokens around it. */
interface Place {
  readonly error: LibraryError;
  readonly text: string;
  readonly start: number;
  /** The token at the error in quotes; `'<EOF>'` at the end. */
  readonly found: string;
  /** The tokens before and after it; undefined where there is none. */
  readonly before: Token | undefined;
  readonly after: Token | undefined;
}

const END = "'<EOF>'";

function placeOf(error: LibraryError, text: string): Place {
  const { start = text.length, end = text.length } = error.range ?? {};
  const found = start >= text.length ? END : `'${text.slice(start, Math.max(end, start + 1))}'`;
  let before: Token | undefined;
  for (const token of tokensOf(text)) {
    if (token.start >= start) break;
    before = token;
  }
  const [after] = found === END ? [] : tokensOf(text, Math.max(end, start + 1));
  return { error, text, start: Math.min(start, text.length), found, before, after };
}

/** Returns what may stand in the place of a missing operand. */
function expectedOperand({ before }: Place): string {
  if (before === undefined) return operandOr();
  const followsOperand = endsOperand(before.before);
  if (before.text === '(' && followsOperand) return operandOr(')');
  if (before.text === '[') return followsOperand ? operandOr('?') : operandOr(']', ',', '?');
  return before.text === '{' ? operandOr('}', ',', '?') : operandOr();
}

/** Returns true when an operand may start with the token. */
const startsOperand = (token: Token | undefined): boolean =>
  token !== undefined && (/^[\w"']/.test(token.text) ? token.text !== 'in' : OPERAND_STARTS.has(token.text));

const syntax = (message: string, offset: number): Issue => ({ offset, message: `Syntax error: ${message}` });

/** An operand is missing. */
function missingOperand(place: Place): Issue[] {
  const { found, before, after, start } = place;
  const expected = expectedOperand(place);
  const isSign = before !== undefined && !endsOperand(before.before);
  if (isSign && before.text === '-' && found === END)
    return [
      syntax("no viable alternative at input '-'", start),
      syntax(`mismatched input ${END} expecting ${expected}`, start),
    ];
  const isExtra = before?.text === '!' || startsOperand(after);
  return [syntax(`${isExtra ? 'extraneous' : 'mismatched'} input ${found} expecting ${expected}`, start)];
}

/** Closing brackets by the library's names. A list and a map may also continue with a comma. */
const brackets: Readonly<Record<string, string>> = { RPAREN: ')', RBRACKET: ']', RBRACE: '}' };

/** The tokens that are not names, as errors show them. */
const RESERVED: ReadonlySet<string> = new Set(["'true'", "'false'", "'null'", "'in'"]);

/**
 * Returns whether only names with points between them come before a point. They may name a message: the library of
 * Kubernetes then expects another name.
 */
function followsNames(text: string, point: Token): boolean {
  let areNames = false;
  let last = '';
  for (const token of tokensOf(text)) {
    if (token.start >= point.start) break;
    if (token.text !== '.') areNames = /^[A-Za-z_]\w*$/.test(token.text) && (last !== '.' || areNames);
    last = token.text;
  }
  return areNames;
}

/** Another token than the only possible one. */
function wrongToken({ error, found, text, start, before, after }: Place): Issue[] {
  const name = /^Expected (\w+),/.exec(error.summary)?.[1] ?? '';
  if (name === 'IDENTIFIER' && before?.text === '.') {
    if (RESERVED.has(found) && followsNames(text, before))
      return [syntax(`mismatched input ${found} expecting IDENTIFIER`, start)];
    const end = found === END ? start : start + found.length - 2;
    return [syntax(`no viable alternative at input '${text.slice(before.start, end).trimEnd()}'`, start)];
  }
  const bracket = brackets[name];
  if (bracket === undefined)
    return [syntax(`mismatched input ${found} expecting ${name === 'COLON' ? "':'" : name}`, start)];
  const isLiteral = bracket !== ')' && !isIndex(text, start, bracket);
  const expected = isLiteral ? `{'${bracket}', ','}` : `'${bracket}'`;
  if (after?.text === bracket) return [syntax(`extraneous input ${found} expecting ${expected}`, start)];
  if (found === END && !isLiteral) return [syntax(`missing ${expected} at ${END}`, start)];
  return [syntax(`mismatched input ${found} expecting ${expected}`, start)];
}

/** Returns true when the innermost open bracket before an offset is that of an index. */
function isIndex(text: string, offset: number, closing: string): boolean {
  if (closing !== ']') return false;
  const open: Token[] = [];
  for (const token of tokensOf(text)) {
    if (token.start >= offset) break;
    if ('[({'.includes(token.text)) open.push(token);
    else if ('])}'.includes(token.text)) open.pop();
  }
  const last = open.at(-1);
  return last !== undefined && endsOperand(last.before);
}

type IssuesOf = (place: Place, limits: ExpressionLimits) => Issue[];

const literalProblem =
  (kind: (found: string) => string): IssuesOf =>
  ({ found, start }) => [{ offset: start, message: `invalid ${kind(found)}` }];

const integer = literalProblem((found) => (/[uU]'$/.test(found) ? 'uint literal' : 'int literal'));

const issuesByCode: Readonly<Record<string, IssuesOf>> = {
  unexpected_token: missingOperand,
  reserved_identifier: ({ found, start }) => [{ offset: start, message: `reserved identifier: ${found.slice(1, -1)}` }],
  expected_token: wrongToken,
  unexpected_character: ({ found, start, after }) => [
    syntax(`${after === undefined ? 'extraneous' : 'mismatched'} input ${found} expecting <EOF>`, start),
  ],
  invalid_integer: integer,
  invalid_hex_integer: integer,
  invalid_number: literalProblem(() => 'double literal'),
  invalid_unicode_surrogate: literalProblem(() => 'unicode code point'),
  invalid_macro_argument: ({ error, start }) => [
    {
      offset: start,
      message: /^(map|filter)\(/.test(error.summary)
        ? 'argument is not an identifier'
        : 'argument must be a simple name',
    },
  ],
  limit_exceeded: (_place, { maxDepth }) => [{ message: `expression recursion limit exceeded: ${maxDepth}` }],
};

/** Converts an error of the library into issues. Rethrows any other error. */
export function syntaxIssues(error: unknown, text: string, limits: ExpressionLimits): Issue[] {
  if (!isLibraryError(error)) throw error;
  const place = placeOf(error, text);
  const { summary } = error;
  return (
    issuesByCode[error.code]?.(place, limits) ?? [
      syntax(`${summary.charAt(0).toLowerCase()}${summary.slice(1)}`, place.start),
    ]
  );
}

/** Returns the problem of a call with a comma after its last argument, which the library accepts. */
export function trailingComma(text: string): Issue | undefined {
  if (!/,\s*\)/.test(text)) return undefined;
  for (const { text: token, start, before } of tokensOf(text))
    if (token === ')' && before === ',') return syntax(`mismatched input ')' expecting ${operandOr()}`, start);
  return undefined;
}

/** Starts of operators of two characters: the character after it is part of the unknown token. */
const HALF_OPERATOR = /[=&|]/;

/** Returns the unknown token that an error of the library is about; undefined for other errors. */
export function unknownToken(
  error: unknown,
  text: string,
): { readonly start: number; readonly text: string } | undefined {
  if (!isLibraryError(error) || error.range === undefined) return undefined;
  const { start } = error.range;
  if (error.code === 'unterminated_string') {
    const line = text.indexOf('\n', start);
    return { start, text: text.slice(start, line < 0 ? undefined : line + 1) };
  }
  if (error.code !== 'unexpected_character' || error.summary.startsWith("Unexpected character: '")) return undefined;
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
  return { start, text: HALF_OPERATOR.test(character) ? text.slice(start, start + 2) : character };
}
