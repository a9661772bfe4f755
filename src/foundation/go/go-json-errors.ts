/**
 * Error messages of Kubernetes' JSON decoder (Go's encoding/json) for a text that is not a JSON object. Secrets that
 * must hold a JSON object are validated with them.
 *
 * @module
 */
import { ownMember } from '../collections/own-property.js';

/** Position of the scanner in a text. */
interface Scan {
  readonly text: string;
  at: number;
}

const quoteChar = (char: string): string =>
  char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${JSON.stringify(char).slice(1, -1)}'`;

/** A syntax error; thrown to leave the recursion and caught by {@link goObjectError}. */
class SyntaxProblem {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function fail(scan: Scan, context: string): never {
  const char = scan.text.codePointAt(scan.at);
  throw new SyntaxProblem(
    char === undefined
      ? 'unexpected end of JSON input'
      : `invalid character ${quoteChar(String.fromCodePoint(char))} ${context}`,
  );
}

function skipSpace(scan: Scan): void {
  while (scan.at < scan.text.length && ' \t\r\n'.includes(scan.text.charAt(scan.at))) scan.at += 1;
}

function scanString(scan: Scan): void {
  for (scan.at += 1; ; scan.at += 1) {
    const char = scan.text.charAt(scan.at);
    if (char === '"') break;
    if (char === '' || char < ' ') fail(scan, 'in string literal');
    if (char !== '\\') continue;
    scan.at += 1;
    const escape = scan.text.charAt(scan.at);
    if (escape === 'u')
      for (let digit = 0; digit < 4; digit += 1) expect(scan, 1, /[0-9a-fA-F]/, 'in \\u hexadecimal character escape');
    else if (escape === '' || !'bfnrt\\/"'.includes(escape)) fail(scan, 'in string escape code');
  }
  scan.at += 1;
}

/** Advances by `step` and requires a matching character there. */
function expect(scan: Scan, step: number, pattern: RegExp, context: string): void {
  scan.at += step;
  if (!pattern.test(scan.text.charAt(scan.at))) fail(scan, context);
}

function scanDigits(scan: Scan): void {
  while (/[0-9]/.test(scan.text.charAt(scan.at))) scan.at += 1;
}

function scanNumber(scan: Scan): void {
  if (scan.text.charAt(scan.at) === '-') expect(scan, 1, /[0-9]/, 'in numeric literal');
  if (scan.text.charAt(scan.at) === '0') scan.at += 1;
  else scanDigits(scan);
  if (scan.text.charAt(scan.at) === '.') {
    expect(scan, 1, /[0-9]/, 'after decimal point in numeric literal');
    scanDigits(scan);
  }
  if (/[eE]/.test(scan.text.charAt(scan.at))) {
    scan.at += 1;
    if (/[-+]/.test(scan.text.charAt(scan.at))) scan.at += 1;
    expect(scan, 0, /[0-9]/, 'in exponent of numeric literal');
    scanDigits(scan);
  }
}

function scanWord(scan: Scan, word: string): void {
  for (let index = 1; index < word.length; index += 1) {
    scan.at += 1;
    if (scan.text.charAt(scan.at) !== word.charAt(index))
      fail(scan, `in literal ${word} (expecting ${quoteChar(word.charAt(index))})`);
  }
  scan.at += 1;
}

/** Scans the members of an object or the items of an array, after the opening bracket. */
function scanMembers(scan: Scan, close: string, depth: number): void {
  const isObject = close === '}';
  scan.at += 1;
  skipSpace(scan);
  if (scan.text.charAt(scan.at) === close) return void (scan.at += 1);
  for (;;) {
    skipSpace(scan);
    if (isObject) {
      if (scan.text.charAt(scan.at) !== '"') fail(scan, 'looking for beginning of object key string');
      scanString(scan);
      skipSpace(scan);
      if (scan.text.charAt(scan.at) !== ':') fail(scan, 'after object key');
      scan.at += 1;
    }
    scanValue(scan, depth + 1);
    skipSpace(scan);
    const next = scan.text.charAt(scan.at);
    if (next !== ',' && next !== close) fail(scan, isObject ? 'after object key:value pair' : 'after array element');
    scan.at += 1;
    if (next === close) return;
  }
}

/**
 * Maximum depth of a document. Lower than the limit of Go, which is ten times that, so that recursion is always safe.
 */
const MAX_DEPTH = 1_000;
const words: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

function scanValue(scan: Scan, depth: number): void {
  if (depth > MAX_DEPTH) throw new SyntaxProblem('exceeded max depth');
  skipSpace(scan);
  const first = scan.text.charAt(scan.at);
  const word = ownMember(words, first);
  if (first === '{') scanMembers(scan, '}', depth);
  else if (first === '[') scanMembers(scan, ']', depth);
  else if (first === '"') scanString(scan);
  else if (word !== undefined) scanWord(scan, word);
  else if (first === '-' || /[0-9]/.test(first)) scanNumber(scan);
  else fail(scan, 'looking for beginning of value');
}

/**
 * Returns Go's name of the type of a JSON value that is not an object; undefined for an object or null, which decode.
 */
function kindOf(text: string): string | undefined {
  const first = text.trimStart().charAt(0);
  if (first === '{' || first === 'n') return undefined;
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  return first === 't' || first === 'f' ? 'bool' : 'number';
}

/**
 * Returns Go's message when a text does not decode into a JSON object, or undefined when it does.
 *
 * @param type Go's name for the type of the object
 */
export function goObjectError(text: string, type = 'map[string]interface {}'): string | undefined {
  const scan: Scan = { text, at: 0 };
  try {
    scanValue(scan, 0);
    skipSpace(scan);
    if (scan.at < text.length) fail(scan, 'after top-level value');
  } catch (problem) {
    if (problem instanceof SyntaxProblem) return problem.text;
    throw problem;
  }
  const kind = kindOf(text);
  return kind === undefined ? undefined : `json: cannot unmarshal ${kind} into Go value of type ${type}`;
}
