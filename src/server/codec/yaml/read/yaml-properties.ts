/**
 * Reads the directives of YAML, and the properties of its nodes: tags, anchors and aliases.
 *
 * @module
 */
import { isBlankOrEnd, type YamlCursor } from './yaml-cursor.js';
import { TokenKind, type YamlToken } from './yaml-token.js';

const NAME = /[0-9A-Za-z_-]*/y;
const HANDLE = /![0-9A-Za-z_-]*!?/y;
const URI = /[-0-9A-Za-z_;/?:@&=+$,.!~*'()[\]%]*/y;
const VERSION = /[ \t]*([0-9]*)(\.?)([0-9]*)/y;

function match(cursor: YamlCursor, pattern: RegExp): readonly string[] {
  pattern.lastIndex = cursor.pos;
  const found = pattern.exec(cursor.text) ?? [''];
  cursor.pos += found[0].length;
  return found;
}

/** Reads an anchor or alias; the cursor is at its indicator. @throws DecodeProblem */
export function readAnchor(cursor: YamlCursor, kind: TokenKind): YamlToken {
  const { line } = cursor;
  cursor.pos += 1;
  const [name = ''] = match(cursor, NAME);
  if (name === '' || !(isBlankOrEnd(cursor.code) || '?:,]}%@`'.includes(cursor.text.charAt(cursor.pos))))
    throw cursor.problem('did not find expected alphabetic or numeric character');
  return { kind, line, text: name, suffix: '' };
}

/** Reads a tag; the cursor is at its exclamation mark. @throws DecodeProblem */
export function readTag(cursor: YamlCursor): YamlToken {
  const { line } = cursor;
  let handle = '';
  let suffix: string;
  if (cursor.codeAt(1) === 0x3c) {
    cursor.pos += 2;
    suffix = readUri(cursor);
    if (suffix === '') throw cursor.problem('did not find expected tag URI');
    if (cursor.code !== 0x3e) throw cursor.problem("did not find the expected '>'");
    cursor.pos += 1;
  } else {
    [handle = ''] = match(cursor, HANDLE);
    suffix = readUri(cursor);
    const isHandle = handle.length > 1 && handle.endsWith('!');
    if (isHandle && suffix === '') throw cursor.problem('did not find expected tag URI');
    if (!isHandle) {
      suffix = handle.slice(1) + suffix;
      handle = '!';
      // The tag `!` alone is not a handle.
      if (suffix === '') [handle, suffix] = ['', '!'];
    }
  }
  if (!isBlankOrEnd(cursor.code)) throw cursor.problem('did not find expected whitespace or line break');
  return { kind: TokenKind.TAG, line, text: handle, suffix };
}

function readUri(cursor: YamlCursor): string {
  const [uri = ''] = match(cursor, URI);
  if (!uri.includes('%')) return uri;
  if (/%(?![0-9a-fA-F]{2})/.test(uri)) throw cursor.problem('did not find URI escaped octet');
  try {
    // A pattern that finds each escape of a long URI takes many times longer.
    return decodeURIComponent(uri);
  } catch {
    throw cursor.problem('found an incorrect leading UTF-8 octet');
  }
}

/** Reads a directive and its line; the cursor is at the percent sign. @throws DecodeProblem */
export function readDirective(cursor: YamlCursor): YamlToken {
  const { line } = cursor;
  cursor.pos += 1;
  const [name = ''] = match(cursor, NAME);
  if (name === '') throw cursor.problem('could not find expected directive name');
  if (!isBlankOrEnd(cursor.code)) throw cursor.problem('found unexpected non-alphabetical character');
  if (name !== 'YAML' && name !== 'TAG') throw cursor.problem('found unknown directive name');
  const token = name === 'YAML' ? readVersion(cursor, line) : readTagHandle(cursor, line);
  if (!cursor.skipRestOfLine()) throw cursor.problem('did not find expected comment or line break');
  return token;
}

function readVersion(cursor: YamlCursor, line: number): YamlToken {
  const [, major = '', point, minor = ''] = match(cursor, VERSION);
  if (major.length > 2 || minor.length > 2) throw cursor.problem('found extremely long version number');
  if (major === '') throw cursor.problem('did not find expected version number');
  if (point === '') throw cursor.problem("did not find expected digit or '.' character");
  if (minor === '') throw cursor.problem('did not find expected version number');
  return { kind: TokenKind.VERSION, line, text: `${Number(major)}.${Number(minor)}`, suffix: '' };
}

function readTagHandle(cursor: YamlCursor, line: number): YamlToken {
  cursor.skipBlanks();
  const [handle = ''] = match(cursor, HANDLE);
  if (handle === '' || (handle !== '!' && !handle.endsWith('!'))) throw cursor.problem("did not find expected '!'");
  if (cursor.code !== 0x20 && cursor.code !== 0x09) throw cursor.problem('did not find expected whitespace');
  cursor.skipBlanks();
  const prefix = readUri(cursor);
  if (prefix === '') throw cursor.problem('did not find expected tag URI');
  if (!isBlankOrEnd(cursor.code)) throw cursor.problem('did not find expected whitespace or line break');
  return { kind: TokenKind.TAG_HANDLE, line, text: handle, suffix: prefix };
}
