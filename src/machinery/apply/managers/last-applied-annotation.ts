import {
  goJson,
  MAX_ANNOTATIONS_BYTES,
  stringOrEmpty,
  utf8Length,
  type JsonObject,
} from '../../../foundation/index.js';
import { asMap, member, without } from '../typed/value.js';

/** A client with client-side apply, which stores its last applied configuration in an annotation. */
export interface ClientSideApply {
  /** Field manager of its server-side applies. */
  readonly manager: string;
  /** Key of its annotation. */
  readonly annotation: string;
}

const annotationsOf = (object: JsonObject): JsonObject | undefined => asMap(asMap(object['metadata'])?.['annotations']);

/** Returns the last-applied annotation; empty when it is absent. */
export function annotationOf(object: JsonObject, { annotation }: ClientSideApply): string {
  const annotations = annotationsOf(object);
  const value = annotations && member(annotations, annotation);
  return stringOrEmpty(value);
}

/** Returns the annotation's text for an intent: the intent without the annotation, as one line with sorted keys. */
export function lastAppliedText(applied: JsonObject, { annotation }: ClientSideApply): string {
  const annotations = annotationsOf(applied);
  const object = annotations === undefined ? applied : withAnnotations(applied, without(annotations, annotation));
  return `${goJson(object)}\n`;
}

/** Returns the object with the annotation, or without it when the annotations would be too large. */
export function withAnnotation(object: JsonObject, { annotation }: ClientSideApply, value: string): JsonObject {
  const annotations = { ...annotationsOf(object), [annotation]: value };

  let bytes = 0;
  for (const [key, text] of Object.entries(annotations))
    bytes += utf8Length(key) + (typeof text === 'string' ? utf8Length(text) : 0);
  return withAnnotations(object, bytes > MAX_ANNOTATIONS_BYTES ? without(annotations, annotation) : annotations);
}

const withAnnotations = (object: JsonObject, annotations: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...asMap(object['metadata']), annotations },
});
