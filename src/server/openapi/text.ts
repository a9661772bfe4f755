import {
  concatBytes,
  encodeUtf8,
  inSlices,
  isLargeValue,
  jsonText,
  SharedWork,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../foundation/index.js';

/**
 * Writes a document as JSON, in steps that leave the event loop free in between. All responses share the bytes: the
 * text of a long document would be encoded for each.
 */
export async function documentBytes(document: JsonObject): Promise<Uint8Array> {
  const work = new SharedWork();
  const parts: string[] = [];
  await inSlices(work, textSteps(parts, document));
  parts.push('\n');
  return concatBytes(await inSlices(work, byteSteps(parts)));
}

/** Parts that are encoded in one step. */
const PARTS_AT_ONCE = 64;

function* byteSteps(parts: readonly string[]): Steps<Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
    encoded.push(encodeUtf8(parts.slice(from, from + PARTS_AT_ONCE).join('')));
    yield;
  }
  return encoded;
}

/** Appends the JSON of a value in parts, with a pause after each. */
export function* textSteps(parts: string[], value: JsonValue): Steps<void> {
  if (typeof value !== 'object' || value === null || !isLargeValue(value)) {
    parts.push(jsonText(value) ?? 'null');
    yield;
    return;
  }
  const isList = Array.isArray(value);
  let separator = isList ? '[' : '{';
  for (const [name, member] of Object.entries(value)) {
    if (!isList && (member === undefined || typeof member === 'function')) continue;
    parts.push(isList ? separator : `${separator}${JSON.stringify(name)}:`);
    yield* textSteps(parts, member ?? null);
    separator = ',';
  }
  parts.push(isList ? ']' : '}');
}
