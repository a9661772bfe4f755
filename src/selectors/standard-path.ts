/**
 * Translates a path to RFC 9535: names are quoted, since they may contain hyphens and escaped points.
 *
 * @throws SyntaxError when a bracket is not closed
 */
export function standardPath(text: string): string {
  const bare = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  return translate(bare.startsWith('$') ? bare.slice(1) : bare, '$');
}

/** Characters that end a name outside of a filter, and within one. */
const NAME_END = /[.[]/;
const OPERAND_END = /[.[\]=<>!&|()\s]/;

function translate(text: string, root: string, nameEnd = NAME_END): string {
  let result = root;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    if (rest.startsWith('[')) {
      const end = closingBracket(text, at);
      result += `[${subscript(text.slice(at + 1, end))}]`;
      at = end + 1;
    } else {
      const prefix = /^\.{0,2}/.exec(rest)?.[0] ?? '';
      const name = readName(text, at + prefix.length, nameEnd);
      at += prefix.length + name.length;
      if (prefix === '' && name.length === 0) break;
      if (name.length > 0 || prefix === '..')
        result += `${prefix === '..' ? '..' : ''}${name.length === 0 ? '' : selector(name.text)}`;
    }
  }
  return result;
}

const selector = (name: string): string => (name === '*' ? '[*]' : `[${quoted(name)}]`);
const quoted = (name: string): string => `'${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Reads a name, in which a backslash escapes the next character. */
function readName(text: string, from: number, end: RegExp): { readonly text: string; readonly length: number } {
  let name = '';
  let at = from;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && at + 1 < text.length) name += text.charAt(++at);
    else if (end.test(character)) break;
    else name += character;
  }
  return { text: name, length: at - from };
}

/** Returns the position of the bracket that closes the one at `from`. Brackets in quotes do not count. */
function closingBracket(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth += 1;
    else if (character === ']' && (depth -= 1) === 0) return at;
  }
  throw new SyntaxError('unterminated array');
}

/** Translates the inside of brackets: an index, a slice, a quoted name, a union of them, or a filter. */
function subscript(text: string): string {
  const filter = /^\s*\?\s*\(([\s\S]*)\)\s*$/.exec(text)?.[1];
  return filter === undefined ? text.trim() : `?${translateFilter(filter)}`;
}

/** Translates the operands of a filter that are paths: `@.type=="Ready"`. */
function translateFilter(text: string): string {
  let result = '';
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      const end = closingQuote(text, at);
      result += text.slice(at, end + 1);
      at = end + 1;
    } else if (character === '@' || character === '$') {
      const length = operandLength(text, at + 1);
      result += translate(text.slice(at + 1, at + 1 + length), character, OPERAND_END);
      at += 1 + length;
    } else {
      result += character;
      at += 1;
    }
  }
  return result;
}

function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === text.charAt(from)) return at;
  }
  throw new SyntaxError('unterminated quoted string');
}

/** Returns the length of the path that begins at a position of a filter. */
function operandLength(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '\\') at += 2;
    else if (character === '[') at = closingBracket(text, at) + 1;
    else if (character !== '.' && OPERAND_END.test(character)) break;
    else at += 1;
  }
  return at - from;
}
