/**
 * Encodes a stored object at another revision by its text. Encoding the object again costs ten times as much.
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
  BEFORE_VERSION.lastIndex = from;
  if (!BEFORE_VERSION.test(text)) return undefined;
  const start = BEFORE_VERSION.lastIndex;
  // Another version may be in a text with two of them, which this program does not write.
  if (!text.startsWith(`${version}"`, start)) return undefined;
  const before = text.slice(0, start);
  const after = text.slice(start + version.length);
  return (revision: Revision): string => {
    object.metadata.resourceVersion = String(revision);
    return `${before}${revision}${after}`;
  };
}
