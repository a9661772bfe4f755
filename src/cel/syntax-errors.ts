/**
 * Translates errors of the parsing library into messages of Kubernetes. The generated parser of Kubernetes names sets
 * of tokens; when the library does not provide enough detail, its own message follows `Syntax error:`.
 *
 * @module
 */
import type { ExpressionLimits } from './limits.js';
import type { Issue } from './source.js';

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The used members of the library's error. */
interface LibraryError {
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number; readonly end: number } | undefined;
}

const isLibraryError = (error: unknown): error is LibraryError =>
  error instanceof Error && 'code' in error && 'summary' in error;

/** Tokens by the library's names, as Kubernetes shows them. */
const tokenTexts: Readonly<Record<string, string>> = {
  RPAREN: "')'",
  RBRACKET: "']'",
  RBRACE: "'}'",
  COLON: "':'",
  IDENTIFIER: 'IDENTIFIER',
};

type MessageOf = (found: string, error: LibraryError, limits: ExpressionLimits) => string;

const messages: Readonly<Record<string, MessageOf>> = {
  unexpected_token: (found) => `Syntax error: mismatched input ${found} expecting ${OPERAND}`,
  reserved_identifier: (found) => `reserved identifier: ${found.slice(1, -1)}`,
  expected_token: (found, { summary }) => {
    const expected = /^Expected (\w+),/.exec(summary)?.[1] ?? '';
    return `Syntax error: mismatched input ${found} expecting ${tokenTexts[expected] ?? expected}`;
  },
  unexpected_character: (found, { summary }) =>
    summary.startsWith("Unexpected character: '")
      ? `Syntax error: extraneous input ${found} expecting <EOF>`
      : `Syntax error: token recognition error at: ${found}`,
  invalid_integer: (found) => (/[uU]'$/.test(found) ? 'invalid uint literal' : 'invalid int literal'),
  invalid_hex_integer: (found) => (/[uU]'$/.test(found) ? 'invalid uint literal' : 'invalid int literal'),
  invalid_number: () => 'invalid double literal',
  invalid_unicode_surrogate: () => 'invalid unicode code point',
  invalid_macro_argument: (_found, { summary }) =>
    /^(map|filter)\(/.test(summary) ? 'argument is not an identifier' : 'argument must be a simple name',
  limit_exceeded: (_found, _error, { maxDepth }) => `expression recursion limit exceeded: ${maxDepth}`,
};

/** Converts an error of the library into an issue. Rethrows any other error. */
export function syntaxIssue(error: unknown, text: string, limits: ExpressionLimits): Issue {
  if (!isLibraryError(error)) throw error;
  const { start = text.length, end = text.length } = error.range ?? {};
  const found = start >= text.length ? "'<EOF>'" : `'${text.slice(start, Math.max(end, start + 1))}'`;
  const message =
    messages[error.code]?.(found, error, limits) ??
    `Syntax error: ${error.summary.charAt(0).toLowerCase()}${error.summary.slice(1)}`;
  return error.code === 'limit_exceeded' ? { message } : { offset: Math.min(start, text.length), message };
}
