/**
 * Writes a stored object at another revision by its text. Encoding the object again costs ten times as much.
 *
 * @module
 */
import type { ApiObject } from '../../foundation/index.js';
import type { Revision, ValueEncoder } from '../../storage/index.js';

/**
 * The metadata as this program writes it, up to its resourceVersion: before that are only strings without escapes. So
 * nothing in a string is taken for the member.
 */
const BEFORE_VERSION = /"metadata":\{(?:"[^"\\]*":"[^"\\]*",)*?"resourceVersion":"/y;

/**
 * Returns an encoder of an object whose text is known, like `encodeAt`: the object becomes the decoded form of the
 * record. Undefined when only encoding the object can tell.
 *
 * @param object the object of the text
 * @param text the text, as this program writes it
 * @param from index after the members for kind and version
 */
export function stampingEncoder(object: ApiObject, text: string, from: number): ValueEncoder | undefined {
  const version = object.metadata.resourceVersion ?? '';
  const place = versionPlace(text, from);
  // Another version may be in a text with two of them, which this program does not write.
  if (place === undefined || text.slice(place.start, place.end) !== version) return undefined;
  const before = text.slice(0, place.start);
  const after = text.slice(place.end);
  return (revision: Revision): string => {
    object.metadata.resourceVersion = String(revision);
    return `${before}${revision}${after}`;
  };
}

/**
 * Returns the text of an object with another revision; undefined when only a parser can tell where it is.
 *
 * @param text the text, as this program writes it
 * @param from index after the members for kind and version
 */
export function textAtRevision(text: string, from: number, revision: Revision): string | undefined {
  const place = versionPlace(text, from);
  return place === undefined ? undefined : `${text.slice(0, place.start)}${revision}${text.slice(place.end)}`;
}

function versionPlace(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  BEFORE_VERSION.lastIndex = from;
  if (!BEFORE_VERSION.test(text)) return undefined;
  const start = BEFORE_VERSION.lastIndex;
  const end = text.indexOf('"', start);
  return end < 0 ? undefined : { start, end };
}
