/**
 * Finds the metadata of an object in its JSON text. Parsing the whole text and encoding the metadata again costs several
 * times as much.
 *
 * @module
 */
import { valueEnd } from '../selection/label-scan.js';

const MEMBER = '"metadata":';

/**
 * Returns the JSON of the metadata in the text of a stored object; undefined when only a parser can tell.
 *
 * @param text the text, as this program writes it
 * @param from index after the members for kind and version
 */
export function metadataInText(text: string, from: number): string | undefined {
  const start = from + MEMBER.length;
  // A text that was cut off ends otherwise.
  if (!text.startsWith(MEMBER, from) || text[start] !== '{' || !text.endsWith('}')) return undefined;
  const end = valueEnd(text, start);
  return end < 0 ? undefined : text.slice(start, end);
}

/** Returns whether a stored text may contain characters that only stored texts escape: those above U+007F. */
export const mayBeEscaped = (text: string): boolean => text.includes('\\u');
