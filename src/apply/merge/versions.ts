import type { JsonObject } from '../../meta/json.js';
import type { StructuralSchema } from '../../schema/structural.js';
import type { Type, Types } from '../typed/type.js';

/** An object with the version in which it is written and the type of that version. */
export interface VersionedObject {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly type: Type;
}

/**
 * Converts an object to another version of its kind.
 *
 * @returns undefined when the version does not exist or no longer exists
 */
export type Convert = (
  object: JsonObject,
  apiVersion: string,
) => { readonly object: JsonObject; readonly schema: StructuralSchema } | undefined;

/** A conversion that also returns the type of the version. */
export type TypedConvert = (
  object: JsonObject,
  apiVersion: string,
) => { readonly object: JsonObject; readonly type: Type } | undefined;

/** Returns a conversion with the types of the versions; undefined without a conversion. */
export function typedConvert(convert: Convert | undefined, types: Types): TypedConvert | undefined {
  return (
    convert &&
    ((object, apiVersion) => {
      const converted = convert(object, apiVersion);
      return converted && { object: converted.object, type: types.of(converted.schema) };
    })
  );
}

/**
 * Returns the object in a version; undefined when the version does not exist. The object's own version needs no
 * conversion.
 */
export function toVersion(
  value: VersionedObject,
  apiVersion: string,
  convert: TypedConvert | undefined,
): VersionedObject | undefined {
  if (value.apiVersion === apiVersion) return value;
  const converted = convert?.(value.object, apiVersion);
  return converted && { ...converted, apiVersion };
}
