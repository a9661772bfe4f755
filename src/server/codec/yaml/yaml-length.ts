import { isArray, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import { STEP, WIDTH } from './write/yaml-writer.js';

/** Longest text of a number. */
const NUMBER = 24;
/** Characters around an entry: `? ` and `: ` or `- `, quotes or the head of a block, and line breaks. */
const AROUND = 12;
/** Characters that an escape adds: `\\uFFFE` for one character, `\\U0001F600` for two. */
const LONGEST_ESCAPE = 5;

/**
 * Returns an upper bound of the length of a value's YAML form, in characters, without making it. Nested values need
 * indentation in each line, so the form can be a hundred times as long as the JSON form.
 *
 * @param most stops counting beyond it
 */
export function yamlLength(value: JsonValue, most = Infinity): number {
  const open: { readonly value: readonly JsonValue[] | JsonObject; readonly indent: number }[] = [];
  let length = 0;
  const add = (entry: JsonValue, indent: number): void => {
    // A string that is longer than the rest of the bound is not looked at.
    if (typeof entry === 'string') length += entry.length > most - length ? entry.length : stringLength(entry, indent);
    else if (typeof entry !== 'object' || entry === null) length += NUMBER;
    else open.push({ value: entry, indent });
    length += AROUND + indent;
  };
  add(value, 0);
  for (let top = open.pop(); top !== undefined && length <= most; top = open.pop()) {
    const indent = top.indent + STEP;
    if (isArray(top.value)) {
      for (const item of top.value) {
        add(item, indent);
        if (length > most) break;
      }
      continue;
    }
    for (const key of Object.keys(top.value)) {
      // A long key has a line of its own.
      add(key, indent);
      add(top.value[key] ?? null, indent);
      if (length > most) break;
    }
  }
  return length;
}

/** Returns an upper bound of the length of a string, in any style, whose further lines have an indentation. */
function stringLength(text: string, indent: number): number {
  let escapes = 0;
  let spaces = 0;
  let breaks = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x20) spaces += 1;
    else if (code === 0x0a) breaks += 1;
    else if (code === 0x22 || code === 0x27 || code === 0x5c) escapes += 1;
    else if (code < 0x20 || code > 0x7e) escapes += code >= 0xa0 && code < 0xd800 ? 1 : LONGEST_ESCAPE;
  }
  const characters = text.length + escapes;
  const folds = Math.min(spaces, 1 + Math.floor(characters / Math.max(1, WIDTH - indent)));
  return characters + (breaks + folds) * (indent + 2) + (breaks > 0 ? indent : 0);
}
