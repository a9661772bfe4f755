import {
  concatBytes,
  encodeUtf8,
  inSlices,
  jsonTextSteps,
  SharedWork,
  type JsonObject,
  type Steps,
  type Work,
} from '../../foundation/index.js';

/** Characters that are encoded in one step. */
const ENCODED_AT_ONCE = 16 * 1024;

/**
 * Writes a document as JSON, in steps that leave the event loop free in between. All responses share the bytes: the
 * text of a long document would be encoded for each.
 *
 * @param work in whose slices it is written, and which reserves the memory of the text; default work of the server itself
 */
export async function documentBytes(document: JsonObject, work: Work = new SharedWork()): Promise<Uint8Array> {
  const text = await inSlices(work, documentText(document, work));
  return concatBytes(await inSlices(work, byteSteps(`${text}\n`)));
}

/** Returns the JSON of a document. */
export const documentText = (document: JsonObject, work: Work): Steps<string> => jsonTextSteps(document, work, asItIs);

const asItIs = (text: string): string => text;

function* byteSteps(text: string): Steps<Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + ENCODED_AT_ONCE;
    // Half of a pair of surrogates has no form in UTF-8.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    encoded.push(encodeUtf8(text.slice(from, to)));
    yield;
  }
  return encoded;
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
