import type { ValuePath } from '../data/check-schema.js';
import { beginsItem, indentOf, partsOf, type LineParts, type Lines } from './lines.js';

/** The place of the cursor, and the word that is being written there. */
export interface Place {
  /** The way to the map whose member is written, or to the item of a list. */
  readonly path: ValuePath;
  /** The key whose value is written; undefined where a key is written, or an item. */
  readonly key: string | undefined;
  /** The column where what is written begins. */
  readonly column: number;
  /** The part of the word before the cursor. */
  readonly written: string;
  /** Whether an item of a list begins here: it may be a map or another value. */
  readonly isItem: boolean;
  /** The members that the map has, apart from the one at the cursor, with the texts of their values. */
  readonly members: ReadonlyMap<string, string>;
}

/**
 * Returns what is being written at a place of a text in YAML. The lines are read by their indentation, so that the text
 * need not be complete, nor valid.
 *
 * @param number the line, counted from one
 * @param cursor the column of the cursor, counted from zero
 * @returns undefined in comments, texts over several lines, and collections in braces or brackets
 */
export function placeAt(text: Lines, number: number, cursor: number): Place | undefined {
  const before = text.line(number).text.slice(0, cursor);
  const empty: LineParts = { dashes: [], column: cursor, key: undefined, value: '', valueColumn: cursor };
  const parts = before.trim() === '' ? empty : partsOf(before);
  // In a comment, or right behind a colon.
  if (parts === undefined || before.includes(' #') || before.endsWith(':')) return undefined;
  const written = before.slice(parts.key === undefined ? parts.column : parts.valueColumn);
  if (/^[[{|>&*!]/.test(written)) return undefined;
  const path = pathOf(text, number, parts);
  if (path === undefined) return undefined;
  return {
    ...{ path, written, key: parts.key },
    column: before.length - written.length,
    isItem: parts.key === undefined && parts.dashes.length > 0,
    members: membersBeside(text, number, parts),
  };
}

/** A value whose parents are sought: a key, or the dash of an item, at a column of a line. */
interface Sought {
  readonly line: number;
  readonly column: number;
  readonly isDash: boolean;
}

/** Returns the way to the map or item that a line is in; undefined where it is a part of a text. */
function pathOf(text: Lines, line: number, { dashes, column }: LineParts): ValuePath | undefined {
  const path: (string | number)[] = [];
  let sought: Sought = { line, column, isDash: false };
  // The dashes before it on its own line.
  let own = [...dashes];
  for (;;) {
    const dash = own.pop();
    if (dash !== undefined) {
      path.unshift(indexOf(text, sought.line, dash));
      sought = { line: sought.line, column: dash, isDash: true };
      continue;
    }
    const parent = parentOf(text, sought);
    if (parent === 'none') return path;
    if (parent === undefined) return undefined;
    if (parent.key !== undefined) path.unshift(parent.key);
    own = [...parent.dashes];
    sought = { line: parent.line, column: parent.column, isDash: false };
  }
}

interface Parent {
  readonly line: number;
  readonly column: number;
  /** The key whose value is sought; undefined for an item of a list. */
  readonly key: string | undefined;
  /** The dashes before it on its line. */
  readonly dashes: readonly number[];
}

/** Returns the line that a value is below; `none` at the top of the text, undefined below what has a value of its own. */
function parentOf(text: Lines, { line, column, isDash }: Sought): Parent | 'none' | undefined {
  for (let number = line - 1; number >= 1; number -= 1) {
    const { text: content } = text.line(number);
    // The items of a list may be at the column of its key.
    const indent = indentOf(content);
    if (indent > column || (indent === column && (!isDash || beginsItem(content, column)))) continue;
    const parts = partsOf(content);
    if (parts === undefined) continue;
    const { dashes, key, value } = parts;
    if (key !== undefined && (parts.column < column || (isDash && parts.column === column)))
      return isNothing(value) ? { line: number, column: parts.column, key, dashes } : undefined;
    const outer = dashes.filter((dash) => dash < column);
    if (outer.length > 0)
      return key !== undefined || dashes.includes(column) || isNothing(value)
        ? { line: number, column: parts.column, key: undefined, dashes: outer }
        : undefined;
    if (dashes.length === 0) return undefined;
  }
  return 'none';
}

/** Whether a value is yet to come on the lines below: an anchor or a tag may be before it. */
const isNothing = (value: string): boolean => /^(?:[&!]\S*(?:\s+|$))*$/.test(value);

/** Returns the position of an item in its list. */
function indexOf(text: Lines, line: number, dash: number): number {
  let index = 0;
  for (let number = line - 1; number >= 1; number -= 1) {
    const { text: content } = text.line(number);
    const indent = indentOf(content);
    if (indent > dash) continue;
    if (beginsItem(content, dash) && indent === dash) {
      index += 1;
      continue;
    }
    const parts = partsOf(content);
    if (parts === undefined) continue;
    return parts.dashes.includes(dash) ? index + 1 : index;
  }
  return index;
}

/** Returns the members beside a line, with the texts of their values. */
function membersBeside(text: Lines, line: number, { column, dashes }: LineParts): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  /** Adds a line. @returns whether the map goes on beyond it */
  const add = (number: number): boolean => {
    const { text: content } = text.line(number);
    if (indentOf(content) > column) return true;
    const parts = partsOf(content);
    if (parts === undefined) return true;
    if (parts.column === column && parts.key !== undefined) found.set(parts.key, parts.value);
    // A list may be at the column of its key.
    return indentOf(content) === column;
  };
  if (dashes.length === 0) for (let number = line - 1; number >= 1 && add(number); number -= 1);
  const below = (number: number): boolean => {
    const { text: content } = text.line(number);
    return (indentOf(content) >= column || partsOf(content) === undefined) && add(number);
  };
  for (let number = line + 1; number <= text.lines && below(number); number += 1);
  return found;
}
