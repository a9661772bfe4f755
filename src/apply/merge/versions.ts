import type { JsonObject } from '../../meta/json.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { typeOf, type Type } from '../typed/type.js';

/** An object together with the version that it is written in and that version's type. */
export interface VersionedObject {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly type: Type;
}

/**
 * Converts an object to another version of its kind.
 *
 * @returns undefined when there is no such version (any more)
 */
export type Convert = (object: JsonObject, apiVersion: string) => { readonly object: JsonObject; readonly schema: StructuralSchema } | undefined;

/** The object in a version; undefined when there is no such version. The version that it has is no conversion. */
export function toVersion(value: VersionedObject, apiVersion: string, convert: Convert | undefined): VersionedObject | undefined {
  if (value.apiVersion === apiVersion) return value;
  const converted = convert?.(value.object, apiVersion);
  return converted === undefined ? undefined : { object: converted.object, apiVersion, type: typeOf(converted.schema) };
}
