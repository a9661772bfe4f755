/**
 * The texts of large objects, in steps. An engine calls the encoder of a write in the turn in which it gives the write
 * its revision, so the text is made before, but for the revision.
 *
 * @module
 */
import {
  holdAsWrittenSteps,
  JsonTextSteps,
  jsonTextSteps,
  jsonText,
  type ApiObject,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { ValueEncoder } from '../../storage/index.js';

/** Returns the text of an object, as `asciiJson` does. */
export const largeText = (object: ApiObject, work: Work): Steps<string> => jsonTextSteps(object as JsonObject, work);

/**
 * Returns an encoder of an object with the result of `encodeAt`. The object becomes the decoded form of the record and
 * must not be changed afterwards.
 *
 * @param object has its metadata in their order, with a place for the resourceVersion
 */
export function* largeEncoder(object: ApiObject, work: Work): Steps<ValueEncoder> {
  const text = new JsonTextSteps(work);
  let before = '';
  let separator = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    text.add(`${separator}${jsonText(name)}:`);
    separator = ',';
    if (name === 'metadata') before = yield* metadataText(object.metadata, text);
    else yield* text.value(value as JsonValue);
  }
  text.add('}');
  const after = text.take();
  if (text.hasBigIntegers) yield* holdAsWrittenSteps(object, work);
  return (revision) => {
    object.metadata.resourceVersion = String(revision);
    return `${before}${revision}${after}`;
  };
}

/** Adds the text of the metadata without the resourceVersion. Returns what is before the resourceVersion. */
function* metadataText(metadata: JsonObject, text: JsonTextSteps): Steps<string> {
  let before = '';
  let separator = '{';
  for (const [name, value] of Object.entries(metadata)) {
    if (value === undefined) continue;
    text.add(`${separator}${jsonText(name)}:`);
    separator = ',';
    if (name === 'resourceVersion') {
      text.add('"');
      before = text.take();
      text.add('"');
    } else {
      yield* text.value(value);
    }
  }
  text.add('}');
  return before;
}
