import { goSyntax } from '../go/go-text.js';
import { goValue } from '../go/go-values.js';
import { grouped } from '../go/grouped-number.js';
import type { JsonValue } from '../json/json.js';
import { MAX_SHOWN_CHARACTERS, quotedText, shownText } from './shown-text.js';

/** The text that an error shows instead of a long list or object. */
export const LONG_VALUE = `… (more than ${grouped(MAX_SHOWN_CHARACTERS)} characters)`;

/**
 * Returns whether a value is a list or object whose text has more characters than an error shows. Looks at no more than
 * these.
 */
export function isLongValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let characters = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    characters += 1 + (typeof next === 'string' ? next.length : 0);
    if (characters > MAX_SHOWN_CHARACTERS) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const key in next) {
      characters += key.length;
      if (characters > MAX_SHOWN_CHARACTERS) return true;
      open.push(Reflect.get(next, key));
      if (open.length > MAX_SHOWN_CHARACTERS) return true;
    }
  }
  return false;
}

/** Formats a value as {@link goValue} does, for an error: of a long one only a part, or its length. */
export const shownGoValue = (value: JsonValue): string => (isLongValue(value) ? LONG_VALUE : shownText(goValue(value)));

/** Formats a value as {@link goSyntax} does, for an error: of a long one only a part, or its length. */
export function shownGoSyntax(value: JsonValue): string {
  if (typeof value === 'string') return quotedText(value);
  return isLongValue(value) ? LONG_VALUE : goSyntax(value);
}
